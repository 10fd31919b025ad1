//! The binary form as graph and histogram. Every offset is checked before it is followed.

use rustc_hash::FxHashMap;

use super::layout::{HEADER, MAGIC, OBJECT, OF_INSTANCES};
use crate::compat::xml::Loader;
use crate::error::HeapError;
use crate::graph::Graph;
use crate::progress::Progress;
use crate::symbols::jvm_text;
use mayfly_counts::{HeapSummary, Total};

/// How often progress is told: after so many objects.
const STEP: usize = 1 << 16;

/// Reads a dump as a graph.
///
/// # Errors
/// The bytes are no such dump, cut off, damaged, or with more objects than a graph can hold.
pub fn read(bytes: &[u8], progress: Progress<'_>) -> Result<Graph, HeapError> {
    let file = File::open(bytes)?;
    let mut loader = Loader::new(jvm_text);
    file.check_instances(&mut |at, class, size| {
        loader.object(at as u64, class, size).map_err(|what| HeapError::corrupt(at, what))
    })?;
    let mut statics = file.statics();
    let (mut out, mut incoming) = (0, 0);
    file.each_object(progress, &mut |object| {
        for (place, name, to) in object.references(&file, object.out()) {
            let taken = loader.reference(Some(object.at as u64), file.name(place, name)?, offset(place, to)?);
            taken.map_err(|what| HeapError::corrupt(place, what))?;
            out += 1;
        }
        for (place, name, from) in object.references(&file, object.incoming()) {
            let name = file.checked_name(place, name)?;
            match from {
                0 => statics.push((name, object.at, place)),
                _ if !loader.knows(offset(place, from)?) => {
                    return Err(HeapError::corrupt(place, "a reference comes from where no object is"));
                }
                _ => incoming += 1,
            }
        }
        Ok(())
    })?;
    if out != incoming {
        let what = format!("{out} references go out from objects, and {incoming} come in");
        return Err(HeapError::corrupt(file.objects, what));
    }
    // Told twice: with the name, and with the object.
    statics.sort_by_key(|&(name, to, _)| (name, to));
    statics.dedup_by_key(|&mut (name, to, _)| (name, to));
    for (name, to, place) in statics {
        let taken = loader.reference(None, file.refs[&name].name, to as u64);
        taken.map_err(|what| HeapError::corrupt(place, what))?;
    }
    loader.finish()
}

/// Objects and bytes by class.
///
/// # Errors
/// As for [`read`], but references are not looked at.
pub fn histogram(bytes: &[u8], progress: Progress<'_>) -> Result<HeapSummary, HeapError> {
    let file = File::open(bytes)?;
    let mut classes: FxHashMap<&[u8], Total> = FxHashMap::default();
    let mut left: usize = file.classes.values().map(|class| class.count).sum();
    file.each_object(progress, &mut |object| {
        left = left.wrapping_sub(1);
        classes.entry(file.class(object.at)?.name).or_default().add(Total::one(file.size(object.at)?));
        Ok(())
    })?;
    if left != 0 {
        return Err(HeapError::truncated(bytes.len(), "an object that a class has"));
    }
    Ok(classes.into_iter().map(|(name, total)| (jvm_text(name), total)).collect())
}

/// A file whose tables of classes and references have been read.
struct File<'a> {
    bytes: &'a [u8],
    /// By offset.
    classes: FxHashMap<usize, ClassType<'a>>,
    /// By offset.
    refs: FxHashMap<usize, RefType<'a>>,
    /// Where the objects begin.
    objects: usize,
}

struct ClassType<'a> {
    name: &'a [u8],
    count: usize,
    /// Where the offsets of its instances are.
    instances: usize,
}

struct RefType<'a> {
    name: &'a [u8],
    /// Of the object that a static field refers to.
    to: Option<usize>,
    /// Where that is said.
    place: usize,
}

/// An object's place, and how many references it has.
#[derive(Clone, Copy)]
struct Placed {
    at: usize,
    out: usize,
    incoming: usize,
}

impl Placed {
    fn out(self) -> (usize, usize) {
        (self.at + OBJECT, self.out)
    }

    fn incoming(self) -> (usize, usize) {
        (self.at + OBJECT + 8 * self.out, self.incoming)
    }

    fn end(self) -> usize {
        self.at + OBJECT + 8 * (self.out + self.incoming)
    }

    /// Where each of some references is, and its two numbers.
    fn references<'f>(
        self,
        file: &'f File<'_>,
        (at, count): (usize, usize),
    ) -> impl Iterator<Item = (usize, i32, i32)> + 'f {
        // They lie before the end, which was checked.
        (0..count).map(move |index| at + 8 * index).map(|place| (place, file.int(place), file.int(place + 4)))
    }
}

