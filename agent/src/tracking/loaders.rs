//! Which class loader's code allocates, as a frame of its stacks (`#loaders`): the loader of the innermost method that is not the JDK's.
//!
//! Read when a stack is new, once for each method: what was unloaded keeps its name. Not here: how a loader's fields are read (`mayfly_jvmti`).

use std::sync::{Mutex, PoisonError};

use mayfly_jvmti::{Jni, JvmtiEnv, LoaderFacts};
use mayfly_profile::{Frame, FrameId, pool_of};
use mayfly_tracking::SiteTable;
use rustc_hash::FxHashMap;

/// Loaders that are told apart: programs that make one for each piece of work would fill the memory.
const MOST: usize = 1_000;
/// All others.
const OTHERS: &str = "(other loaders)";
const BOOT: &str = "boot";
const PLATFORM: &str = "platform";

/// The JDK's loaders of its own code beside the boot loader, and what it loads methods with that call by reflection (up to JDK 21).
const OF_THE_JDK: [(&str, &str); 3] = [
    ("jdk.internal.loader.ClassLoaders$PlatformClassLoader", PLATFORM),
    ("jdk.internal.reflect.DelegatingClassLoader", PLATFORM),
    ("jdk.internal.loader.ClassLoaders$BootClassLoader", BOOT),
];
/// The JDK's loader of the program's class path.
const APP: (&str, &str) = ("jdk.internal.loader.ClassLoaders$AppClassLoader", "app");

/// Fields that name a loader: Tomcat's by the context (`/shop`), Jetty's, any that the program gave a name (`ClassLoader(String, …)`).
const WAYS: [&[&str]; 3] = [&["resources", "context", "name"], &["_name"], &["name"]];
/// Tomcat's context without a path.
const ROOT: &str = "ROOT";

/// The loaders of methods seen so far.
#[derive(Debug, Default)]
pub(crate) struct Loaders {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    methods: FxHashMap<u64, Loader>,
    frames: FxHashMap<String, FrameId>,
}

/// The loader of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Loader {
    frame: FrameId,
    /// Whether it loads the JDK's own code.
    is_of_the_jdk: bool,
}

impl Loaders {
    /// The frame of the loader of the innermost of these methods that is not the JDK's, or else of the innermost.
    pub(super) fn of_stack(
        &self,
        jvmti: &JvmtiEnv,
        jni: Jni<'_>,
        sites: &SiteTable,
        methods: impl Iterator<Item = u64>,
    ) -> Option<FrameId> {
        let mut first = None;
        for method in methods {
            let Some(loader) = self.of_method(sites, method, || jvmti.loader_of(jni, method, &WAYS)) else {
                continue;
            };
            if !loader.is_of_the_jdk {
                return Some(loader.frame);
            }
            first = first.or(Some(loader.frame));
        }
        first
    }

    fn of_method(
        &self,
        sites: &SiteTable,
        method: u64,
        read: impl FnOnce() -> Option<Option<LoaderFacts>>,
    ) -> Option<Loader> {
        if let Some(&known) = self.lock().methods.get(&method) {
            return Some(known);
        }
        // Without the lock: what is read may wait.
        let (name, is_of_the_jdk) = named(read()?);
        let mut known = self.lock();
        let loader = Loader { frame: known.frame(sites, name), is_of_the_jdk };
        known.methods.insert(method, loader);
        Some(loader)
    }

    /// Forgets the methods that are gone.
    pub(super) fn forget(&self, mut is_there: impl FnMut(u64) -> bool) {
        self.lock().methods.retain(|&method, _| is_there(method));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn frame(&mut self, sites: &SiteTable, name: String) -> FrameId {
        if let Some(&known) = self.frames.get(&name) {
            return known;
        }
        let shown = if self.frames.len() < MOST { &name } else { OTHERS };
        let id = sites.frame_id(Frame::of_loader(shown));
        if self.frames.len() < MOST {
            self.frames.insert(name, id);
        }
        id
    }
}

/// How a loader is shown, and whether it loads the JDK's own code: its class without the package, and its name, if it has one, with numbers as
/// those of threads are shown.
fn named(loader: Option<LoaderFacts>) -> (String, bool) {
    let Some(LoaderFacts { class, name }) = loader else { return (BOOT.to_owned(), true) };
    if let Some(&(_, shown)) = OF_THE_JDK.iter().find(|(of, _)| *of == class) {
        return (shown.to_owned(), true);
    }
    if class == APP.0 {
        return (APP.1.to_owned(), false);
    }
    let short = class.rsplit('.').next().unwrap_or(&class);
    // Hidden classes have an address behind a slash.
    let short = short.split('/').next().unwrap_or(short);
    // A context's path is a name of the program's own; loaders that programs make one after the other are numbered.
    let label = name.map(|name| match name.strip_prefix('/') {
        Some(path) => path.to_owned(),
        None if name.is_empty() => ROOT.to_owned(),
        None => pool_of(&name),
    });
    (label.map_or_else(|| short.to_owned(), |label| format!("{short} ({label})")), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaders_are_shown_by_class_and_name() {
        let of = |class: &str, name: Option<&str>| {
            named(Some(LoaderFacts { class: class.to_owned(), name: name.map(str::to_owned) }))
        };
        let shown = |text: &str| (text.to_owned(), false);
        assert_eq!(named(None), ("boot".to_owned(), true));
        assert_eq!(of(OF_THE_JDK[0].0, Some("platform")), ("platform".to_owned(), true));
        assert_eq!(of(APP.0, Some("app")), shown("app"));
        let tomcat = "org.apache.catalina.loader.ParallelWebappClassLoader";
        assert_eq!(of(tomcat, Some("/shop")), shown("ParallelWebappClassLoader (shop)"));
        assert_eq!(of(tomcat, Some("/api-2")), shown("ParallelWebappClassLoader (api-2)"));
        assert_eq!(of(tomcat, Some("")), shown("ParallelWebappClassLoader (ROOT)"));
        assert_eq!(
            of("org.springframework.boot.loader.launch.LaunchedClassLoader", None),
            shown("LaunchedClassLoader")
        );
        assert_eq!(of("a.Plugins$Loader", Some("plugin-7")), shown("Plugins$Loader (plugin-*)"));
    }

    #[test]
    fn a_method_is_read_once_and_loaders_beyond_a_limit_are_one() {
        let (loaders, sites) = (Loaders::default(), SiteTable::new(0));
        let facts = |at: u64| Some(Some(LoaderFacts { class: format!("a.Loader{at}x"), name: None }));
        let first = loaders.of_method(&sites, 0, || facts(0));
        assert_eq!(loaders.of_method(&sites, 0, || panic!("it is known")), first);
        assert_eq!(loaders.of_method(&sites, 1, || None), None, "its class is gone");
        let last = (1..2 * MOST as u64).filter_map(|at| loaders.of_method(&sites, at, || facts(at))).last();
        let shown = last.and_then(|loader| sites.frame(loader.frame)?.loader());
        assert_eq!(shown, Some(OTHERS));
        assert_eq!(sites.frames_since(0).count(), MOST + 1);
        loaders.forget(|method| method > 5);
        assert_ne!(loaders.of_method(&sites, 0, || facts(1)), first, "another class has its number now");
    }
}
