//! The meaning of the columns of a row: the main difference between the column formats.

use std::borrow::Cow;

/// The meaning of a column to the parser. All other columns are preserved as text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Role {
    /// The token's number, counted from 1.
    Id,
    /// The word form.
    Form,
    /// The lemma.
    Lemma,
    /// The coarse part-of-speech tag: UPOS, CPOSTAG.
    CoarseTag,
    /// The fine part-of-speech tag: XPOS, POSTAG.
    FineTag,
    /// Morphological features, separated by `|`.
    Feats,
    /// The number of the head.
    Head,
    /// The dependency label.
    Label,
    /// Other annotation, separated by `|`; scores are written here.
    Misc,
    /// A column that is only preserved.
    Other,
}

/// The number of roles.
const N_ROLES: usize = Role::Other as usize + 1;

/// A column: its name in the documentation of the format, and its role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name used in messages.
    pub name: Cow<'static, str>,
    /// The role.
    pub role: Role,
}

/// The columns of a format, and the kinds of lines it has besides tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent property of a format")]
pub struct Layout {
    name: Cow<'static, str>,
    columns: Vec<Column>,
    positions: [Option<u8>; N_ROLES],
    /// The least number of columns; a row can end early.
    pub(crate) min_columns: usize,
    /// Whether rows can have more columns than these.
    pub(crate) extra_columns: bool,
    /// Whether lines that start with `#` are comments.
    pub(crate) comments: bool,
    /// Whether there are multiword ranges (`1-2`) and empty nodes (`1.1`).
    pub(crate) ranges: bool,
    /// The separator of cells.
    pub(crate) separator: u8,
    /// Whether the first line of a file names the columns.
    pub(crate) declared: bool,
}

impl Layout {
    /// Creates a layout with these columns, all required and separated by tabs, and no other kinds of lines.
    ///
    /// # Panics
    /// When there are more than 255 columns.
    pub fn new(name: impl Into<Cow<'static, str>>, columns: Vec<Column>) -> Self {
        let mut positions = [None; N_ROLES];
        for (position, column) in columns.iter().enumerate().rev() {
            positions[column.role as usize] = Some(u8::try_from(position).expect("at most 255 columns"));
        }
        Self {
            name: name.into(),
            min_columns: columns.len(),
            columns,
            positions,
            extra_columns: false,
            comments: false,
            ranges: false,
            separator: b'\t',
            declared: false,
        }
    }

    /// Creates a layout from names and roles known at compile time.
    pub(crate) fn of(name: &'static str, columns: &[(&'static str, Role)]) -> Self {
        let columns =
            columns.iter().map(|&(name, role)| Column { name: Cow::Borrowed(name), role }).collect();
        Self::new(name, columns)
    }

    /// Returns the name of the format.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the index of a role's column, if the format has one. [`Role::Other`] may have several columns; this
    /// returns the first.
    #[inline]
    pub fn position(&self, role: Role) -> Option<usize> {
        self.positions[role as usize].map(usize::from)
    }

    /// Whether a cell can have this value: nothing in it ends the cell.
    pub fn can_hold(&self, value: &str) -> bool {
        !value.contains([char::from(self.separator), '\n'])
    }

    /// Whether lines that start with `#` are comments in this format.
    pub fn has_comments(&self) -> bool {
        self.comments
    }

    /// Returns the columns that the first line of a file in CoNLL-U Plus or CoNLL-U names.
    pub(crate) fn declared_columns(line: &str) -> Option<&str> {
        let comment = line.trim_start_matches('\u{feff}').strip_prefix('#')?;
        let (key, names) = comment.split_once('=')?;
        (key.trim() == "global.columns").then(|| names.trim())
    }

    /// Whether these are the names of the columns.
    pub(crate) fn has_columns(&self, names: &str) -> bool {
        names.split_whitespace().eq(self.columns.iter().map(|column| column.name.as_ref()))
    }

    /// Returns the first line of a file, if it names the columns.
    pub(crate) fn header(&self) -> Option<String> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_ref()).collect();
        self.declared.then(|| format!("# global.columns = {}\n", names.join(" ")))
    }

    /// Whether the format has multiword ranges and empty nodes.
    pub fn has_ranges(&self) -> bool {
        self.ranges
    }
}
