//! Which code reports which allocations: every array-allocating instruction, `Object.<init>`, and the calls that the
//! JIT compilers replace by code of their own, where hooks inside the callee would not run.
//!
//! Only static calls to [`HOOKS_CLASS`] are inserted; what they do is not known here.

mod hook;
mod rules;
mod scan;

use alloc::vec::Vec;

use crate::class::ClassFile;
use crate::edit::ClassEditor;
use crate::refusal::{MethodRefusal, Refusal, RefusedMethod};
use hook::HookRefs;
pub use hook::{HOOKS_CLASS, Hook};
use rules::{Callees, Names};

/// `transient synthetic`, package-private: outside serialization, and what reflection's users skip.
const FIELD_ACCESS: u16 = 0x1080;

/// What [`rewrite`] may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Add the fields to `java.lang.Thread` and `java.lang.Class`, and hide them from reflection. Members can be added
    /// when a class is loaded, not by RetransformClasses (JVMTI).
    pub add_fields: bool,
}

/// What became of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The new class file; `None`: the class is right as it is.
    pub class: Option<Vec<u8>>,
    /// Hook calls inserted.
    pub sites: u32,
    /// Methods that should have been edited and are as they were.
    pub refused: Vec<RefusedMethod>,
}

/// A field of ours in a class of the JDK.
struct AddedField {
    class: &'static [u8],
    name: &'static [u8],
    descriptor: &'static [u8],
}

const ADDED_FIELDS: [AddedField; 2] = [
    AddedField { class: b"java/lang/Thread", name: b"mayfly$slab", descriptor: b"J" },
    AddedField { class: b"java/lang/Class", name: b"mayfly$cell", descriptor: b"I" },
];

/// Inserts the hooks into `class`. A class that mentions [`HOOKS_CLASS`] already (itself included) is left as it is.
///
/// # Errors
/// A [`Refusal`] if the class can't be read or has no room; it must then be left as it is.
pub fn rewrite(class: &[u8], options: Options) -> Result<Rewritten, Refusal> {
    let mut names = Names::default();
    let class = ClassFile::parse_seeing(class, |utf8| names.see(utf8))?;
    if names.hooks_class() {
        return Ok(Rewritten::default());
    }
    let callees = if names.callee() { Callees::of(class.pool()) } else { Callees::default() };
    let mut editor = ClassEditor::new(&class);
    let fields_added = options.add_fields && add_field(&class, &mut editor)?;
    let (planned, mut refused) = plan(&class, &callees, options, &mut editor)?;
    if planned.is_empty() && !fields_added {
        return Ok(Rewritten { class: None, sites: 0, refused });
    }
    let edited = editor.finish()?;
    let given_up = |method: &usize| edited.refused.iter().any(|refused| refused.index == *method);
    let sites = planned.iter().filter(|(method, _)| !given_up(method)).map(|(_, sites)| sites).sum();
    refused.extend(edited.refused);
    Ok(Rewritten { class: (sites > 0 || fields_added).then_some(edited.bytes), sites, refused })
}

/// The edited methods with their number of hooks, and the methods that can't be read.
type Plan = (Vec<(usize, u32)>, Vec<RefusedMethod>);

fn plan(
    class: &ClassFile<'_>,
    callees: &Callees,
    options: Options,
    editor: &mut ClassEditor<'_, '_>,
) -> Result<Plan, Refusal> {
    let mut hooks = HookRefs::default();
    let (mut planned, mut refused) = (Vec::new(), Vec::new());
    for (index, method) in class.methods().iter().enumerate() {
        let (sites, entry) = match scan::method(class, method, callees, options) {
            Ok(found) if found.is_empty() => continue,
            Ok(found) => (found.sites, found.entry),
            Err(malformed) => {
                let reason = MethodRefusal::from(malformed);
                refused.push(RefusedMethod::new(class, index, method, reason));
                continue;
            }
        };
        if let Some(hook) = entry {
            let code = hooks.entry_code(hook, editor)?;
            editor.edit_method(index).insert_at_entry(&code, hook.entry_stack());
        }
        for &(pc, hook) in &sites {
            let call = hooks.call(hook, editor)?;
            editor.edit_method(index).insert_after(pc, &call, 1);
        }
        planned.push((index, sites.len() as u32 + u32::from(entry.is_some())));
    }
    Ok((planned, refused))
}

fn add_field(class: &ClassFile<'_>, editor: &mut ClassEditor<'_, '_>) -> Result<bool, Refusal> {
    let name = class.name();
    let Some(field) = ADDED_FIELDS.iter().find(|field| field.class == name) else { return Ok(false) };
    if class.fields().iter().any(|present| class.member_name(present) == field.name) {
        return Ok(false);
    }
    editor.add_field(FIELD_ACCESS, field.name, field.descriptor)?;
    Ok(true)
}
