//! Custom column formats, described in a small TOML file:
//!
//! ```toml
//! name = "mine"
//! columns = ["form", "lemma", "tag", "other:NER", "head", "label"]
//! separator = "tab"     # or "space"
//! comments = true       # lines that start with # are comments
//! ranges = false        # rows numbered 1-2 and 1.1 are not tokens
//! min_columns = 3       # shorter rows are allowed down to this
//! extra_columns = false # longer rows are allowed
//! ```

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Error, Result};
use crate::layout::{Column, Layout, Role};
use crate::side_file;

/// The fields of a format file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FormatFile {
    name: String,
    columns: Vec<String>,
    #[serde(default)]
    separator: Separator,
    #[serde(default)]
    comments: bool,
    #[serde(default)]
    ranges: bool,
    min_columns: Option<usize>,
    #[serde(default)]
    extra_columns: bool,
}

#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Separator {
    #[default]
    Tab,
    Space,
}

/// The names of columns in a format file.
const ROLES: &[(&str, Role)] = &[
    ("id", Role::Id),
    ("form", Role::Form),
    ("lemma", Role::Lemma),
    ("coarse-tag", Role::CoarseTag),
    ("tag", Role::FineTag),
    ("feats", Role::Feats),
    ("head", Role::Head),
    ("label", Role::Label),
    ("misc", Role::Misc),
    ("other", Role::Other),
];

/// Reads a format file.
pub fn load(path: &Path) -> Result<Layout> {
    let file = path.display().to_string();
    parse(&side_file::read(path)?, &file)
}

/// Parses the text of a format file.
pub fn parse(text: &str, file: &str) -> Result<Layout> {
    let wrong = |reason: String| Error::FormatFile { file: file.to_owned(), reason };
    let described: FormatFile =
        toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
    let mut columns = Vec::new();
    for given in &described.columns {
        let (kind, name) = given.split_once(':').unwrap_or((given, given));
        let Some(&(_, role)) = ROLES.iter().find(|(known, _)| *known == kind) else {
            let unknown = Error::unknown_name("column", kind, ROLES.iter().map(|(known, _)| *known));
            return Err(wrong(unknown.to_string()));
        };
        if role != Role::Other && columns.iter().any(|column: &Column| column.role == role) {
            return Err(wrong(format!("column `{kind}` is given twice")));
        }
        columns.push(Column { name: Cow::Owned(name.to_uppercase()), role });
    }
    if !columns.iter().any(|column| column.role == Role::Form) {
        return Err(wrong("there is no column `form`".to_owned()));
    }
    if columns.len() > 200 {
        return Err(wrong("there are more than 200 columns".to_owned()));
    }
    if described.ranges && columns[0].role != Role::Id {
        return Err(wrong("`ranges` needs `id` as the first column".to_owned()));
    }
    let n_columns = columns.len();
    let mut layout = Layout::new(described.name, columns);
    layout.separator = match described.separator {
        Separator::Tab => b'\t',
        Separator::Space => b' ',
    };
    layout.comments = described.comments;
    layout.ranges = described.ranges;
    layout.min_columns = described.min_columns.unwrap_or(n_columns).clamp(1, n_columns);
    layout.extra_columns = described.extra_columns;
    Ok(layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_file_gives_a_layout() {
        let layout =
            parse("name = \"mine\"\ncolumns = [\"form\", \"other:NER\", \"head\", \"label\"]\nseparator = \"space\"", "f")
                .unwrap();
        assert_eq!(layout.name(), "mine");
        assert_eq!(layout.position(Role::Head), Some(2));
        assert_eq!(layout.position(Role::Id), None);
        assert_eq!(layout.columns()[1].name, "NER");
    }

    #[test]
    fn mistakes_are_explained() {
        let message = |text: &str| parse(text, "f.toml").unwrap_err().to_string();
        assert!(message("name = \"x\"\ncolumns = [\"fom\"]").contains("unknown column `fom`; known: form"));
        assert!(message("name = \"x\"\ncolumns = [\"head\"]").contains("no column `form`"));
        assert!(message("name = \"x\"\ncolums = []").contains("unknown field `colums`"));
    }
}
