//! The report as Markdown.

use super::{Document, Section, Table};

pub(super) fn write(document: &Document) -> String {
    let sections: Vec<String> = document.sections.iter().map(section).collect();
    format!("# {}\n\n{}", document.title, sections.join("\n"))
}

fn section(section: &Section) -> String {
    let mut parts = vec![format!("## {}\n", section.title)];
    parts.extend(section.paragraphs.iter().map(|paragraph| format!("{paragraph}\n")));
    parts.extend(section.table.as_ref().map(table));
    parts.extend(section.listing.as_ref().map(|listing| format!("```toml\n{}\n```\n", listing.trim_end())));
    parts.join("\n")
}

fn table(table: &Table) -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = row(table.head.iter().map(|cell| (*cell).to_owned()).collect());
    text.extend(["|", &"---|".repeat(table.head.len()), "\n"]);
    // A bar would end the cell.
    text.extend(
        table.rows.iter().map(|cells| row(cells.iter().map(|cell| cell.replace('|', "\\|")).collect())),
    );
    text
}
