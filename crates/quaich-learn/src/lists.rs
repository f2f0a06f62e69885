//! Lists of different lengths in one array.

/// Lists of different lengths.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lists<T> {
    items: Vec<T>,
    /// The end of each list among the items.
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// List `i` is `items[ends[i - 1]..ends[i]]`.
    pub(crate) fn from_parts(items: Vec<T>, ends: Vec<usize>) -> Self {
        assert!(
            ends.is_sorted() && ends.last().copied().unwrap_or(0) == items.len(),
            "the ends of the items"
        );
        Self { items, ends }
    }

    /// Adds a list; returns its number.
    pub(crate) fn push(&mut self, list: &[T]) -> usize {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len());
        self.ends.len() - 1
    }

    /// The number of lists.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub(crate) fn get(&self, list: usize) -> &[T] {
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        &self.items[start..self.ends[list]]
    }

    /// Removes all lists from number `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.items.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Removes items from all lists in place.
    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let (mut start, mut kept) = (0, 0);
        for end in &mut self.ends {
            for at in start..*end {
                if keep(&self.items[at]) {
                    self.items[kept] = self.items[at];
                    kept += 1;
                }
            }
            start = *end;
            *end = kept;
        }
        self.items.truncate(kept);
        self.items.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_kept_apart() {
        let mut lists = Lists::from_parts(vec![1, 2, 3, 4, 5], vec![2, 2, 5]);
        assert_eq!([0, 1, 2].map(|i| lists.get(i)), [&[1, 2][..], &[], &[3, 4, 5]]);
        assert_eq!(lists.push(&[6]), 3);
        lists.retain(|item| item % 2 == 0);
        assert_eq!([0, 1, 2, 3].map(|i| lists.get(i)), [&[2][..], &[], &[4], &[6]]);
        lists.truncate(3);
        assert_eq!((lists.len(), lists.items.len()), (3, 2));
    }
}