impl<'a> File<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, HeapError> {
        if !bytes.starts_with(MAGIC) {
            return Err(HeapError::Foreign);
        }
        if bytes.len() < HEADER {
            return Err(HeapError::truncated(0, "the header"));
        }
        let mut file = Self { bytes, classes: FxHashMap::default(), refs: FxHashMap::default(), objects: 0 };
        let refs = offset(4, file.int(4))? as usize;
        file.objects = offset(8, file.int(8))? as usize;
        if refs < HEADER || file.objects < refs {
            return Err(HeapError::corrupt(4, "classes, references and objects do not follow each other"));
        }
        if bytes.len() < file.objects {
            return Err(HeapError::truncated(bytes.len(), "the table of classes and references"));
        }
        file.read_classes(refs)?;
        file.read_refs(refs)?;
        Ok(file)
    }

    fn read_classes(&mut self, end: usize) -> Result<(), HeapError> {
        let mut at = HEADER;
        while at < end {
            let (name, behind) = self.string(at, end)?;
            let count = self.length(behind, end)?;
            let instances = behind + 4;
            let next = instances + 4 * count;
            if next > end {
                return Err(HeapError::corrupt(
                    at,
                    "the objects of a class do not end before the references",
                ));
            }
            self.classes.insert(at, ClassType { name, count, instances });
            at = next;
        }
        Ok(())
    }

    fn read_refs(&mut self, begin: usize) -> Result<(), HeapError> {
        let mut at = begin;
        while at < self.objects {
            let (name, place) = self.string(at, self.objects)?;
            if place + 4 > self.objects {
                return Err(HeapError::corrupt(at, "a reference does not end before the objects"));
            }
            let to = match self.int(place) {
                OF_INSTANCES | 0 => None,
                to => Some(offset(place, to)? as usize),
            };
            self.refs.insert(at, RefType { name, to, place });
            at = place + 4;
        }
        Ok(())
    }

    /// A number that lies within the bytes.
    fn int(&self, at: usize) -> i32 {
        let four = self.bytes.get(at..at + 4).and_then(|four| four.first_chunk());
        four.map_or(0, |four| i32::from_be_bytes(*four))
    }

    /// A number of things of which there are none less than none.
    fn length(&self, at: usize, end: usize) -> Result<usize, HeapError> {
        if at + 4 > end {
            return Err(HeapError::corrupt(at, "a number does not end where it should"));
        }
        usize::try_from(self.int(at)).map_err(|_| HeapError::corrupt(at, "a number is negative"))
    }

    /// A text, and what is behind it.
    fn string(&self, at: usize, end: usize) -> Result<(&'a [u8], usize), HeapError> {
        let length = self.length(at, end)?;
        let text = self.bytes[..end].get(at + 4..at + 4 + length);
        let text = text.ok_or_else(|| HeapError::corrupt(at, "a name does not end where it should"))?;
        Ok((text, at + 4 + length))
    }

    /// All objects, in their order; each lies within the bytes.
    fn each_object(
        &self,
        progress: Progress<'_>,
        visit: &mut dyn FnMut(Placed) -> Result<(), HeapError>,
    ) -> Result<(), HeapError> {
        let (mut at, mut count) = (self.objects, 0);
        while at < self.bytes.len() {
            if at + OBJECT > self.bytes.len() {
                return Err(HeapError::truncated(at, "an object"));
            }
            let [out, incoming] = [self.length(at + 8, at + 12)?, self.length(at + 12, at + 16)?];
            let object = Placed { at, out, incoming };
            if object.end() > self.bytes.len() {
                return Err(HeapError::truncated(at, "an object's references"));
            }
            visit(object)?;
            at = object.end();
            count += 1;
            if count % STEP == 0 {
                progress(at as u64, self.bytes.len() as u64);
            }
        }
        progress(at as u64, self.bytes.len() as u64);
        Ok(())
    }

    /// All objects: where, class, size; each is among the instances of its class, and there are no others.
    fn check_instances(
        &self,
        visit: &mut dyn FnMut(usize, &'a [u8], u64) -> Result<(), HeapError>,
    ) -> Result<(), HeapError> {
        let mut seen: FxHashMap<usize, usize> = FxHashMap::default();
        self.each_object(&mut |_, _| {}, &mut |object| {
            let class = self.class(object.at)?;
            let number = seen.entry(class.instances).or_default();
            let told = class.instances + 4 * *number;
            if *number == class.count || self.int(told) as usize != object.at {
                // INSANE's own files tell them in another order than they lie in.
                let all = (0..class.count).map(|index| self.int(class.instances + 4 * index) as usize);
                if !all.into_iter().any(|at| at == object.at) {
                    return Err(HeapError::corrupt(object.at, "its class does not know of an object"));
                }
            }
            *number += 1;
            visit(object.at, class.name, self.size(object.at)?)
        })?;
        match self
            .classes
            .values()
            .find(|class| seen.get(&class.instances).map_or(0, |seen| *seen) != class.count)
        {
            Some(class) => {
                Err(HeapError::corrupt(class.instances - 4, "a class has another number of objects"))
            }
            None => Ok(()),
        }
    }

    fn class(&self, object: usize) -> Result<&ClassType<'a>, HeapError> {
        let class = offset(object, self.int(object))? as usize;
        self.classes
            .get(&class)
            .ok_or_else(|| HeapError::corrupt(object, "no class is where an object's should be"))
    }

    fn size(&self, object: usize) -> Result<u64, HeapError> {
        Ok(self.length(object + 4, object + 8)? as u64)
    }

    /// The name of a reference that is said at `place`.
    fn name(&self, place: usize, name: i32) -> Result<&'a [u8], HeapError> {
        Ok(self.refs[&self.checked_name(place, name)?].name)
    }

    fn checked_name(&self, place: usize, name: i32) -> Result<usize, HeapError> {
        let name = offset(place, name)? as usize;
        if self.refs.contains_key(&name) {
            return Ok(name);
        }
        Err(HeapError::corrupt(place, "no name is where a reference's should be"))
    }

    /// The static fields that say what they refer to: name, object, and where that is said.
    fn statics(&self) -> Vec<(usize, usize, usize)> {
        self.refs.iter().filter_map(|(&at, told)| Some((at, told.to?, told.place))).collect()
    }
}

/// What is written at `place` as an offset.
fn offset(place: usize, number: i32) -> Result<u64, HeapError> {
    u64::try_from(number).map_err(|_| HeapError::corrupt(place, "an offset is negative"))
}
