//! Which classes are the JDK's own.
//!
//! Not here: which frames are blamed where the user says so (`blame`).

use crate::frame::Frame;
use crate::stack::Stack;

/// Beginnings of the names of the JDK's classes.
pub const JDK_PACKAGES: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

/// In the names of classes that the JVM makes for lambdas.
const LAMBDA: &str = "$$Lambda";

/// The frame of a stack that is the program's own: the innermost that is not the JDK's, and rather who makes an object than its
/// constructor. Without any, the innermost; `None`: there is no stack.
pub fn own_frame(stack: &Stack) -> Option<&Frame> {
    let own = || stack.iter().filter(|frame| !is_of_the_jdk(&frame.class) && !frame.class.contains(LAMBDA));
    own().find(|frame| &*frame.method != "<init>").or_else(|| innermost_own_frame(stack))
}

/// As [`own_frame`], be it a constructor.
pub(crate) fn innermost_own_frame(stack: &Stack) -> Option<&Frame> {
    stack.iter().find(|frame| !is_of_the_jdk(&frame.class)).or_else(|| stack.first())
}

/// Whether a class is the JDK's own, by its name as `Class.getName()` gives it. Arrays are not looked into.
pub fn is_of_the_jdk(class: &str) -> bool {
    JDK_PACKAGES.iter().any(|package| class.starts_with(package))
}
