//! The patcher from outside, a file per subject, in one program: building and linking many takes longer than most of the tests.

mod allocation_hooks;
mod every_class;
mod far_jumps;
mod mutations;
mod stand_ins;
mod support;
mod synthetic;
