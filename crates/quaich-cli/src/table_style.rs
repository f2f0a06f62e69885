//! Table styles: aligned text, Markdown and LaTeX.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quaich::treebank::visible::visible;

use crate::output;

/// Rows of cells. Short rows are padded.
pub(crate) type Rows = Vec<Vec<String>>;

/// The style of tables.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum TableStyle {
    /// Columns aligned with spaces.
    #[default]
    Text,
    /// Markdown.
    Markdown,
    /// LaTeX.
    Latex,
}

impl TableStyle {
    const ALL: [Self; 3] = [Self::Text, Self::Markdown, Self::Latex];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "md",
            Self::Latex => "latex",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Text => "columns aligned with spaces",
            Self::Markdown => "Markdown tables",
            Self::Latex => "LaTeX tabular environments",
        }
    }

    /// Parses a style name.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        let values = Self::ALL.map(|style| PossibleValue::new(style.name()).help(style.about()));
        // Only these names reach the map.
        PossibleValuesParser::new(values)
            .map(|name| Self::ALL.into_iter().find(|style| style.name() == name).unwrap_or_default())
    }

    /// Formats tables, separated by blank lines.
    pub(crate) fn tables(self, tables: &[Rows]) -> String {
        let table: fn(&Rows) -> String = match self {
            Self::Text => |rows| output::table(rows),
            Self::Markdown => markdown,
            Self::Latex => latex,
        };
        tables.iter().map(table).collect::<Vec<_>>().join("\n")
    }
}

/// The number of columns, and whether the first row is a header: tables of names and values have none.
fn shape(rows: &Rows) -> (usize, bool) {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    (n_columns, n_columns > 2 || rows.first().is_some_and(|row| row[0].is_empty()))
}

/// A row padded to the number of columns.
fn padded(row: &[String], n_columns: usize, escape: fn(&str) -> String) -> Vec<String> {
    let missing = n_columns - row.len();
    row.iter().map(|cell| escape(&visible(cell))).chain(std::iter::repeat_n(String::new(), missing)).collect()
}

fn markdown(rows: &Rows) -> String {
    let (n_columns, has_header) = shape(rows);
    let line = |row: &[String]| {
        let cells = padded(row, n_columns, |cell| cell.replace('|', "\\|").replace('*', "\\*"));
        format!("| {} |\n", cells.join(" | "))
    };
    let (header, rows) = if has_header { rows.split_at(1) } else { rows.split_at(0) };
    let header = header.first().map_or_else(|| line(&[]), |header| line(header));
    let rule = format!("|---|{}\n", "--:|".repeat(n_columns.saturating_sub(1)));
    header + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

fn latex(rows: &Rows) -> String {
    let (n_columns, has_header) = shape(rows);
    let line = |row: &Vec<String>| format!("{} \\\\\n", padded(row, n_columns, latex_escaped).join(" & "));
    let (header, rows) = if has_header { rows.split_at(1) } else { rows.split_at(0) };
    let header: String = header.iter().map(|header| line(header) + "\\hline\n").collect();
    let columns = "r".repeat(n_columns.saturating_sub(1));
    let rows: String = rows.iter().map(line).collect();
    format!("\\begin{{tabular}}{{l{columns}}}\n\\hline\n{header}{rows}\\hline\n\\end{{tabular}}\n")
}

/// Text escaped for LaTeX.
fn latex_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '–' => escaped.push_str("--"),
            '→' => escaped.push_str("$\\rightarrow$"),
            '²' => escaped.push_str("$^2$"),
            '…' => escaped.push_str("\\dots{}"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Formats a p-value.
pub(crate) fn probability(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.0001 => "<0.0001".to_owned(),
        Some(p) => format!("{p:.4}"),
        None => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[&str]]) -> Rows {
        rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect()
    }

    #[test]
    fn the_same_table_in_every_style() {
        let table = rows(&[&["label", "P", "R"], &["a_b", "–", "50.00"], &["*x*|y", "1"]]);
        let check = |style: TableStyle, expected: &str| {
            assert_eq!(style.tables(std::slice::from_ref(&table)), expected);
        };
        check(TableStyle::Text, "label  P      R\na_b    –  50.00\n*x*|y  1\n");
        check(
            TableStyle::Markdown,
            "| label | P | R |\n|---|--:|--:|\n| a_b | – | 50.00 |\n| \\*x\\*\\|y | 1 |  |\n",
        );
        check(
            TableStyle::Latex,
            "\\begin{tabular}{lrr}\n\\hline\nlabel & P & R \\\\\n\\hline\na\\_b & -- & 50.00 \\\\\n*x*\\textbar{}y & 1 &  \\\\\n\\hline\n\\end{tabular}\n",
        );
    }

    #[test]
    fn names_and_values_have_no_header() {
        let table = rows(&[&["tokens", "3"]]);
        assert_eq!(
            TableStyle::Markdown.tables(std::slice::from_ref(&table)),
            "|  |  |\n|---|--:|\n| tokens | 3 |\n"
        );
        assert!(!TableStyle::Latex.tables(&[table]).contains("tokens & 3 \\\\\n\\hline\n\\hline"));
    }
}
