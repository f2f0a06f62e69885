//! Groups named by the data.

use quaich_treebank::symbols::{Symbol, Symbols};

/// One group per name, in the order of first occurrence.
pub(super) struct Named<S, G> {
    names: Symbols<S>,
    groups: Vec<G>,
}

impl<S: Symbol, G> Default for Named<S, G> {
    fn default() -> Self {
        Self { names: Symbols::new(), groups: Vec::new() }
    }
}

impl<S: Symbol, G: Default + Copy> Named<S, G> {
    /// Returns the group with this name, adding it if it is new.
    pub(super) fn group(&mut self, name: &str) -> &mut G {
        let index = self.names.intern(name).id() as usize;
        if index == self.groups.len() {
            self.groups.push(G::default());
        }
        &mut self.groups[index]
    }

    /// Returns the groups with their names, the largest first, ties by name.
    pub(super) fn by_size(&self, size: impl Fn(&G) -> u64) -> Vec<(String, G)> {
        let mut rows: Vec<(String, G)> =
            self.names.iter().map(|(_, name)| name.to_owned()).zip(self.groups.iter().copied()).collect();
        rows.sort_by(|(name, group), (other_name, other)| {
            size(other).cmp(&size(group)).then_with(|| name.cmp(other_name))
        });
        rows
    }
}
