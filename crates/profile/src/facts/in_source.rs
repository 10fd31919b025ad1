//! Frames as the program's source names them: compilers and the JVM split one method into several, of names that nobody wrote.
//!
//! The body of a lambda is a method of its own (`lambda$price$0`), a hidden class calls it (`Prices$$Lambda/0x…`), private members of
//! nested classes are reached by methods without a name (`access$000`), a framework calls a class through a generated one. Kotlin makes
//! a class of each coroutine and of inlined functions that take lambdas (`Shop$price$1`). Not here: which frames are the program's own
//! (`own_frame`).

use crate::facts::frame::Frame;

/// In the names of classes that the JVM makes for lambdas.
const LAMBDA: &str = "$$Lambda";
/// In the names of classes that frameworks make of the program's: what stands before is the program's class.
const GENERATED: [&str; 4] = ["$$SpringCGLIB", "$$EnhancerBy", "$$FastClass", "$$Proxy"];
/// In the names of classes that kotlinc makes of the bodies of inlined functions.
const INLINED: &str = "$$inlined$";
/// Ends of the names of methods that kotlinc makes for default arguments and open suspending functions.
const FORWARDING: [&str; 2] = ["$default", "$suspendImpl"];
/// Beginnings of the names of methods that a compiler makes to reach private members.
const ACCESS: &str = "access$";

/// Whether a class is one that the JVM made for a lambda, by its name.
pub fn is_of_lambda(class: &str) -> bool {
    class.contains(LAMBDA)
}

impl Frame {
    /// Class and method as in the source: a lambda's body belongs to the method that it stands in.
    pub fn in_source(&self) -> (&str, &str) {
        kotlin_function(&self.class, &self.method)
            .unwrap_or_else(|| (class_in_source(&self.class), method_in_source(&self.method)))
    }

    /// Whether it only calls on: the class of a lambda, an access method.
    pub fn only_forwards(&self) -> bool {
        is_of_lambda(&self.class) || self.method.starts_with(ACCESS)
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

/// The function in which kotlinc found the code that it made a class of: `Outer$function$1`, of a lambda, a coroutine or an inlined function.
fn kotlin_function<'a>(class: &'a str, method: &str) -> Option<(&'a str, &'a str)> {
    if !matches!(method, "create" | "invoke" | "invokeSuspend") && !class.contains(INLINED) {
        return None;
    }
    let is_function = |name: &str| name.starts_with(|first: char| first.is_lowercase());
    let package = class.rfind('.').map_or(0, |dot| dot + 1);
    let (at, _) = class.match_indices('$').find(|&(at, _)| at > package && is_function(&class[at + 1..]))?;
    let (function, rest) = class[at + 1..].split_once('$')?;
    rest.starts_with(|first: char| first.is_ascii_digit() || first == '$').then_some((&class[..at], function))
}

fn method_in_source(method: &str) -> &str {
    let method = FORWARDING.iter().find_map(|end| method.strip_suffix(end)).unwrap_or(method);
    // scalac: a private method that another class reaches, after the whole name of its own class.
    let method = match method.rsplit_once("$$") {
        Some((class, name)) if class.contains('$') && !name.is_empty() => name,
        _ => method,
    };
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
            ("a.Shop", "a$b$Shop$$price", ("a.Shop", "price")),
            ("a.ShopKt", "price$lambda$0", ("a.ShopKt", "price")),
            ("a.ShopKt", "price$lambda-0", ("a.ShopKt", "price")),
            ("a.Shop$$SpringCGLIB$$0", "price", ("a.Shop", "price")),
            ("a.Shop$$EnhancerBySpringCGLIB$$1a2b", "price", ("a.Shop", "price")),
            ("a.Shop$$Lambda$14/0x0000000800c03000", "get", ("a.Shop$$Lambda", "get")),
            ("a.Shop$$Lambda/0x00007f", "get", ("a.Shop$$Lambda", "get")),
            ("a.Hidden/0x00007f", "run", ("a.Hidden", "run")),
            ("a.Shop$1", "price", ("a.Shop$1", "price")),
            ("a.Shop", "lambda$", ("a.Shop", "lambda$")),
            ("a.Shop$price$1", "invokeSuspend", ("a.Shop", "price")),
            ("a.Shop$Cart$add$2$1", "invoke", ("a.Shop$Cart", "add")),
            ("a.ShopKt$main$1$2$1", "invokeSuspend", ("a.ShopKt", "main")),
            ("a.Shop$watch$1$invokeSuspend$$inlined$filter$1", "collect", ("a.Shop", "watch")),
            ("a.Shop$price$$inlined$map$1$2", "emit", ("a.Shop", "price")),
            ("a.Shop$order$1", "compare", ("a.Shop$order$1", "compare")),
            ("a.Shop$1", "invoke", ("a.Shop$1", "invoke")),
            ("a.Shop$Companion", "invoke", ("a.Shop$Companion", "invoke")),
            ("a.Shop", "price$default", ("a.Shop", "price")),
            ("a.Shop", "price$suspendImpl", ("a.Shop", "price")),
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
