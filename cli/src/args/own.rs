//! Whose code rows are charged to.

use clap::Args;
use mayfly_profile::OwnCode;

/// What is the program's own.
#[derive(Debug, Default, Args)]
pub(crate) struct OwnArgs {
    /// Charge rows to the first frame of a class whose name starts with PREFIX, commas between several [default: the
    /// first that is not the JDK's]
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    own: Vec<String>,

    /// Fold frames of classes whose name starts with PREFIX into their callers, commas between several; the word
    /// frameworks stands for a list of well-known ones (Spring, Tomcat, Netty, Hibernate, ...)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    not_own: Vec<String>,
}

impl OwnArgs {
    pub(crate) fn code(&self) -> OwnCode {
        OwnCode { own: self.own.clone(), not_own: self.not_own.clone() }
    }
}
