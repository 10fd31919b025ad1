//! By what stacks are grouped beside their code, where that was recorded: dimensions of sites.
//!
//! Not here: what each group is, which is the business of the frame that names it (`thread`).

use crate::facts::stack::Stack;

/// A dimension of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grouping {
    /// The pool of the thread that allocates (`#threads`).
    Pool,
}

impl Grouping {
    /// All of them, in the order in which files have them.
    pub const ALL: [Self; 1] = [Self::Pool];

    /// Its name in files and addresses.
    pub fn key(self) -> &'static str {
        match self {
            Self::Pool => "pool",
        }
    }

    /// What its groups are, as a heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Pool => "Thread pools",
        }
    }

    /// The group of a stack; `None`: it was not recorded.
    pub fn of(self, stack: &Stack) -> Option<&str> {
        match self {
            Self::Pool => stack.thread(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::frame::Frame;

    #[test]
    fn a_stack_is_of_the_pool_that_it_names() {
        let code = Frame { class: "a.B".into(), method: "c".into(), ..Frame::default() };
        let of = |frames: Vec<Frame>| Grouping::Pool.of(&Stack::from(frames)).map(str::to_owned);
        assert_eq!(of(vec![code.clone(), Frame::of_thread("main")]).as_deref(), Some("main"));
        assert_eq!(of(vec![code]), None);
    }
}
