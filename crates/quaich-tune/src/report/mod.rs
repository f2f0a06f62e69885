//! The report of a search, as Markdown or as a self-contained HTML page.

mod content;
mod html;
mod importance;
mod markdown;
mod plots;

use crate::log::Log;

/// The parts of a report, whatever its format.
pub(crate) struct Document {
    title: String,
    sections: Vec<Section>,
}

/// A section.
#[derive(Default)]
pub(crate) struct Section {
    title: String,
    paragraphs: Vec<String>,
    table: Option<Table>,
    /// A file to show, line by line.
    listing: Option<String>,
    /// A drawing in SVG; Markdown leaves it out.
    drawings: Vec<String>,
}

/// A table.
#[derive(Default)]
pub(crate) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// The report as Markdown.
pub fn markdown(log: &Log, treebanks: &[String]) -> String {
    markdown::write(&content::document(log, treebanks))
}

/// The report as an HTML page that needs no other file.
pub fn html(log: &Log, treebanks: &[String]) -> String {
    html::write(&content::document(log, treebanks))
}
