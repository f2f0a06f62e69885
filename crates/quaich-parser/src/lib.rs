//! Training and parsing.
pub mod engine;
pub mod label_table;
pub mod memory;
pub mod network_engine;
pub mod states;
pub mod train;
pub mod transition_table;
