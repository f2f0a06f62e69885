//! Notations of templates. Each is read into the one syntax tree of [`Address`](crate::Address),
//! [`Value`](crate::Value) and [`Template`](crate::Template), which writes itself down in [`ours`].

pub mod ours;
