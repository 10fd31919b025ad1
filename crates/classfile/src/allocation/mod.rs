//! Which code reports which allocations: every array-allocating instruction, `Object.<init>`, and the calls that the
//! JIT compilers replace by code of their own, where hooks inside the callee would not run.
//!
//! Where allocations are to be counted by bytecode too, the hooks are told the numbers of places, and object creations get
//! a hook of their own.
//!
//! Only static calls to [`HOOKS_CLASS`] are inserted; what they do is not known here.

mod annotated;
mod hook;
mod loaded;
mod methods;
mod needs;
mod options;
mod place;
mod room;
mod rules;
mod scan;
mod scoped;

use alloc::vec::Vec;

use crate::class::ClassFile;
use crate::edit::ClassEditor;
use crate::refusal::{MethodRefusal, Refusal, RefusedMethod};
use hook::HookRefs;
pub use hook::{Element, HOOKS_CLASS, Hook};
pub use loaded::{LoadedInstruction, instruction_at, tells_of_places};
pub use needs::{dynamic_calls, has_hooks_without_places, may_get_hooks};
pub use options::Options;
pub use place::{Made, Place, Places};
use rules::{Callees, Names};
pub use scoped::{NumberOfScope, Scoped, ScopedMethods, Scopes};

/// `transient synthetic`, package-private: outside serialization, and what reflection's users skip.
const FIELD_ACCESS: u16 = 0x1080;

/// What became of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The new class file; `None`: the class is right as it is.
    pub class: Option<Vec<u8>>,
    /// Hook calls inserted.
    pub sites: u32,
    /// Methods that should have been edited and are as they were.
    pub refused: Vec<RefusedMethod>,
    /// Methods whose places were not numbered, so that they stay small enough, for the format or for the JIT.
    pub unplaced: u32,
    /// What became of the methods in this class whose calls are scopes.
    pub scoped: Vec<(ScopedMethods, Scoped)>,
}

/// A field of ours in a class of the JDK.
struct AddedField {
    class: &'static [u8],
    name: &'static [u8],
    descriptor: &'static [u8],
    annotations: &'static [&'static [u8]],
}

impl AddedField {
    const fn of(class: &'static [u8], name: &'static [u8], descriptor: &'static [u8]) -> Self {
        Self { class, name, descriptor, annotations: &[] }
    }
}

/// Once such a field is not zero, it is a constant for C2.
const STABLE: &[u8] = b"Ljdk/internal/vm/annotation/Stable;";

const ADDED_FIELDS: [AddedField; 5] = [
    AddedField::of(b"java/lang/Thread", b"mayfly$slab", b"J"),
    AddedField::of(b"java/lang/Thread", b"mayfly$moving", b"Z"),
    AddedField::of(b"java/lang/Thread", b"mayfly$scopes", b"[J"),
    AddedField::of(b"java/lang/Class", b"mayfly$cell", b"I"),
    AddedField { annotations: &[STABLE], ..AddedField::of(b"java/lang/Class", b"mayfly$frequent", b"Z") },
];

/// Inserts the hooks into `class`. A class that has some already is left as it is, and so is [`HOOKS_CLASS`] itself.
///
/// With `places`, allocations are counted by place too. Where that would make a method too large, its places are left out; numbers
/// may then have been given in vain. Methods of `scopes` enter their scope when they are called, and leave it when they return or
/// throw.
///
/// # Errors
/// A [`Refusal`] if the class can't be read or has no room; it must then be left as it is.
pub fn rewrite(
    class: &[u8],
    options: Options,
    mut places: Option<&mut dyn Places>,
    scopes: Scopes<'_>,
) -> Result<Rewritten, Refusal> {
    let mut names = Names::default();
    let class = ClassFile::parse_seeing(class, |utf8| names.see(utf8))?;
    // Of a class that was given back as it was, the JVM keeps the constants: only where classes are retransformed.
    if names.hooks_class() && (options.add_fields || loaded::calls_hooks(&class)) {
        return Ok(Rewritten::default());
    }
    let callees = if names.callee() { Callees::of(class.pool()) } else { Callees::default() };
    let annotated = scopes.annotated.filter(|_| names.scoped());
    let annotated = annotated.map(|number| annotated::methods(&class, number)).unwrap_or_default();
    let named = scopes.named.iter().filter(|methods| methods.class == class.name());
    let scopes: Vec<_> = named.chain(&annotated).collect();
    let context = Context { class: &class, callees: &callees, options, scopes: &scopes };
    let mut unplaced = Vec::new();
    if let Some(places) = &mut places {
        match context.attempt(Some(*places), &mut unplaced) {
            Ok(rewritten) if rewritten.refused.iter().all(|method| unplaced.contains(&method.index)) => {
                return Ok(rewritten);
            }
            Ok(rewritten) => unplaced.extend(rewritten.refused.iter().map(|method| method.index)),
            Err(_) => unplaced.extend(0..class.methods().len()),
        }
    }
    context.attempt(places.map(|places| places as _), &mut unplaced)
}

/// What rewriting a class goes by.
struct Context<'c, 'a> {
    class: &'c ClassFile<'a>,
    callees: &'c Callees,
    options: Options,
    /// Those of this class.
    scopes: &'c [&'c ScopedMethods],
}

/// The edited methods with their number of hooks, and the methods that can't be read.
type Plan = (Vec<(usize, u32)>, Vec<RefusedMethod>);

