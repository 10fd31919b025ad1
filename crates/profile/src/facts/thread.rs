//! Whose thread allocates, and whose class loader's code: the outermost frames of a stack, where that was recorded (`#threads`, `#loaders`).
//! The thread's is the outermost: its class is [`CLASS`], its method the name of the thread's pool. The loader's, of [`LOADER_CLASS`], is the
//! outermost but that. They are nobody's code: no row is charged to them.
//!
//! Not here: how the names of a pool's threads are made one (`pool`), how names are read, which is the agent's.

use crate::facts::frame::Frame;
use crate::facts::stack::Stack;

/// The class of frames that name a thread's pool.
const CLASS: &str = "<thread>";
/// The class of frames that name a class loader.
const LOADER_CLASS: &str = "<loader>";

impl Frame {
    /// The frame that names a thread's pool.
    pub fn of_thread(pool: &str) -> Self {
        Self { class: CLASS.into(), method: pool.into(), ..Self::default() }
    }

    /// The pool that it names, if it is such a frame.
    pub fn thread(&self) -> Option<&str> {
        (&*self.class == CLASS).then_some(&*self.method)
    }

    /// The frame that names a class loader.
    pub fn of_loader(name: &str) -> Self {
        Self { class: LOADER_CLASS.into(), method: name.into(), ..Self::default() }
    }

    /// The class loader that it names, if it is such a frame.
    pub fn loader(&self) -> Option<&str> {
        (&*self.class == LOADER_CLASS).then_some(&*self.method)
    }

    /// Whether it is a method's: not one that names a thread's pool or a class loader.
    pub fn is_code(&self) -> bool {
        self.thread().is_none() && self.loader().is_none()
    }
}

impl Stack {
    /// The pool of the thread that it was taken on, if that was recorded.
    pub fn thread(&self) -> Option<&str> {
        self.iter().last()?.thread()
    }

    /// The loader of the innermost code that is not the JDK's, if that was recorded.
    pub fn loader(&self) -> Option<&str> {
        self.iter().filter_map(Frame::loader).last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::blame::BlameRules;

    fn stack(classes: &[&str]) -> Stack {
        let frame = |class: &&str| Frame { class: (*class).into(), method: "m".into(), ..Frame::default() };
        classes.iter().map(frame).chain([Frame::of_thread("qtp*-*")]).collect()
    }

    #[test]
    fn the_outermost_frame_names_the_thread_and_nothing_is_charged_to_it() {
        let (program, jdk) = (stack(&["java.util.Map", "a.Shop"]), stack(&["java.util.Map"]));
        assert_eq!([&program, &jdk].map(Stack::thread), [Some("qtp*-*"); 2]);
        let shown = |stack: &Stack| stack.shown_frame().map(|frame| frame.class.to_string());
        assert_eq!([shown(&program), shown(&jdk)], ["a.Shop", "java.util.Map"].map(|it| Some(it.to_owned())));
        assert_eq!((program.own_frames().count(), jdk.own_frames().count()), (1, 0));
        assert_eq!(jdk.maker_frame().map(|frame| &*frame.class), Some("java.util.Map"));
        let rules = BlameRules::outside_the_jdk();
        assert_eq!(rules.charged(&jdk).map(|frame| &*frame.class), Some("java.util.Map"));
        assert_eq!(rules.considered(&program).len(), 1);
        assert!(rules.considered(&jdk).is_empty());
        assert_eq!(Stack::from(vec![Frame::default()]).thread(), None);
        let loaded: Stack =
            [Frame::default(), Frame::of_loader("app"), Frame::of_thread("main")].into_iter().collect();
        assert_eq!((loaded.loader(), loaded.thread()), (Some("app"), Some("main")));
        assert_eq!((program.loader(), loaded.own_frames().count()), (None, 1));
    }
}
