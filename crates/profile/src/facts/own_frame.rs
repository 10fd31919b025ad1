//! The frames of a stack that are the program's own, and the JDK's folded into them: a reader looks for the former, and which of the
//! latter are seen changes with what the JIT compiler made of them.
//!
//! Not here: frames that the user chose to pass over (`blame`).

use crate::facts::frame::Frame;
use crate::facts::jdk::is_of_the_jdk;
use crate::facts::stack::Stack;

impl Stack {
    /// The innermost frame outside of the JDK; `None`: there is none.
    pub fn own_frame(&self) -> Option<&Frame> {
        self.own_frames().next()
    }

    /// The frames outside of the JDK, innermost first; without those that only call on, if there are others.
    pub fn own_frames(&self) -> impl Iterator<Item = &Frame> {
        let says_more = self.iter().any(|frame| frame.is_own() && !frame.only_forwards());
        self.iter().filter(move |frame| frame.is_own() && !(says_more && frame.only_forwards()))
    }

    /// The frame of who makes an object, rather than of its constructor or of the class that the JVM makes for a lambda: the innermost
    /// such that is the program's own, or else the one that is shown.
    pub fn maker_frame(&self) -> Option<&Frame> {
        let makes = |frame: &&Frame| &*frame.method != "<init>" && !frame.only_forwards();
        self.own_frames().find(makes).or_else(|| self.shown_frame())
    }

    /// The JDK's frame that links a call (of a lambda, a concatenation of strings) as it is made for the first time, if the object is made for that.
    pub fn linking_frame(&self) -> Option<&Frame> {
        let links = |frame: &&Frame| {
            &*frame.class == "java.lang.invoke.MethodHandleNatives" && frame.method.starts_with("link")
        };
        self.iter().take_while(|frame| !frame.is_own()).find(links)
    }

    /// The frame that an allocation is shown by: the program's own, or else the innermost.
    pub fn shown_frame(&self) -> Option<&Frame> {
        self.own_frame().or_else(|| self.first())
    }
}

impl Frame {
    /// Whether it is the program's, or a library's: a method, and not the JDK's.
    pub fn is_own(&self) -> bool {
        !is_of_the_jdk(&self.class) && self.is_code()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &[&str]) -> Stack {
        let frame = |class: &&str| Frame { class: (*class).into(), method: "m".into(), ..Frame::default() };
        frames.iter().map(frame).collect()
    }

    #[test]
    fn the_class_of_a_lambda_is_passed_over_where_the_program_is_seen_below_or_above_it() {
        let of_lambda = stack(&["a.Shop$$Lambda$1/0x08", "java.util.Map", "a.Shop"]);
        assert_eq!(of_lambda.own_frame().map(|frame| &*frame.class), Some("a.Shop"));
        let alone = stack(&["java.util.Map", "a.Shop$$Lambda$1/0x08"]);
        assert_eq!(alone.own_frame().map(|frame| &*frame.class), Some("a.Shop$$Lambda$1/0x08"));
    }

    #[test]
    fn what_the_jdk_makes_to_link_a_call_is_told_from_what_the_caller_makes() {
        let frame = |class: &str, method: &str| Frame {
            class: class.into(),
            method: method.into(),
            ..Frame::default()
        };
        let link = frame("java.lang.invoke.MethodHandleNatives", "linkCallSite");
        let [code, main] = [frame("java.lang.classfile.Opcode", "<clinit>"), frame("a.Main", "main")];
        let linked: Stack = [code.clone(), link.clone(), main.clone()].into_iter().collect();
        assert_eq!(linked.linking_frame(), Some(&link));
        // A method that is called by what links it.
        let called: Stack = [code, main, link].into_iter().collect();
        assert_eq!(called.linking_frame(), None);
    }

    #[test]
    fn frames_of_the_jdk_are_passed_over_wherever_they_are() {
        let deep =
            stack(&["jdk.internal.misc.Unsafe", "java.lang.String", "a.Shop", "java.util.List", "a.Main"]);
        assert_eq!(deep.own_frame().map(|frame| &*frame.class), Some("a.Shop"));
        let own: Vec<_> = deep.own_frames().map(|frame| &*frame.class).collect();
        assert_eq!(own, ["a.Shop", "a.Main"]);
        assert_eq!(stack(&["javax.a.A", "sun.b.B"]).own_frame(), None);
        assert_eq!(
            stack(&["javax.a.A", "sun.b.B"]).shown_frame().map(|frame| &*frame.class),
            Some("javax.a.A")
        );
        assert_eq!(Stack::NONE.shown_frame(), None);
    }
}
