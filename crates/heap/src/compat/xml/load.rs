//! INSANE's dumps as graph, histogram and texts. Linear in the length of the file, however many references meet in one object.
//!
//! The format tells neither roots nor superclasses. An object that nothing refers to is taken for a root. Statics belong to a
//! `java.lang.Class` of 0 bytes that is made up here; how strong a reference object is follows from the names of the JDK's.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::element::{Element, Elements, text_of};
use crate::builder::GraphBuilder;
use crate::edge::{EdgeName, Strength};
use crate::error::HeapError;
use crate::graph::{Class, Graph};
use crate::index::{ClassIndex, ObjectIndex};
use crate::loading::REFERENT;
use crate::progress::Progress;
use crate::root::RootKind;
use crate::text::{Text, TextEncoding};
use mayfly_counts::{HeapSummary, Total};

/// How often progress is told: after so many elements.
const STEP: usize = 1 << 16;

fn each<'a>(
    bytes: &'a [u8],
    progress: Progress<'_>,
    mut visit: impl FnMut(usize, Element<'a>) -> Result<(), HeapError>,
) -> Result<(), HeapError> {
    let mut elements = Elements::new(bytes)?;
    let mut count = 0;
    while let Some((at, element)) = elements.next()? {
        visit(at, element)?;
        count += 1;
        if count % STEP == 0 {
            progress(elements.at() as u64, bytes.len() as u64);
        }
    }
    progress(bytes.len() as u64, bytes.len() as u64);
    Ok(())
}

/// Objects and bytes by class.
///
/// # Errors
/// As for [`read`], but references are not looked at.
pub fn histogram(bytes: &[u8], progress: Progress<'_>) -> Result<HeapSummary, HeapError> {
    let mut classes: FxHashMap<&[u8], Total> = FxHashMap::default();
    each(bytes, progress, |_, element| {
        if let Element::Object { class, size, .. } = element {
            classes.entry(class).or_default().add(Total::one(size));
        }
        Ok(())
    })?;
    Ok(classes.into_iter().map(|(name, total)| (text_of(name), total)).collect())
}

/// Calls `visit` for each text, which is an array of characters here, not a string.
pub(crate) fn visit_texts<'a>(
    bytes: &'a [u8],
    progress: Progress<'_>,
    visit: &mut dyn FnMut(Text<'a>),
) -> Result<(), HeapError> {
    each(bytes, progress, |_, element| {
        if let Element::Object { id, value: Some(kept), .. } = element {
            visit(Text { id, length: kept.len() as u64, kept, encoding: TextEncoding::Latin1 });
        }
        Ok(())
    })
}

/// Reads a dump as a graph.
///
/// # Errors
/// The bytes are no such dump, cut off, damaged, or with more objects than a graph can hold.
pub fn read(bytes: &[u8], progress: Progress<'_>) -> Result<Graph, HeapError> {
    let mut loader = Loader::new(text_of);
    each(bytes, progress, |at, element| {
        let taken = match element {
            Element::Object { id, class, size, .. } => loader.object(id, class, size),
            Element::Reference { from, name, to } => loader.reference(from, name, to),
        };
        taken.map_err(|what| HeapError::corrupt(at, what))
    })?;
    loader.finish()
}

