//! What events refer to by number: classes, methods, stacks, texts; as the checkpoint of a chunk.

use std::collections::HashMap;
use std::hash::Hash;

use mayfly_profile::{Frame, Stack};

use super::bytes::Bytes;
use super::types::Type;
use crate::pprof::id_of;

/// Rows of each type with their numbers, from 1 on; 0 is nothing.
#[derive(Debug, Default)]
pub(super) struct Pools {
    symbols: Pool<String>,
    classes: Pool<u64>,
    methods: Pool<(u64, u64)>,
    stacks: Pool<Vec<(u64, i32)>>,
    objects: Pool<(u64, u64)>,
}

#[derive(Debug)]
struct Pool<K> {
    ids: HashMap<K, u64>,
    rows: Vec<K>,
}

impl<K> Default for Pool<K> {
    fn default() -> Self {
        Self { ids: HashMap::new(), rows: Vec::new() }
    }
}

impl<K: Hash + Eq + Clone> Pool<K> {
    fn id(&mut self, key: K) -> u64 {
        let next = self.rows.len() as u64 + 1;
        id_of(&mut self.ids, key.clone(), next, || self.rows.push(key))
    }
}

impl Pools {
    pub(super) fn class(&mut self, name: &str) -> u64 {
        let name = self.symbols.id(name.replace('.', "/"));
        self.classes.id(name)
    }

    /// 0 where none was taken.
    pub(super) fn stack(&mut self, stack: &Stack, lines: bool) -> u64 {
        if stack.is_empty() {
            return 0;
        }
        let frames = stack.iter().map(|frame| self.frame(frame, lines)).collect();
        self.stacks.id(frames)
    }

    fn frame(&mut self, frame: &Frame, lines: bool) -> (u64, i32) {
        let (class, name) = (self.class(&frame.class), self.symbols.id(frame.method.to_string()));
        let line = frame.line.filter(|_| lines).and_then(|line| i32::try_from(line).ok());
        (self.methods.id((class, name)), line.unwrap_or(-1))
    }

    /// So many objects of a class, which are one here.
    pub(super) fn object(&mut self, class: u64, objects: u64) -> u64 {
        self.objects.id((class, objects))
    }

    /// All of them, as one event.
    pub(super) fn checkpoint(mut self) -> Vec<u8> {
        // What every method is said to take and give back: it is not known.
        let descriptor = self.symbols.id("()V".to_owned());
        let mut pools: Vec<(Type, Vec<Bytes>)> = Vec::new();
        let row = |fill: &dyn Fn(&mut Bytes)| {
            let mut row = Bytes::default();
            fill(&mut row);
            row
        };
        let symbols = self.symbols.rows.iter().map(|text| row(&|row| row.text(text)));
        pools.push((Type::SYMBOL, symbols.collect()));
        pools.push((Type::FRAME_TYPE, vec![row(&|row| row.text("JIT compiled"))]));
        let classes = self.classes.rows.iter().map(|&name| row(&|row| row.number(name)));
        pools.push((Type::CLASS, classes.collect()));
        let methods = self.methods.rows.iter().map(|&(class, name)| {
            row(&|row| {
                [class, name, descriptor, 0].into_iter().for_each(|number| row.number(number));
                row.flag(false);
            })
        });
        pools.push((Type::METHOD, methods.collect()));
        let stacks = self.stacks.rows.iter().map(|frames| {
            row(&|row| {
                row.flag(false);
                row.number(frames.len() as u64);
                for &(method, line) in frames {
                    row.number(method);
                    row.int(line);
                    // The bytecode is not known, and its type is the first there is.
                    row.int(0);
                    row.number(1);
                }
            })
        });
        pools.push((Type::STACK_TRACE, stacks.collect()));
        let objects = self.objects.rows.iter().map(|&(class, objects)| {
            row(&|row| {
                [0, class].into_iter().for_each(|number| row.number(number));
                row.text(&format!("{objects} objects"));
            })
        });
        pools.push((Type::OBJECT, objects.collect()));
        // A pool without a row is refused.
        pools.retain(|(_, rows)| !rows.is_empty());
        let mut event = Bytes::default();
        // When, for how long, no checkpoint before it.
        [0, 0, 0].into_iter().for_each(|number| event.number(number));
        event.flag(false);
        event.number(pools.len() as u64);
        for (kind, rows) in pools {
            event.number(kind.0);
            event.number(rows.len() as u64);
            for (row, id) in rows.iter().zip(1..) {
                event.number(id);
                event.append(row);
            }
        }
        event.of_type(Type::CHECKPOINT.0)
    }
}
