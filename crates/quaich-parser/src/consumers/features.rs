//! Morphological features (FEATS), both as a whole set and as individual features.

use std::collections::HashMap;

use quaich_treebank::Role;

use super::{Consumer, Kind};

/// The morphological features.
#[derive(Debug)]
pub(super) struct Features;

impl Consumer for Features {
    fn name(&self) -> &'static str {
        "feats"
    }

    fn help(&self) -> &'static str {
        "morphological features (FEATS)"
    }

    fn role(&self) -> Role {
        Role::Feats
    }

    fn kind(&self) -> Kind {
        Kind::Features
    }
}

/// If a treebank has more features than this, they are not predicted individually.
const MAX_FEATURES: usize = 64;

/// The individual features of a treebank: names with their values.
#[derive(Clone, Default, Debug)]
pub(super) struct Inventory {
    /// In the order of the cells. Value 0 of every feature means that the word does not have the feature.
    pub(super) features: Vec<Feature>,
}

/// A feature with its values.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    name: String,
    /// The values from number 1.
    values: Vec<String>,
}

/// Splits a cell into names and values.
fn parts(cell: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = cell.split('|').filter(|part| *part != "_");
    parts.map(|part| part.split_once('=').unwrap_or((part, "")))
}

impl Inventory {
    /// Collects the features of these cells. Empty if the cells do not list features in alphabetical order, because the format of an unseen
    /// cell is unknown then.
    pub(super) fn of<'c>(cells: impl Iterator<Item = &'c str>) -> Self {
        let mut features: Vec<Feature> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut cells: Vec<&str> = cells.collect();
        cells.sort_unstable();
        cells.dedup();
        for &cell in &cells {
            let names: Vec<String> = parts(cell).map(|(name, _)| name.to_lowercase()).collect();
            if !names.is_sorted() {
                return Self::default();
            }
            for (name, value) in parts(cell) {
                let place = *places.entry(name.to_owned()).or_insert_with(|| {
                    features.push(Feature { name: name.to_owned(), values: Vec::new() });
                    features.len() - 1
                });
                let values = &mut features[place].values;
                if !values.iter().any(|known| known == value) {
                    values.push(value.to_owned());
                }
            }
        }
        if features.len() > MAX_FEATURES {
            return Self::default();
        }
        features.sort_by_cached_key(|feature| (feature.name.to_lowercase(), feature.name.clone()));
        Self { features }
    }

    /// The number of values of each feature, including 0.
    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> {
        self.features.iter().map(|feature| feature.values.len() + 1)
    }

    /// The value of each feature in a cell.
    pub(super) fn values_of(&self, cell: &str) -> Vec<u32> {
        let mut values = vec![0; self.features.len()];
        for (name, value) in parts(cell) {
            if let Some(place) = self.features.iter().position(|feature| feature.name == name) {
                let number = self.features[place].values.iter().position(|known| known == value);
                values[place] = number.and_then(|number| u32::try_from(number + 1).ok()).unwrap_or(0);
            }
        }
        values
    }

    /// Formats a cell with these values.
    pub(super) fn write(&self, values: &[u32], cell: &mut String) {
        cell.clear();
        for (feature, &value) in self.features.iter().zip(values) {
            let Some(value) = value.checked_sub(1).and_then(|value| feature.values.get(value as usize))
            else {
                continue;
            };
            if !cell.is_empty() {
                cell.push('|');
            }
            cell.push_str(&feature.name);
            if !value.is_empty() {
                cell.push('=');
                cell.push_str(value);
            }
        }
        if cell.is_empty() {
            cell.push('_');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_split_and_reconstructed() {
        let cells =
            ["_", "Case=Nom|Number=Sing", "Case=Acc|Gender=Fem|Number=Plur", "Number=Plur", "Case=Nom"];
        let inventory = Inventory::of(cells.into_iter());
        assert_eq!(inventory.sizes().collect::<Vec<_>>(), [3, 2, 3]);
        let mut written = String::new();
        for cell in cells.into_iter().chain(["Case=Nom|Gender=Fem"]) {
            inventory.write(&inventory.values_of(cell), &mut written);
            assert_eq!(written, cell);
        }
    }

    #[test]
    fn unsorted_cells_are_not_split() {
        assert_eq!(
            Inventory::of(["Number=Sing|Case=Nom", "Case=Nom|Number=Plur"].into_iter()).sizes().count(),
            0
        );
    }
}
