//! Names of parameters that a class lost are given back, and nothing else changes.

use jvmti_bindings::classfile::{AttributeInfo, ClassFile as OtherReader};
use mayfly_classfile::{MethodParameters, Parameter, Refusal, with_parameters};

use crate::support::assembler::{ClassBuilder, CodeParts};
use crate::support::expected_hooks::text;

const RETURN: u8 = 0xb1;
const FINAL: u16 = 0x10;

/// With two methods, and the name of the attribute among its constants or not.
fn class(had_parameters: bool) -> Vec<u8> {
    let mut builder = ClassBuilder::new(55);
    if had_parameters {
        builder.utf8("MethodParameters");
    }
    for name in ["one", "two"] {
        let code = CodeParts { max_locals: 2, code: vec![RETURN], ..CodeParts::default() };
        builder.method(name, "(II)V", &code);
    }
    builder.build()
}

fn known() -> Vec<MethodParameters> {
    let parameter = |name: &[u8], flags| Parameter { name: name.to_vec(), flags };
    let parameters = vec![parameter(b"length", FINAL), parameter(b"", 0)];
    vec![MethodParameters { method: b"two".to_vec(), descriptor: b"(II)V".to_vec(), parameters }]
}

#[test]
fn a_method_gets_its_parameters_back() {
    let old = class(true);
    let new = with_parameters(&old, known).expect("sound").expect("something to add");
    let read = OtherReader::parse(&new).expect("still sound");
    let attributes = |index: usize| {
        let others = read.methods[index].attributes.iter().filter_map(|attribute| match attribute {
            AttributeInfo::MethodParameters { parameters } => Some(parameters),
            _ => None,
        });
        others.collect::<Vec<_>>()
    };
    assert!(attributes(0).is_empty());
    let [parameters] = attributes(1)[..] else { panic!("one attribute") };
    assert_eq!((parameters[0].access_flags, parameters[1].access_flags), (FINAL, 0));
    assert_eq!((&*text(&read, parameters[0].name_index), parameters[1].name_index), ("length", 0));
    assert_eq!(with_parameters(&new, || panic!("it has them")), Ok(None));
}

#[test]
fn a_class_that_never_had_any_is_not_asked_about() {
    assert_eq!(with_parameters(&class(false), || panic!("it had none")), Ok(None));
    assert_eq!(with_parameters(&class(true), Vec::new), Ok(None));
    assert!(matches!(with_parameters(b"no class", Vec::new), Err(Refusal::Malformed(_))));
}
