//! Frames as the program's source names them: compilers and the JVM split one method into several, of names that nobody wrote.
//!
//! The body of a lambda is a method of its own (`lambda$price$0`), a hidden class calls it (`Prices$$Lambda/0x…`), private members of
//! nested classes are reached by methods without a name (`access$000`), a framework calls a class through a generated one. Not here:
//! which frames are the program's own (`own_frame`).

use crate::facts::frame::Frame;

/// In the names of classes that the JVM makes for lambdas.
const LAMBDA: &str = "$$Lambda";
/// In the names of classes that frameworks make of the program's: what stands before is the program's class.
const GENERATED: [&str; 4] = ["$$SpringCGLIB", "$$EnhancerBy", "$$FastClass", "$$Proxy"];
/// Beginnings of the names of methods that a compiler makes to reach private members.
const ACCESS: &str = "access$";

impl Frame {
    /// Class and method as in the source: a lambda's body belongs to the method that it stands in.
    pub fn in_source(&self) -> (&str, &str) {
        (class_in_source(&self.class), method_in_source(&self.method))
    }

    /// Whether it only calls on: the class of a lambda, an access method.
    pub fn only_forwards(&self) -> bool {
        self.class.contains(LAMBDA) || self.method.starts_with(ACCESS)
    }
}

/// Without the numbers that the JVM gives, which differ from run to run.
fn class_in_source(class: &str) -> &str {
    // Of most names that is all, and frames are many.
    if !class.contains(['/', '$']) {
        return class;
    }
    let class = class.split_once("/0x").map_or(class, |(before, _)| before);
    if let Some((before, _)) = GENERATED.iter().find_map(|mark| class.split_once(mark))
        && !before.is_empty()
    {
        return before;
    }
    class.find(LAMBDA).map_or(class, |at| &class[..at + LAMBDA.len()])
}

fn method_in_source(method: &str) -> &str {
    let first_of = |rest: &'static str| method.strip_prefix(rest).and_then(|rest| rest.split('$').next());
    // javac, scalac, kotlinc.
    let named = first_of("lambda$").or_else(|| first_of("$anonfun$"));
    let named =
        named.or_else(|| ["$lambda$", "$lambda-"].iter().find_map(|mark| Some(method.split_once(mark)?.0)));
    match named.filter(|name| !name.is_empty()) {
        Some("new") => "<init>",
        Some("static") => "<clinit>",
        Some(name) => name,
        None => method,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_compilers_and_the_jvm_split_is_one_method() {
        for (class, method, wanted) in [
            ("a.Shop", "lambda$price$0", ("a.Shop", "price")),
            ("a.Shop", "lambda$new$3", ("a.Shop", "<init>")),
            ("a.Shop", "lambda$static$3", ("a.Shop", "<clinit>")),
            ("a.Shop$", "$anonfun$price$1", ("a.Shop$", "price")),
            ("a.ShopKt", "price$lambda$0", ("a.ShopKt", "price")),
            ("a.ShopKt", "price$lambda-0", ("a.ShopKt", "price")),
            ("a.Shop$$SpringCGLIB$$0", "price", ("a.Shop", "price")),
            ("a.Shop$$EnhancerBySpringCGLIB$$1a2b", "price", ("a.Shop", "price")),
            ("a.Shop$$Lambda$14/0x0000000800c03000", "get", ("a.Shop$$Lambda", "get")),
            ("a.Shop$$Lambda/0x00007f", "get", ("a.Shop$$Lambda", "get")),
            ("a.Hidden/0x00007f", "run", ("a.Hidden", "run")),
            ("a.Shop$1", "price", ("a.Shop$1", "price")),
            ("a.Shop", "lambda$", ("a.Shop", "lambda$")),
        ] {
            let frame = Frame { class: class.into(), method: method.into(), ..Frame::default() };
            assert_eq!(frame.in_source(), wanted);
        }
    }

    #[test]
    fn what_only_calls_on_is_known() {
        let frame = |class: &str, method: &str| Frame {
            class: class.into(),
            method: method.into(),
            ..Frame::default()
        };
        assert!(frame("a.Shop$$Lambda$14/0x08", "get").only_forwards());
        assert!(frame("a.Shop", "access$000").only_forwards());
        assert!(!frame("a.Shop", "lambda$price$0").only_forwards());
    }
}
