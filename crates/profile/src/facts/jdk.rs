//! Which classes are the JDK's own.
//!
//! Not here: which frames are blamed where the user says so (`blame`).

/// Beginnings of the names of the JDK's classes.
pub const JDK_PACKAGES: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

/// Whether a class is the JDK's own, by its name as `Class.getName()` gives it. Arrays are not looked into.
pub fn is_of_the_jdk(class: &str) -> bool {
    JDK_PACKAGES.iter().any(|package| class.starts_with(package))
}

/// Whether a class is of the program or a library of its: neither the JDK's own nor an array.
pub fn is_of_the_program(class: &str) -> bool {
    !class.starts_with('[') && !is_of_the_jdk(class)
}
