//! The patcher from outside, a file per subject.

mod allocation_hooks;
mod every_class;
mod far_jumps;
mod mutations;
mod new_builders;
mod parameters;
mod stand_ins;
mod support;
mod synthetic;
