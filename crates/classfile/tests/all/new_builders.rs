//! The hook before the making of a string builder: what jumps there runs it, what was made there is known by the instruction.

use jvmti_bindings::classfile::{AttributeInfo, ClassFile as OtherReader};
use mayfly_classfile::allocation::{Options, Place, Places, Rewritten};

use crate::support::agreement::check_hooked;
use crate::support::assembler::{ClassBuilder, CodeParts};
use crate::support::rewriting;

/// A class in which `new` of another is where a loop begins, and a frame knows what was made there.
fn making(made: &str) -> Vec<u8> {
    let mut class = ClassBuilder::new(55);
    let [a, b] = class.class(made).to_be_bytes();
    let [c, d] = class.method_ref(made, "<init>", "()V").to_be_bytes();
    // nop; 1: new; dup; aload_0; ifnull 9; 9: invokespecial; pop; goto 1
    let code = vec![0, 0xbb, a, b, 0x59, 0x2a, 0xc6, 0, 3, 0xb7, c, d, 0x57, 0xa7, 0xff, 0xf4];
    // at 1: same; at 9: full, an object in the local, what was made at 1 on the stack, twice
    let [e, f] = class.class("Made").to_be_bytes();
    let frames = vec![0, 2, 1, 255, 0, 7, 0, 1, 7, e, f, 0, 2, 8, 0, 1, 8, 0, 1];
    let attributes = vec![("StackMapTable", frames)];
    let parts = CodeParts { max_stack: 3, max_locals: 1, code, attributes, ..CodeParts::default() };
    class.method("run", "()V", &parts);
    class.build()
}

#[test]
fn a_hook_stands_before_the_making_of_a_string_builder() {
    for builder in ["java/lang/StringBuilder", "java/lang/StringBuffer"] {
        let class = making(builder);
        let new = rewriting::rewrite(&class, Options { add_fields: false, compiles_huge_methods: false })
            .expect("sound")
            .class;
        let (old, new) = (OtherReader::parse(&class), OtherReader::parse(&new.expect("a hook")));
        let (old, new) = (old.expect("sound"), new.expect("sound"));
        assert_eq!(check_hooked(&old, &new, false), 1);
        let AttributeInfo::Code(code) = &new.methods[0].attributes[0] else { panic!("no code") };
        assert_eq!((code.code[1], code.code[4], &code.code[16..]), (0xb8, 0xbb, &[0xa7, 0xff, 0xf1][..]));
    }
}

#[test]
fn other_creations_have_no_hook_of_their_own() {
    let class = making("java/lang/StringJoiner");
    let rewritten = rewriting::rewrite(&class, Options { add_fields: false, compiles_huge_methods: false });
    assert_eq!(rewritten, Ok(Rewritten::default()));
}

/// As reflection generates it for deserialisation up to JDK 21: a superclass's constructor runs, and exceptions are made in between.
#[test]
fn a_generated_accessor_makes_objects_of_the_class_that_it_names() {
    let mut class =
        ClassBuilder::with_super(55, "Made", "jdk/internal/reflect/SerializationConstructorAccessorImpl");
    let mut creation = |made: &str, constructor: &str| {
        let [a, b] = class.class(made).to_be_bytes();
        let [c, d] = class.method_ref(constructor, "<init>", "()V").to_be_bytes();
        ([0xbb, a, b, 0x59], [0xb7, c, d])
    };
    let (outer, inner) = (creation("a/Wire", "java/lang/Object"), creation("a/Bad", "a/Bad"));
    let code = [&outer.0[..], &inner.0, &inner.1, &[0x57], &outer.1, &[0xb0]].concat();
    let parts = CodeParts { max_stack: 4, max_locals: 2, code, ..CodeParts::default() };
    class.method("newInstance", "([Ljava/lang/Object;)Ljava/lang/Object;", &parts);
    let mut made = Made(Vec::new());
    let options = Options { add_fields: false, compiles_huge_methods: false };
    rewriting::rewrite_counting(&class.build(), options, Some(&mut made)).expect("sound");
    assert_eq!(made.0, ["a.Bad", "a.Wire"]);
}

/// What is made at the places numbered.
struct Made(Vec<String>);

impl Places for Made {
    fn number(&mut self, place: Place<'_>) -> Option<u32> {
        self.0.push(String::from_utf8(place.made.class_name().unwrap_or_default()).expect("ASCII"));
        Some(self.0.len() as u32)
    }
}
