//! Which objects of a dump are still there in a later one: what tells growth from turnover.

use super::outline::Outline;
use super::tree::NodeIndex;

/// How the objects of one node came and went, as numbers of each dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stay {
    /// Of those in the last dump, how many were there already; the last is all of them.
    pub present: Vec<u64>,
    /// Of those in the first dump, how many still are.
    pub first: Vec<u64>,
    /// Of those in the second dump, how many are, before and after.
    pub second: Vec<u64>,
}

/// The same of all nodes.
#[derive(Debug)]
pub(super) struct Stays {
    dumps: usize,
    present: Vec<u64>,
    first: Vec<u64>,
    second: Vec<u64>,
}

impl Stays {
    /// None if ids are not the same in all dumps.
    pub(super) fn of(dumps: &[Outline]) -> Option<Self> {
        let ids: Option<Vec<_>> = dumps.iter().map(|dump| dump.by_identity.as_ref().map(Vec::len)).collect();
        let counts = |dump: &Outline| vec![0; dump.tree.nodes.len() * dumps.len()];
        let mut stays = Self {
            dumps: dumps.len(),
            present: counts(dumps.last()?),
            first: counts(dumps.first()?),
            second: counts(dumps.get(1)?),
        };
        for id in 0..ids?.into_iter().max()? {
            stays.add(dumps, id);
        }
        Some(stays)
    }

    fn add(&mut self, dumps: &[Outline], id: usize) {
        let of = [dumps.len() - 1, 0, 1].map(|dump| dumps[dump].place(id) as usize);
        if of == [0; 3] {
            return;
        }
        for at in (0..dumps.len()).filter(|&dump| dumps[dump].place(id) != 0) {
            for (counts, node) in [&mut self.present, &mut self.first, &mut self.second].into_iter().zip(of) {
                if node != 0 {
                    counts[node * self.dumps + at] += 1;
                }
            }
        }
    }

    /// Of the last dump's node, and of the same one in the first and the second, as far as it is there.
    pub(super) fn get(&self, last: NodeIndex, first: Option<NodeIndex>, second: Option<NodeIndex>) -> Stay {
        let of = |counts: &[u64], node: Option<NodeIndex>| match node {
            Some(node) => counts[node as usize * self.dumps..][..self.dumps].to_vec(),
            None => vec![0; self.dumps],
        };
        Stay {
            present: of(&self.present, Some(last)),
            first: of(&self.first, first),
            second: of(&self.second, second),
        }
    }
}
