//! By what stacks are grouped beside their code, where that was recorded: dimensions of sites.
//!
//! Not here: what each group is, which is the business of the frame that names it (`thread`).

use crate::facts::stack::Stack;

/// A dimension of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grouping {
    /// The pool of the thread that allocates (`#threads`).
    Pool,
    /// The class loader whose code allocates (`#loaders`).
    Loader,
}

impl Grouping {
    /// All of them, in the order in which files have them.
    pub const ALL: [Self; 2] = [Self::Pool, Self::Loader];

    /// Its name in files and addresses.
    pub fn key(self) -> &'static str {
        match self {
            Self::Pool => "pool",
            Self::Loader => "loader",
        }
    }

    /// What its groups are, as a heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Pool => "Thread pools",
            Self::Loader => "Class loaders",
        }
    }

    /// The group of a stack; `None`: it was not recorded.
    pub fn of(self, stack: &Stack) -> Option<&str> {
        match self {
            Self::Pool => stack.thread(),
            Self::Loader => stack.loader(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::frame::Frame;

    #[test]
    fn a_stack_is_of_the_pool_and_the_loader_that_it_names() {
        let code = Frame { class: "a.B".into(), method: "c".into(), ..Frame::default() };
        let of = |frames: Vec<Frame>| {
            let stack = Stack::from(frames);
            Grouping::ALL.map(|grouping| grouping.of(&stack).map(str::to_owned))
        };
        let (main, app) = (Some("main".to_owned()), Some("app".to_owned()));
        assert_eq!(of(vec![code.clone(), Frame::of_thread("main")]), [main.clone(), None]);
        assert_eq!(of(vec![code.clone(), Frame::of_loader("app")]), [None, app.clone()]);
        assert_eq!(of(vec![code.clone(), Frame::of_loader("app"), Frame::of_thread("main")]), [main, app]);
        assert_eq!(of(vec![code]), [None, None]);
    }
}
