//! Tables as people want them: aligned, or for Markdown and LaTeX.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quaich::treebank::visible::visible;

use crate::output;

/// Rows of cells. Where the rows of a table have different lengths the first is its head.
pub(crate) type Rows = Vec<Vec<String>>;

/// How tables are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum TableStyle {
    /// Columns that are aligned by spaces.
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
            Self::Text => "columns aligned by spaces",
            Self::Markdown => "Markdown tables",
            Self::Latex => "LaTeX tabular environments",
        }
    }

    /// Reads a name.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        let values = Self::ALL.map(|style| PossibleValue::new(style.name()).help(style.about()));
        // Only these names reach the map.
        PossibleValuesParser::new(values)
            .map(|name| Self::ALL.into_iter().find(|style| style.name() == name).unwrap_or_default())
    }

    /// Tables, with a blank line between two.
    pub(crate) fn tables(self, tables: &[Rows]) -> String {
        let table: fn(&Rows) -> String = match self {
            Self::Text => |rows| output::table(rows),
            Self::Markdown => markdown,
            Self::Latex => latex,
        };
        tables.iter().map(table).collect::<Vec<_>>().join("\n")
    }
}

/// How many columns a table has, and whether its first row is a head: a table of names and values has none.
fn shape(rows: &Rows) -> (usize, bool) {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    (n_columns, n_columns > 2 || rows.first().is_some_and(|row| row[0].is_empty()))
}

/// A row with as many cells as the table has columns.
fn padded(row: &[String], n_columns: usize, escape: fn(&str) -> String) -> Vec<String> {
    let missing = n_columns - row.len();
    row.iter().map(|cell| escape(&visible(cell))).chain(std::iter::repeat_n(String::new(), missing)).collect()
}

fn markdown(rows: &Rows) -> String {
    let (n_columns, has_head) = shape(rows);
    let line = |row: &[String]| {
        let cells = padded(row, n_columns, |cell| cell.replace('|', "\\|").replace('*', "\\*"));
        format!("| {} |\n", cells.join(" | "))
    };
    let (head, rows) = if has_head { rows.split_at(1) } else { rows.split_at(0) };
    let head = head.first().map_or_else(|| line(&[]), |head| line(head));
    let rule = format!("|---|{}\n", "--:|".repeat(n_columns.saturating_sub(1)));
    head + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

fn latex(rows: &Rows) -> String {
    let (n_columns, has_head) = shape(rows);
    let line = |row: &Vec<String>| format!("{} \\\\\n", padded(row, n_columns, latex_escaped).join(" & "));
    let (head, rows) = if has_head { rows.split_at(1) } else { rows.split_at(0) };
    let head: String = head.iter().map(|head| line(head) + "\\hline\n").collect();
    let columns = "r".repeat(n_columns.saturating_sub(1));
    let rows: String = rows.iter().map(line).collect();
    format!("\\begin{{tabular}}{{l{columns}}}\n\\hline\n{head}{rows}\\hline\n\\end{{tabular}}\n")
}

/// Text that LaTeX prints as it is.
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

/// A probability as tables show it.
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
    fn names_and_values_have_no_head() {
        let table = rows(&[&["tokens", "3"]]);
        assert_eq!(
            TableStyle::Markdown.tables(std::slice::from_ref(&table)),
            "|  |  |\n|---|--:|\n| tokens | 3 |\n"
        );
        assert!(!TableStyle::Latex.tables(&[table]).contains("tokens & 3 \\\\\n\\hline\n\\hline"));
    }
}
