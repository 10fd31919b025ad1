//! A status as fields: each fact by its tag and length.
//!
//! A fact of a later Mayfly is skipped, as is one whose value this side does not know (another engine, another way to follow).
//! New facts come at the end.

use mayfly_profile::{EngineKind, Gc, JvmInfo, Tracking};
use serde::{Deserialize, Serialize};

use super::message::{Loaded, Profiling, Status};
use crate::fields;

/// One fact; its place is its tag.
#[derive(Serialize, Deserialize)]
enum Fact {
    Mayfly(String),
    Loaded(Loaded),
    Options(String),
    LoadedForMs(u64),
    JvmPid(u32),
    JvmVersion(String),
    JvmGc(Gc),
    JvmCommand(String),
    /// The first of what only a profiling agent has.
    Active(bool),
    Engine(EngineKind),
    Tracking(Tracking),
    Lifetimes(bool),
    Stacks(bool),
    DurationMs(u64),
    Gcs(u32),
    Resets(u32),
    NativeBytes(u64),
    Recording(String),
}

/// A value of one kind among facts, if it is there.
macro_rules! fact {
    ($facts:expr, $kind:ident) => {
        $facts.iter().find_map(|fact| match fact {
            Fact::$kind(value) => Some(value.clone()),
            _ => None,
        })
    };
}

pub(super) fn encode(status: &Status) -> postcard::Result<Vec<u8>> {
    let jvm = status.jvm.clone();
    let mut facts = vec![
        Fact::Mayfly(status.mayfly.clone()),
        Fact::Loaded(status.loaded),
        Fact::Options(status.options.clone()),
        Fact::LoadedForMs(status.loaded_for_ms),
        Fact::JvmPid(jvm.pid),
        Fact::JvmVersion(jvm.version),
        Fact::JvmGc(jvm.gc),
        Fact::JvmCommand(jvm.command),
    ];
    facts.extend(status.profiling.as_ref().into_iter().flat_map(profiling_facts));
    fields::encode(&facts)
}

fn profiling_facts(profiling: &Profiling) -> Vec<Fact> {
    let mut facts = vec![
        Fact::Active(profiling.active),
        Fact::Lifetimes(profiling.lifetimes),
        Fact::Stacks(profiling.stacks),
        Fact::DurationMs(profiling.duration_ms),
        Fact::Gcs(profiling.gcs),
        Fact::Resets(profiling.resets),
        Fact::NativeBytes(profiling.native_bytes),
    ];
    facts.extend(profiling.engine.map(Fact::Engine));
    facts.extend(profiling.tracking.map(Fact::Tracking));
    facts.extend(profiling.recording.clone().map(Fact::Recording));
    facts
}

/// `None`: the bytes are no fields, or lack what each status has.
pub(super) fn decode(bytes: &[u8]) -> Option<Status> {
    let known = |field| postcard::take_from_bytes::<Fact>(field).ok().map(|(fact, _)| fact);
    let facts: Vec<Fact> = fields::split(bytes)?.into_iter().filter_map(known).collect();
    let jvm = JvmInfo {
        pid: fact!(facts, JvmPid)?,
        version: fact!(facts, JvmVersion)?,
        gc: fact!(facts, JvmGc).unwrap_or_default(),
        command: fact!(facts, JvmCommand)?,
    };
    let profiling = match fact!(facts, Active) {
        Some(active) => Some(profiling(active, &facts)?),
        None => None,
    };
    Some(Status {
        mayfly: fact!(facts, Mayfly)?,
        loaded: fact!(facts, Loaded)?,
        options: fact!(facts, Options)?,
        jvm,
        loaded_for_ms: fact!(facts, LoadedForMs)?,
        profiling,
    })
}

fn profiling(active: bool, facts: &[Fact]) -> Option<Profiling> {
    Some(Profiling {
        active,
        engine: fact!(facts, Engine),
        tracking: fact!(facts, Tracking),
        lifetimes: fact!(facts, Lifetimes)?,
        stacks: fact!(facts, Stacks)?,
        duration_ms: fact!(facts, DurationMs)?,
        gcs: fact!(facts, Gcs)?,
        resets: fact!(facts, Resets)?,
        native_bytes: fact!(facts, NativeBytes)?,
        recording: fact!(facts, Recording),
    })
}
