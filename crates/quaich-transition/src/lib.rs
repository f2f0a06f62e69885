//! Transition systems: how a dependency tree is built step by step, and who decides the steps.
//!
//! Integers only: nodes are [`Node`](quaich_treebank::tree::Node)s and labels are opaque
//! [`Label`](quaich_treebank::symbols::Label)s. No strings, no files and no learner live here.
//!
//! ```text
//!   System (rules, static oracle) ─┐
//!   Guide (who chooses)           ─┼─▶ run ─▶ tree in the Configuration
//!   Watcher (who looks on)        ─┤
//!   Configuration (stacks, buffer) ┘
//! ```
//!
//! * [`configuration`]: stacks, lists, buffer and arcs, one struct for all systems.
//! * [`transition`]: kinds of transitions, labels on them, dense class numbers, names.
//! * [`systems`]: one file a system, each with its static oracle.
//! * [`modifiers`]: buffer transitions, right-to-left, second pass, for any system they fit.
//! * [`spec`]: systems and modifiers by name.
//! * [`malt`]: the systems and oracles as `MaltParser` 1.9 has them, where that differs.
//! * [`dynamic`]: dynamic oracles, which judge any configuration, not only those on the gold path.
//! * [`gold`]: what oracles need to know of a gold tree, precomputed.
//! * [`guide`]: the loop and who drives it.
//! * [`watcher`]: who looks on.
//! * [`oracle`]: what is right in a configuration; the guides that do it.
//! * [`trace`](mod@trace): derivations step by step, as data.

pub mod configuration;
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