/// A graph in the making, of what both of INSANE's formats tell. Names are as the file has them.
pub(crate) struct Loader<'a> {
    text_of: fn(&[u8]) -> Cow<'_, str>,
    builder: GraphBuilder,
    objects: FxHashMap<u64, ObjectIndex>,
    classes: FxHashMap<&'a [u8], ClassIndex>,
    /// Whether something refers to an object.
    referred: Vec<bool>,
    /// Whether an object is an array, by class.
    arrays: Vec<bool>,
    /// How strong a referent is, by class of the reference object.
    strengths: Vec<Strength>,
    class_of: Vec<ClassIndex>,
    /// The name of a field, as the file has it, and whether it is a referent.
    fields: FxHashMap<(&'a [u8], Strength), u32>,
    statics: Vec<(&'a [u8], ObjectIndex)>,
}

impl<'a> Loader<'a> {
    /// `text_of` is the text of a name.
    pub(crate) fn new(text_of: fn(&[u8]) -> Cow<'_, str>) -> Self {
        Self {
            text_of,
            builder: GraphBuilder::default(),
            objects: FxHashMap::default(),
            classes: FxHashMap::default(),
            referred: Vec::new(),
            arrays: Vec::new(),
            strengths: Vec::new(),
            class_of: Vec::new(),
            fields: FxHashMap::default(),
            statics: Vec::new(),
        }
    }

    /// An object.
    ///
    /// # Errors
    /// What can't be, in words.
    pub(crate) fn object(&mut self, id: u64, class: &'a [u8], size: u64) -> Result<(), &'static str> {
        let class = self.class(class);
        let object = self.builder.object(id, class, size);
        if self.objects.insert(id, object).is_some() {
            return Err("an object has the id of another one");
        }
        self.referred.push(false);
        self.class_of.push(class);
        Ok(())
    }

    fn class(&mut self, name: &'a [u8]) -> ClassIndex {
        if let Some(&class) = self.classes.get(name) {
            return class;
        }
        let text = (self.text_of)(name);
        let class = self.builder.class(Class { name: (&*text).into(), ..Class::default() });
        self.arrays.push(text.starts_with('['));
        self.strengths.push(strength_of(&text));
        self.classes.insert(name, class);
        class
    }

    /// Whether an object of this id was told.
    pub(crate) fn knows(&self, id: u64) -> bool {
        self.objects.contains_key(&id)
    }

    /// A reference between objects told before; from nothing, one of a static field.
    ///
    /// # Errors
    /// What can't be, in words.
    pub(crate) fn reference(
        &mut self,
        from: Option<u64>,
        name: &'a [u8],
        to: u64,
    ) -> Result<(), &'static str> {
        let known =
            |id| self.objects.get(&id).copied().ok_or("a reference names an object before it is written");
        let to = known(to)?;
        let from = from.map(known).transpose()?;
        self.referred[to.0 as usize] = true;
        let Some(from) = from else {
            self.statics.push((name, to));
            return Ok(());
        };
        let class = self.class_of[from.0 as usize].0 as usize;
        if self.arrays[class] {
            let index = std::str::from_utf8(name).ok().and_then(|digits| digits.parse::<i32>().ok());
            let index = index.and_then(|index| u32::try_from(index).ok()).ok_or("an element has no index")?;
            self.builder.element(from, index, to);
        } else {
            let name = self.field(name, self.strengths[class]);
            self.builder.edge(from, name, to);
        }
        Ok(())
    }

    fn field(&mut self, name: &'a [u8], referent: Strength) -> u32 {
        if let Some(&number) = self.fields.get(&(name, referent)) {
            return number;
        }
        let text = (self.text_of)(name);
        let (declaring, field) = text.rsplit_once('.').unwrap_or(("?", &*text));
        let strength = if (declaring, field) == REFERENT { referent } else { Strength::Strong };
        let declaring = self.named_class(declaring);
        let number = self.builder.name(EdgeName::Field { declaring, name: field.into(), strength });
        self.fields.insert((name, referent), number);
        number
    }

    /// A class by its name, which may have no objects.
    fn named_class(&mut self, name: &str) -> ClassIndex {
        if let Some(&class) = self.classes.get(name.as_bytes()) {
            return class;
        }
        // Not among `classes`: the name does not lie in the file by itself. There is one per class and field at the most.
        self.arrays.push(false);
        self.strengths.push(Strength::Weak);
        self.builder.class(Class { name: name.into(), ..Class::default() })
    }

    /// The graph. What nothing refers to is a root.
    ///
    /// # Errors
    /// It is too large.
    pub(crate) fn finish(mut self) -> Result<Graph, HeapError> {
        let unreferred: Vec<_> =
            self.referred.iter().enumerate().filter(|(_, referred)| !**referred).collect();
        for (object, _) in unreferred {
            self.builder.root(ObjectIndex(object as u32), RootKind::Other("root of the scan".into()));
        }
        let mut mirrors: FxHashMap<String, (ClassIndex, ObjectIndex)> = FxHashMap::default();
        let highest = self.objects.keys().copied().max().unwrap_or(0);
        for (name, to) in std::mem::take(&mut self.statics) {
            let text = (self.text_of)(name);
            let (declaring, field) = text.rsplit_once('.').unwrap_or(("?", &*text));
            let (declaring, mirror) = match mirrors.get(declaring) {
                Some(&known) => known,
                None => {
                    let class = self.named_class(declaring);
                    let id = highest.wrapping_add(mirrors.len() as u64 + 1);
                    let of_classes = self.class(b"java.lang.Class");
                    let mirror = self.builder.object(id, of_classes, 0);
                    self.builder.class_mut(class).mirror = Some(mirror);
                    self.builder.root(mirror, RootKind::SystemClass);
                    mirrors.insert(declaring.to_owned(), (class, mirror));
                    (class, mirror)
                }
            };
            let name = EdgeName::Static { declaring, name: field.into(), type_name: None };
            let name = self.builder.name(name);
            self.builder.edge(mirror, name, to);
        }
        Ok(self.builder.finish()?)
    }
}

/// How strong the reference objects of a class are, by its name alone: those of the JDK are known, and most others are weak.
fn strength_of(class: &str) -> Strength {
    match class {
        "java.lang.ref.SoftReference"
        | "java.lang.invoke.LambdaFormEditor$Transform"
        | "sun.security.util.MemoryCache$SoftCacheEntry"
        | "java.util.ResourceBundle$BundleReference" => Strength::Soft,
        "java.lang.ref.PhantomReference"
        | "java.lang.ref.Finalizer"
        | "java.lang.ref.FinalReference"
        | "sun.misc.Cleaner"
        | "jdk.internal.ref.Cleaner"
        | "jdk.internal.ref.CleanerImpl$PhantomCleanableRef" => Strength::Phantom,
        _ => Strength::Weak,
    }
}
