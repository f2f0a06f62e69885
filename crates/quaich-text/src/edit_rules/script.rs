//! Edit scripts, which transform a prefix or suffix to another.

use super::AffixCopies;

/// An edit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Edit {
    /// Copies this number of characters.
    Copy(u16),
    /// Deletes this number of characters.
    Delete(u16),
    /// Inserts these characters.
    Insert(String),
}

/// A sequence of edits: none is empty, and adjacent edits are of different kinds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Script(Vec<Edit>);

impl Script {
    /// The script from `source` to `target`, both of at most [`super::MAX_LENGTH`] characters. With copies, this is the script with the
    /// minimum number of changes (in case of a tie, copies come before deletions, and deletions before insertions). Without copies, all
    /// characters are replaced.
    pub(super) fn between(source: &[char], target: &[char], copies: AffixCopies) -> Self {
        let mut script = Self::default();
        match copies {
            AffixCopies::Forbidden => {
                for _ in source {
                    script.delete();
                }
                for &c in target {
                    script.insert(c);
                }
            }
            AffixCopies::Allowed => {
                let (n, m) = (source.len(), target.len());
                // changes[i * (m + 1) + j]: the edit distance between source[i..] and target[j..].
                let mut changes = vec![0usize; (n + 1) * (m + 1)];
                let at = |i: usize, j: usize| i * (m + 1) + j;
                for i in (0..=n).rev() {
                    for j in (0..=m).rev() {
                        changes[at(i, j)] = if i == n || j == m {
                            (n - i) + (m - j)
                        } else if source[i] == target[j] {
                            changes[at(i + 1, j + 1)]
                        } else {
                            1 + changes[at(i + 1, j)].min(changes[at(i, j + 1)])
                        };
                    }
                }
                let (mut i, mut j) = (0, 0);
                while i < n || j < m {
                    if i < n && j < m && source[i] == target[j] {
                        script.copy();
                        (i, j) = (i + 1, j + 1);
                    } else if i < n && (j == m || changes[at(i, j)] == 1 + changes[at(i + 1, j)]) {
                        script.delete();
                        i += 1;
                    } else {
                        script.insert(target[j]);
                        j += 1;
                    }
                }
            }
        }
        script
    }

    fn copy(&mut self) {
        match self.0.last_mut() {
            Some(Edit::Copy(n)) => *n += 1,
            _ => self.0.push(Edit::Copy(1)),
        }
    }

    fn delete(&mut self) {
        match self.0.last_mut() {
            Some(Edit::Delete(n)) => *n += 1,
            _ => self.0.push(Edit::Delete(1)),
        }
    }

    fn insert(&mut self, c: char) {
        match self.0.last_mut() {
            Some(Edit::Insert(text)) => text.push(c),
            _ => self.0.push(Edit::Insert(c.into())),
        }
    }

    /// A script of these edits; `None` if it is not in canonical form.
    pub(super) fn from_edits(edits: Vec<Edit>) -> Option<Self> {
        let in_range = |n: u16| (1..=super::MAX_LENGTH).contains(&usize::from(n));
        let fits = edits.iter().all(|edit| match edit {
            Edit::Copy(n) | Edit::Delete(n) => in_range(*n),
            Edit::Insert(text) => !text.is_empty(),
        });
        let same_kind = |pair: &[Edit]| std::mem::discriminant(&pair[0]) == std::mem::discriminant(&pair[1]);
        (fits && !edits.windows(2).any(same_kind)).then_some(Self(edits))
    }

    pub(super) fn edits(&self) -> &[Edit] {
        &self.0
    }

    /// The length of the source affix.
    pub(super) fn source_length(&self) -> usize {
        let length = |edit: &Edit| match edit {
            Edit::Copy(n) | Edit::Delete(n) => usize::from(*n),
            Edit::Insert(_) => 0,
        };
        self.0.iter().map(length).sum()
    }

    /// Appends the result for an affix of [`Self::source_length`] characters.
    pub(super) fn apply(&self, mut affix: &[char], to: &mut Vec<char>) {
        for edit in &self.0 {
            match edit {
                Edit::Copy(n) | Edit::Delete(n) => {
                    let (taken, rest) = affix.split_at(usize::from(*n).min(affix.len()));
                    if matches!(edit, Edit::Copy(_)) {
                        to.extend(taken);
                    }
                    affix = rest;
                }
                Edit::Insert(text) => to.extend(text.chars()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, target: &str, copies: AffixCopies, expected: &[Edit]) {
        let (source, target): (Vec<char>, Vec<char>) = (source.chars().collect(), target.chars().collect());
        let script = Script::between(&source, &target, copies);
        assert_eq!(script.edits(), expected);
        assert_eq!(script.source_length(), source.len());
        let mut result = Vec::new();
        script.apply(&source, &mut result);
        assert_eq!(result, target);
    }

    #[test]
    fn copies_only_where_allowed() {
        use Edit::{Copy, Delete, Insert};
        check("", "", AffixCopies::Allowed, &[]);
        check("ies", "y", AffixCopies::Allowed, &[Delete(3), Insert("y".into())]);
        check("get", "g", AffixCopies::Forbidden, &[Delete(3), Insert("g".into())]);
        check("get", "g", AffixCopies::Allowed, &[Copy(1), Delete(2)]);
        check("abxcd", "abcde", AffixCopies::Allowed, &[Copy(2), Delete(1), Copy(2), Insert("e".into())]);
    }
}