impl Context<'_, '_> {
    /// Rewrites, without places in the methods of the indexes in `unplaced`; those too large for places are added to them.
    fn attempt(
        &self,
        places: Option<&mut dyn Places>,
        unplaced: &mut Vec<usize>,
    ) -> Result<Rewritten, Refusal> {
        let mut editor = ClassEditor::new(self.class);
        let fields_added = self.options.add_fields && add_fields(self.class, &mut editor)?;
        let (planned, mut refused) = self.plan(places, unplaced, &mut editor)?;
        let unplaced = unplaced.len() as u32;
        if planned.is_empty() && !fields_added {
            return Ok(Rewritten {
                class: None,
                sites: 0,
                refused,
                unplaced,
                scoped: self.scoped(|_| false),
            });
        }
        let edited = editor.finish()?;
        let given_up = |method: &usize| edited.refused.iter().any(|refused| refused.index == *method);
        let scoped =
            self.scoped(|index| planned.iter().any(|(method, _)| *method == index) && !given_up(&index));
        let sites = planned.iter().filter(|(method, _)| !given_up(method)).map(|(_, sites)| sites).sum();
        refused.extend(edited.refused);
        let class = (sites > 0 || fields_added).then_some(edited.bytes);
        Ok(Rewritten { class, sites, refused, unplaced, scoped })
    }

    fn scoped(&self, edited: impl Fn(usize) -> bool) -> Vec<(ScopedMethods, Scoped)> {
        let outcome = |methods: &&ScopedMethods| ((*methods).clone(), methods.outcome(self.class, &edited));
        self.scopes.iter().map(outcome).collect()
    }

    fn plan(
        &self,
        mut places: Option<&mut dyn Places>,
        unplaced: &mut Vec<usize>,
        editor: &mut ClassEditor<'_, '_>,
    ) -> Result<Plan, Refusal> {
        let mut hooks = HookRefs::default();
        let (mut planned, mut refused) = (Vec::new(), Vec::new());
        for (index, method) in self.class.methods().iter().enumerate() {
            let with_places = places.is_some() && !unplaced.contains(&index);
            let found =
                scan::method(self.class, method, (self.callees, self.scopes), self.options, with_places);
            let found = match found {
                Ok(found) if with_places && found.has_no_room_for_places() => {
                    unplaced.push(index);
                    scan::method(self.class, method, (self.callees, self.scopes), self.options, false)
                }
                found => found,
            };
            let found = match found {
                Ok(found) if found.is_empty() => continue,
                Ok(mut found) => {
                    if found.fit() {
                        refused.push(self.class.refused(index, method, MethodRefusal::NeverCompiled));
                    }
                    found
                }
                Err(malformed) => {
                    let reason = MethodRefusal::from(malformed);
                    refused.push(self.class.refused(index, method, reason));
                    continue;
                }
            };
            let places = places.as_mut().filter(|_| !unplaced.contains(&index));
            let inserted = match places {
                Some(places) => self.insert(index, &found, Some(*places), &mut hooks, editor)?,
                None => self.insert(index, &found, None, &mut hooks, editor)?,
            };
            if inserted > 0 {
                planned.push((index, inserted));
            }
        }
        Ok((planned, refused))
    }

    /// Plans the hooks of one method; how many there are.
    fn insert(
        &self,
        index: usize,
        found: &scan::Found<'_>,
        mut places: Option<&mut dyn Places>,
        hooks: &mut HookRefs,
        editor: &mut ClassEditor<'_, '_>,
    ) -> Result<u32, Refusal> {
        let mut inserted = 0;
        if let Some(hook) = found.entry {
            let code = hooks.entry_code(hook, editor)?;
            editor.edit_method(index).insert_at_entry(&code, hook.entry_stack());
            inserted += 1;
        }
        if let Some(scope) = found.scope {
            let enter = hooks.of_scope(Hook::EnterScope, scope, editor)?;
            let thrown = hooks.thrown_out_of_scope(scope, editor)?;
            let throwable = editor.class("java/lang/Throwable".as_bytes())?;
            let edit = editor.edit_method(index);
            edit.insert_at_entry(&enter, 1);
            edit.guard(&thrown, 2, throwable);
            inserted += 1;
        }
        for site in &found.sites {
            if let (Hook::ExitScope, Some(scope)) = (site.hook, found.scope) {
                let exit = hooks.of_scope(Hook::ExitScope, scope, editor)?;
                editor.edit_method(index).insert_before(site.pc, &exit, 1);
                inserted += 1;
                continue;
            }
            let number = places.as_mut().filter(|_| site.hook.takes_place());
            let number = number.and_then(|places| places.number(found.place(self.class, site)));
            if site.hook == Hook::Place && number.is_none() {
                continue;
            }
            let hook = site.hook_with(number.is_some());
            let (call, stack) = hooks.call(hook, number, editor)?;
            if hook.precedes_call() {
                let (before, stack) = HookRefs::before_call(editor)?;
                editor.edit_method(index).insert_before(site.pc, &before, stack);
                inserted += 1;
            }
            let edit = editor.edit_method(index);
            if hook.comes_before() {
                edit.insert_before(site.pc, &call, stack);
            } else {
                edit.insert_after(site.pc, &call, stack);
            }
            inserted += 1;
        }
        Ok(inserted)
    }
}

/// Adds the fields that the class has not yet; whether there were any.
fn add_fields(class: &ClassFile<'_>, editor: &mut ClassEditor<'_, '_>) -> Result<bool, Refusal> {
    let present = |name| class.fields().iter().any(|field| class.member_name(field) == name);
    let mut added = false;
    for field in ADDED_FIELDS.iter().filter(|field| field.class == class.name() && !present(field.name)) {
        editor.add_field(FIELD_ACCESS, field.name, field.descriptor, field.annotations)?;
        added = true;
    }
    Ok(added)
}
