//! What follows from the classes of a dump together: which field a JVMTI index means.
//!
//! Not here: strengths and loaders (`loading`), which all formats share.

use std::collections::HashSet;

use super::decoder::{ClassRecord, FieldRecord};
use super::facts::Number;

/// The classes of a dump, by number.
#[derive(Debug, Default)]
pub(crate) struct ClassTable<'a> {
    classes: Vec<ClassRecord<'a>>,
}

impl<'a> ClassTable<'a> {
    /// Adds the class of the next number.
    pub(crate) fn push(&mut self, class: ClassRecord<'a>) {
        self.classes.push(class);
    }

    /// Number of classes.
    pub(crate) fn len(&self) -> u32 {
        self.classes.len() as u32
    }

    /// A class; none for 0.
    pub(crate) fn get(&self, number: Number) -> Option<&ClassRecord<'a>> {
        self.classes.get((number.0 as usize).checked_sub(1)?)
    }

    /// All classes with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Number, &ClassRecord<'a>)> {
        self.classes.iter().enumerate().map(|(index, class)| (Number(index as u32 + 1), class))
    }

    /// A class and its superclasses, nearest first.
    pub(crate) fn ancestry(&self, class: Number) -> Vec<Number> {
        let mut chain = Vec::new();
        let (mut seen, mut next) = (HashSet::new(), class);
        while let Some(record) = self.get(next) {
            if !seen.insert(next) {
                break;
            }
            chain.push(next);
            next = record.superclass;
        }
        chain
    }

    /// The fields of a class by JVMTI field index (`jvmtiHeapReferenceInfoField`): first come as many as all its
    /// interfaces declare together, each counted once; then the fields of its superclasses, from `Object` on; then its own. Of an
    /// interface: first those of its superinterfaces, then its own. The number returned with them is the index of the first.
    pub(crate) fn fields(&self, class: Number) -> (usize, Vec<(Number, FieldRecord<'a>)>) {
        let mut chain = self.ancestry(class);
        let first = self.interface_fields(&chain, class);
        chain.reverse();
        let fields = chain.into_iter().flat_map(|declaring| {
            let own = self.get(declaring).map_or(&[][..], |record| &record.fields);
            own.iter().map(move |field| (declaring, *field))
        });
        (first, fields.collect())
    }

    /// How many fields the interfaces of a class declare.
    fn interface_fields(&self, chain: &[Number], class: Number) -> usize {
        let mut seen = HashSet::new();
        let mut open: Vec<Number> = chain.to_vec();
        let mut count = 0;
        while let Some(number) = open.pop() {
            for &interface in self.get(number).map_or(&[][..], |record| &record.interfaces) {
                if interface != class && seen.insert(interface) {
                    count += self.get(interface).map_or(0, |record| record.fields.len());
                    open.push(interface);
                }
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(superclass: u32, interfaces: &[u32], fields: &[&'static str]) -> ClassRecord<'static> {
        ClassRecord {
            superclass: Number(superclass),
            interfaces: interfaces.iter().copied().map(Number).collect(),
            fields: fields.iter().map(|name| FieldRecord { name, ..FieldRecord::default() }).collect(),
            ..ClassRecord::default()
        }
    }

    /// The example of the JVMTI specification (`jvmtiHeapReferenceInfoField`): `I0 { int p = 0; }`,
    /// `I1 extends I0 { int x = 1; }`, `I2 extends I0 { int y = 2; }`, `C1 implements I1 { static int a = 3; int b; }`,
    /// `C2 extends C1 implements I2 { static int q = 6; int r = 7; }`. Indices: I0.p 0, I1.x 1, I2.y 1; C1: a 2, b 3; C2: a 3, b 4,
    /// q 5, r 6.
    #[test]
    fn field_indices_are_those_of_the_specification() {
        let mut table = ClassTable::default();
        for record in [
            class(0, &[], &[]),          // 1 Object
            class(1, &[], &["p"]),       // 2 I0
            class(1, &[2], &["x"]),      // 3 I1
            class(1, &[2], &["y"]),      // 4 I2
            class(1, &[3], &["a", "b"]), // 5 C1
            class(5, &[4], &["q", "r"]), // 6 C2
        ] {
            table.push(record);
        }
        let indices = |number| {
            let (first, fields) = table.fields(Number(number));
            fields.iter().enumerate().map(|(at, field)| (field.1.name, first + at)).collect::<Vec<_>>()
        };
        assert_eq!(indices(2), [("p", 0)]);
        assert_eq!(indices(3), [("x", 1)]);
        assert_eq!(indices(4), [("y", 1)]);
        assert_eq!(indices(5), [("a", 2), ("b", 3)]);
        assert_eq!(indices(6), [("a", 3), ("b", 4), ("q", 5), ("r", 6)]);
    }

    #[test]
    fn classes_that_are_their_own_ancestors_end() {
        let mut table = ClassTable::default();
        table.push(class(2, &[1, 2], &["a"]));
        table.push(class(1, &[2, 9], &["b"]));
        assert_eq!(table.ancestry(Number(1)), [Number(1), Number(2)]);
        assert_eq!(table.fields(Number(1)).0, 1, "its other interface, once");
    }
}
