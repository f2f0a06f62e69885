//! The report as an HTML page.

use super::{Document, Section, Table};

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 0.875rem; }
th, td { text-align: left; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
pre { background: #8881; padding: 1rem; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
.scroll { max-height: 40rem; overflow: auto; }
";

pub(super) fn write(document: &Document) -> String {
    let (title, sections) =
        (escape(&document.title), document.sections.iter().map(section).collect::<String>());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{sections}</body>\n</html>\n"
    )
}

fn section(section: &Section) -> String {
    let mut text = format!("<h2>{}</h2>\n", escape(&section.title));
    text.extend(section.paragraphs.iter().map(|paragraph| format!("<p>{}</p>\n", escape(paragraph))));
    text.extend(section.drawings.iter().map(|drawing| format!("{drawing}\n")));
    text.extend(section.table.as_ref().map(table));
    text.extend(section.listing.as_ref().map(|listing| format!("<pre>{}</pre>\n", escape(listing))));
    text
}

fn table(table: &Table) -> String {
    let row = |cell: &str, cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|text| format!("<{cell}>{text}</{cell}>")).collect();
        format!("<tr>{}</tr>\n", cells.concat())
    };
    let head = row("th", table.head.iter().map(|text| escape(text)).collect());
    let rows: String =
        table.rows.iter().map(|cells| row("td", cells.iter().map(|text| escape(text)).collect())).collect();
    format!("<div class=\"scroll\"><table>\n{head}{rows}</table></div>\n")
}

/// Text for HTML and SVG.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
