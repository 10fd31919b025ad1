//! What every engine shares: classes, sites, clocks, the budget, and objects whose death is followed.
//!
//! Takes an object, its class and size, what it stands for and its site, from whoever found it. Knows no hook and no slab:
//! a class has an id here (`ClassTable::named`) with or without a counter of its own.

mod brief;
mod deaths;
mod drawing;
mod draws;
mod frames;
mod gap;
mod large;
mod loaders;
mod operations;
mod rate;
mod shared;
mod soft;
mod stacks;
mod switches;
mod threads;
mod traces;
mod tracker;
mod weak;
mod young;

pub(crate) use brief::{Brief, Sample, ThreadSamples};
pub(crate) use deaths::Deaths;
pub(crate) use drawing::Drawing;
pub(crate) use draws::{Drawn, Draws, Last};
#[cfg(test)]
pub(crate) use gap::Gap;
pub(crate) use large::OwnRegions;
pub(crate) use rate::Rate;
pub(crate) use shared::Shared;
pub(crate) use stacks::{Stacks, forget_unloaded};
pub(crate) use tracker::{Followed, Tracker};
pub(crate) use young::{Now, Period, Young};
