//! Which column of a row holds what: the one difference between the column formats.

use std::borrow::Cow;

/// What a column means to the parser. Everything else in a row is kept but not understood.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Role {
    /// The token's number, counted from 1.
    Id,
    /// The word form.
    Form,
    /// The lemma.
    Lemma,
    /// The coarse part of speech: UPOS, CPOSTAG.
    CoarseTag,
    /// The fine part of speech: XPOS, POSTAG.
    FineTag,
    /// Morphological features, separated by `|`.
    Feats,
    /// The number of the head.
    Head,
    /// The dependency label.
    Label,
    /// Anything else, separated by `|`: where scores are put.
    Misc,
    /// A column that is carried along.
    Other,
}

/// How many roles there are.
const N_ROLES: usize = Role::Other as usize + 1;

/// A column: its name as the format's documentation has it, and its role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name shown in messages.
    pub name: Cow<'static, str>,
    /// What it holds.
    pub role: Role,
}

/// The columns of a format and the kinds of line it knows besides tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that formats have or have not")]
pub struct Layout {
    name: Cow<'static, str>,
    columns: Vec<Column>,
    positions: [Option<u8>; N_ROLES],
    /// Rows may end early, but not before this many columns.
    pub(crate) min_columns: usize,
    /// Whether rows may have more columns than are named here.
    pub(crate) extra_columns: bool,
    /// Whether lines that start with `#` are comments.
    pub(crate) comments: bool,
    /// Whether there are multiword ranges (`1-2`) and empty nodes (`1.1`).
    pub(crate) ranges: bool,
    /// What stands between two cells.
    pub(crate) separator: u8,
    /// Whether the first line of a file names the columns.
    pub(crate) declared: bool,
}

impl Layout {
    /// A layout with these columns, every one of them required, separated by tabs, and no other
    /// kinds of line.
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

    /// A layout from names and roles known at compile time.
    pub(crate) fn of(name: &'static str, columns: &[(&'static str, Role)]) -> Self {
        let columns =
            columns.iter().map(|&(name, role)| Column { name: Cow::Borrowed(name), role }).collect();
        Self::new(name, columns)
    }

    /// The format's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Where a role's column is, if the format has one. [`Role::Other`] may have several columns;
    /// this names the first.
    #[inline]
    pub fn position(&self, role: Role) -> Option<usize> {
        self.positions[role as usize].map(usize::from)
    }

    /// Whether a cell can have this value: nothing in it would end the cell.
    pub fn can_hold(&self, value: &str) -> bool {
        !value.contains([char::from(self.separator), '\n'])
    }

    /// Whether lines that start with `#` are comments in this format.
    pub fn has_comments(&self) -> bool {
        self.comments
    }

    /// The columns that a line names, where it is the first line of a CoNLL-U Plus file, or of one in CoNLL-U.
    pub(crate) fn declared_columns(line: &str) -> Option<&str> {
        let comment = line.trim_start_matches('\u{feff}').strip_prefix('#')?;
        let (key, names) = comment.split_once('=')?;
        (key.trim() == "global.columns").then(|| names.trim())
    }

    /// Whether the columns are those that a line names.
    pub(crate) fn has_columns(&self, names: &str) -> bool {
        names.split_whitespace().eq(self.columns.iter().map(|column| column.name.as_ref()))
    }

    /// The first line of a file, where it names the columns.
    pub(crate) fn header(&self) -> Option<String> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_ref()).collect();
        self.declared.then(|| format!("# global.columns = {}\n", names.join(" ")))
    }

    /// Whether the format knows multiword ranges and empty nodes.
    pub fn has_ranges(&self) -> bool {
        self.ranges
    }
}
