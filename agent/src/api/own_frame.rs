//! What a stack says of an object: which of the program's lines made it, and whether that happens once only.
//!
//! The JVM allocates when it loads and initialises a class, resolves a constant, or links a lambda or a concatenation for the first time. Not here: how
//! stacks are taken (`allocations`).

use std::sync::Arc;

use mayfly_jvmti::StackFrame;
use mayfly_profile::is_of_the_jdk;

/// A method as its class has it.
#[derive(Clone, Debug)]
pub(super) struct Method {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) file: Option<String>,
    /// Bytecode; `None` in native methods.
    pub(super) code: Option<Vec<u8>>,
}

/// A frame.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) method: Arc<Method>,
    pub(super) frame: StackFrame,
}

/// Who made an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Made {
    /// The program, in this frame.
    ByProgram(String),
    /// The JVM or the JDK, because something happened for the first time in this frame.
    Once(String),
    /// What runs the tests.
    ByHarness,
}

impl Made {
    /// A letter for it.
    pub(super) fn kind(&self) -> char {
        match self {
            Self::ByProgram(_) => 'p',
            Self::Once(_) => 'o',
            Self::ByHarness => 'h',
        }
    }

    /// The program's frame; empty if there is none.
    pub(super) fn frame(&self) -> &str {
        match self {
            Self::ByProgram(frame) | Self::Once(frame) => frame,
            Self::ByHarness => "",
        }
    }
}

/// Beginnings of classes that run tests: what they make for a line of the test is that line's.
const TESTING: [&str; 4] = ["org.junit.", "org.opentest4j.", "org.apiguardian.", "org.assertj."];
/// From here outward it is the harness.
const OURS: &str = "io.mayfly.";

/// Classes of the JDK that work where something happens for the first time: they load, link and generate.
const ONCE: [&str; 9] = [
    "java.lang.invoke.MethodHandleNatives",
    "java.lang.invoke.LambdaForm",
    "java.lang.invoke.InvokerBytecodeGenerator",
    "java.lang.ClassLoader",
    "java.security.SecureClassLoader",
    "java.util.ServiceLoader",
    "java.lang.reflect.Proxy",
    "jdk.internal.reflect.MethodHandleAccessorFactory",
    "jdk.internal.loader.",
];

/// What is to be said of an object of that class, made with this stack, innermost frame first; a frame of which nothing is known is `None`.
/// `line` is asked for the program's frame only.
pub(super) fn made(
    class: &str,
    stack: impl Iterator<Item = Option<Known>>,
    line: impl Fn(StackFrame) -> Option<u32>,
) -> Made {
    let (mut own, mut once) = (None, false);
    for (depth, frame) in stack.enumerate() {
        let Some(frame) = frame else { continue };
        let of = &frame.method.class;
        if of.starts_with(OURS) {
            break;
        }
        once |= frame.method.name == "<clinit>";
        once |= depth == 0 && is_made_by_resolving(class, &frame);
        if own.is_none() {
            if is_of_the_jdk(of) {
                once |= ONCE.iter().any(|it| is_of(of, it));
            } else if !TESTING.iter().any(|it| of.starts_with(it)) {
                own = Some(shown(&frame.method, line(frame.frame)));
            }
        }
    }
    match own {
        Some(own) if once => Made::Once(own),
        Some(own) => Made::ByProgram(own),
        None => Made::ByHarness,
    }
}

/// The class itself, or one of the package if the name ends with a dot.
fn is_of(class: &str, name: &str) -> bool {
    class == name || (name.ends_with('.') && class.starts_with(name))
}

/// Whether the instruction makes no such object: the JVM made it, as it loads a class or resolves a constant.
fn is_made_by_resolving(class: &str, frame: &Known) -> bool {
    const LDC: std::ops::RangeInclusive<u8> = 0x12..=0x14;
    const STATICS: std::ops::RangeInclusive<u8> = 0xb2..=0xb3;
    const INVOKEDYNAMIC: u8 = 0xba;
    const NEW: u8 = 0xbb;
    const CASTS: std::ops::RangeInclusive<u8> = 0xc0..=0xc1;
    let at = usize::try_from(frame.frame.location).ok();
    let Some(&opcode) = frame.method.code.as_ref().and_then(|code| code.get(at?)) else { return false };
    let made_class = class == "java.lang.Class";
    match opcode {
        INVOKEDYNAMIC => true,
        NEW => made_class || class.starts_with('['),
        _ => made_class || [LDC, STATICS, CASTS].iter().any(|range| range.contains(&opcode)),
    }
}

/// `shop.Basket.add(Basket.java:12)`.
fn shown(Method { class, name, file, .. }: &Method, line: Option<u32>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{class}.{name}({file}:{line})"),
        (Some(file), None) => format!("{class}.{name}({file})"),
        _ => format!("{class}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(class: &str, name: &str, opcode: u8) -> Option<Known> {
        let method = Method {
            class: class.into(),
            name: name.into(),
            file: Some("A.java".into()),
            code: Some(vec![opcode]),
        };
        Some(Known { method: Arc::new(method), frame: StackFrame { method: 1, location: 0 } })
    }

    const INVOKE: u8 = 0xb6;

    #[test]
    fn the_first_frame_outside_of_the_jdk_and_of_junit_made_it() {
        let stack = [
            frame("java.util.ArrayList", "grow", 0xbd),
            frame("org.junit.jupiter.api.Assertions", "assertAll", INVOKE),
            frame("shop.BasketTest", "adds", INVOKE),
            frame("java.lang.invoke.LambdaForm", "invoke", INVOKE),
            frame("io.mayfly.junit.MayflyExtension", "intercept", INVOKE),
            frame("other.Runner", "main", INVOKE),
        ];
        let expected = Made::ByProgram("shop.BasketTest.adds(A.java:7)".into());
        assert_eq!(made("[Ljava.lang.Object;", stack.clone().into_iter(), |_| Some(7)), expected);
        assert_eq!(made("[B", stack.into_iter().skip(4), |_| None), Made::ByHarness);
    }

    #[test]
    fn what_happens_once_is_told_apart() {
        let test = || frame("shop.BasketTest", "adds", INVOKE);
        let once = |stack: Vec<Option<Known>>, class: &str| {
            matches!(made(class, stack.into_iter(), |_| None), Made::Once(_))
        };
        assert!(once(
            vec![frame("java.lang.invoke.MethodHandleNatives", "linkCallSite", INVOKE), test()],
            "[B"
        ));
        assert!(once(vec![frame("shop.Basket", "<clinit>", 0xbb), test()], "shop.Basket"));
        assert!(once(
            vec![frame("shop.Basket", "make", 0xbb), frame("shop.All", "<clinit>", INVOKE), test()],
            "[B"
        ));
        assert!(once(vec![frame("shop.BasketTest", "adds", 0x12)], "java.lang.String"), "a constant");
        assert!(once(vec![frame("shop.BasketTest", "adds", 0xbb)], "java.lang.Class"), "its class is loaded");
        assert!(!once(vec![frame("shop.BasketTest", "adds", 0xbb)], "shop.Basket"));
        assert!(
            !once(vec![frame("java.lang.invoke.LambdaForm$MH", "invoke", 0xbc), test()], "[B"),
            "once linked"
        );
    }
}
