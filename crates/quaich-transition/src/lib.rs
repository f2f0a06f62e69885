//! Transition systems: building dependency trees step by step, and the guides that choose the steps.
//!
//! Everything is an integer: nodes are [`Node`](quaich_treebank::tree::Node)s and labels are opaque
//! [`Label`](quaich_treebank::symbols::Label)s. This crate has no strings, files or learners.
//!
//! ```text
//!   System (rules, static oracle)  ─┐
//!   Guide (chooses transitions)   ─┼─▶ run ─▶ tree in the Configuration
//!   Watcher (observes)             ─┤
//!   Configuration (stacks, buffer)  ┘
//! ```
//!
//! * [`configuration`]: stacks, lists, buffer and arcs, one struct for all systems.
//! * [`transition`]: kinds of transitions, labels on them, dense class numbers, names.
//! * [`systems`]: one file per system, each with its static oracle.
//! * [`modifiers`]: buffer transitions, right-to-left, second pass, for all compatible systems.
//! * [`spec`]: systems and modifiers by name.
//! * [`malt`]: the systems and oracles of `MaltParser` 1.9, where they differ.
//! * [`dynamic`]: dynamic oracles, which evaluate any configuration, not only those on the gold path.
//! * [`gold`]: gold trees with precomputed structures for oracles.
//! * [`constraints`]: parses that contain given arcs.
//! * [`guide`]: the parsing loop and its guides.
//! * [`watcher`]: observers of the loop.
//! * [`oracle`]: the correct transitions of a configuration, and guides that follow them.
//! * [`trace`](mod@trace): derivations step by step, as data.

pub mod configuration;
pub mod constraints;
pub mod dynamic;
pub mod gold;
pub mod guide;
pub mod malt;
pub mod modifiers;
pub mod oracle;
pub mod spec;
pub mod systems;
pub mod trace;
pub mod transition;
pub mod watcher;
