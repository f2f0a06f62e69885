//! Draws a tree in the terminal and as SVG.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use quaich::Treebank;
use quaich::draw::{Picture, svg, terminal};

fn main() -> quaich::Result<()> {
    let treebank = Treebank::from_text(quaich::sample::TEST)?;
    let picture = Picture::of(&treebank[0]);
    print!("{}", terminal::draw(&picture, terminal::Options::default()));
    println!("{} bytes of SVG", svg::page(&[("A sentence".to_owned(), picture)]).len());
    Ok(())
}
