//! Head rules by category, read from a small file; for bracketed treebanks.
//!
//! One line per rule: a category, a direction, and names of children, the best one first. Each name is searched for among
//! all children, from the left or from the right, before the next name is. A category with several lines has their names one
//! after the other. If nothing is found, the head is the first child, or with direction `right` the last; this direction is
//! that of the category's first line. `*` is the category of all those without a line. Lines that start with `#` are
//! comments. Function tags are ignored: a line for `NP` is one for `NP-SBJ`, too.
//!
//! ```text
//! S     left   VP S SBAR
//! NP    right  NN NNS NNP
//! NP    left   NP
//! *     left
//! ```

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::tree::{Kind, Kinds};

/// Head rules by category.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeadTable {
    /// In the order of the file.
    lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    category: String,
    from_right: bool,
    names: Vec<String>,
}

impl HeadTable {
    /// Reads the text of a file; `file` is its name, for errors.
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let mut words = line.split_whitespace();
            let Some(category) = words.next().filter(|word| !word.starts_with('#')) else { continue };
            let word = words.next().unwrap_or_default();
            let from_right = match word {
                "left" => false,
                "right" => true,
                _ => {
                    let found =
                        if word.is_empty() { "the end of the line".to_owned() } else { format!("`{word}`") };
                    let at = if word.is_empty() {
                        line.len()
                    } else {
                        word.as_ptr() as usize - line.as_ptr() as usize
                    };
                    return Err(Error::Malformed {
                        file: file.to_owned(),
                        line: number,
                        column: line[..at].chars().count() + 1,
                        reason: format!("found {found}, expected the direction `left` or `right`"),
                    });
                }
            };
            let names = words.map(str::to_owned).collect();
            lines.push(Line { category: category.to_owned(), from_right, names });
        }
        Ok(Self { lines })
    }

    /// Returns the rules for the kinds of a table.
    pub(crate) fn resolve(&self, kinds: &Kinds) -> ResolvedTable {
        let mut numbers = FxHashMap::default();
        let mut table = ResolvedTable::default();
        for line in &self.lines {
            let n = u32::try_from(numbers.len()).expect("as many as lines");
            let category = *numbers.entry(line.category.as_str()).or_insert(n) as usize;
            if category == table.categories.len() {
                table.categories.push(Category::default());
            }
            let category = &mut table.categories[category];
            if category.from_right.is_empty() {
                category.default_from_right = line.from_right;
            }
            for name in &line.names {
                let rank = u32::try_from(category.from_right.len()).expect("as many as words");
                category.ranks.entry(name.clone()).or_insert(rank);
                category.from_right.push(line.from_right);
            }
        }
        let default = numbers.get("*").copied();
        for (_, name) in kinds.iter() {
            let name = without_function_tags(name);
            table.names.push(name.to_owned());
            table.category_of.push(numbers.get(name).copied().or(default));
        }
        table
    }
}

/// Returns the category of a name with function tags and indices: `NP` of `NP-SBJ-1` and `NP=2`.
pub fn without_function_tags(name: &str) -> &str {
    // `-NONE-` and `-LRB-` have no function tags.
    if name.starts_with('-') {
        return name;
    }
    let end = name.find(['-', '=']).unwrap_or(name.len());
    &name[..end]
}

/// Head rules with everything looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResolvedTable {
    categories: Vec<Category>,
    /// The names without function tags, by kind.
    names: Vec<String>,
    /// By kind.
    category_of: Vec<Option<u32>>,
}

#[derive(Clone, Debug, Default)]
struct Category {
    ranks: FxHashMap<String, u32>,
    /// By rank.
    from_right: Vec<bool>,
    default_from_right: bool,
}

impl ResolvedTable {
    fn category(&self, parent: Kind) -> Option<&Category> {
        let number = self.category_of.get(parent.0 as usize).copied().flatten()?;
        self.categories.get(number as usize)
    }

    /// Returns the rank of a child, 0 for the best.
    pub(crate) fn rank(&self, parent: Kind, name: Kind) -> u32 {
        let rank = |category: &Category| category.ranks.get(self.names.get(name.0 as usize)?).copied();
        self.category(parent).and_then(rank).unwrap_or(u32::MAX)
    }

    /// Whether the last of several children of this rank is the head.
    pub(crate) fn is_from_right(&self, parent: Kind, rank: u32) -> bool {
        self.category(parent).is_some_and(|category| {
            category.from_right.get(rank as usize).copied().unwrap_or(category.default_from_right)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_tags() {
        for (name, expected) in
            [("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("-LRB-", "-LRB-"), ("VP", "VP"), ("", "")]
        {
            assert_eq!(without_function_tags(name), expected);
        }
    }

    #[test]
    fn errors_have_places() {
        let error = HeadTable::parse("# head rules\n\nNP right NN\n  VP VB\n", "rules.txt").unwrap_err();
        assert_eq!(error.to_string(), "rules.txt:4:6: found `VB`, expected the direction `left` or `right`");
        let error = HeadTable::parse("NP", "rules.txt").unwrap_err();
        assert_eq!(
            error.to_string(),
            "rules.txt:1:3: found the end of the line, expected the direction `left` or `right`"
        );
    }
}
