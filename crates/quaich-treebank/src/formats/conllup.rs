//! CoNLL-U Plus: CoNLL-U with custom columns, named in the first line of a file: `# global.columns = ID FORM UPOS HEAD
//! DEPREL PARSEME:MWE`. <https://universaldependencies.org/ext-format.html>

use std::borrow::Cow;

use super::{Format, Sample, conllu};
use crate::layout::{Column, Layout, Role};

/// CoNLL-U Plus.
#[derive(Debug)]
pub struct ConllUPlus;

const NAME: &str = "conllup";
/// The most columns that a layout can have; more would be a mistake.
const MAX_COLUMNS: usize = 200;

impl Format for ConllUPlus {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "CoNLL-U Plus: CoNLL-U with the columns that the first line names (# global.columns = …)"
    }

    /// The columns of CoNLL-U, for files that do not name columns and for conversion to this format.
    fn layout(&self) -> Layout {
        declared(conllu::layout().columns().to_vec())
    }

    fn likelihood(&self, sample: &Sample<'_>) -> u32 {
        if Layout::declared_columns(sample.first_line).is_some() { 9 } else { 0 }
    }

    fn layout_of(&self, first_line: &str) -> Result<Layout, String> {
        let Some(names) = Layout::declared_columns(first_line) else { return Ok(self.layout()) };
        let known = conllu::layout();
        let mut columns: Vec<Column> = Vec::new();
        for name in names.split_whitespace() {
            let role = known.columns().iter().find(|column| column.name == name).map(|column| column.role);
            if columns.iter().any(|column| column.name == name) {
                return Err(format!("found column `{name}` twice in global.columns"));
            }
            columns.push(Column { name: Cow::Owned(name.to_owned()), role: role.unwrap_or(Role::Other) });
        }
        if columns.len() > MAX_COLUMNS {
            return Err(format!(
                "found {} columns in global.columns, expected at most {MAX_COLUMNS}",
                columns.len()
            ));
        }
        if !columns.iter().any(|column| column.role == Role::Form) {
            return Err("found no column FORM in global.columns, expected one".to_owned());
        }
        Ok(declared(columns))
    }
}

fn declared(columns: Vec<Column>) -> Layout {
    let mut layout = Layout::new(NAME, columns);
    layout.comments = true;
    layout.ranges = layout.position(Role::Id) == Some(0);
    layout.declared = true;
    layout
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_columns() {
        let layout =
            ConllUPlus.layout_of("\u{feff}# global.columns = ID FORM HEAD DEPREL PARSEME:MWE").unwrap();
        assert_eq!(layout.position(Role::Head), Some(2));
        assert_eq!(layout.columns()[4].name, "PARSEME:MWE");
        assert_eq!(layout.header().unwrap(), "# global.columns = ID FORM HEAD DEPREL PARSEME:MWE\n");
        assert!(ConllUPlus.layout_of("# global.columns = ID HEAD").unwrap_err().contains("FORM"));
        assert!(ConllUPlus.layout_of("# global.columns = FORM FORM").unwrap_err().contains("twice"));
    }
}
