//! A least-recently-used cache of kernel rows.

/// No such row or place.
const NONE: u32 = u32::MAX;

/// Rows of one length.
#[derive(Debug, Default)]
pub(super) struct Cache<T> {
    cells: Vec<T>,
    length: usize,
    capacity: usize,
    /// Indexed by row number: its place, or [`NONE`].
    place_of: Vec<u32>,
    /// One per place: its row number, and the linked list by time of use.
    places: Vec<Place>,
    oldest: u32,
    newest: u32,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    row: u32,
    older: u32,
    newer: u32,
}

impl<T: Copy + Default> Cache<T> {
    /// Clears the cache; there will be `length` rows of as many cells. The cache has this many bytes, but at least two rows.
    pub(super) fn reset(&mut self, length: usize, n_bytes: usize) {
        let row_bytes = (length * size_of::<T>()).max(1);
        self.length = length;
        self.capacity = (n_bytes / row_bytes).clamp(2, length.max(2)).min(NONE as usize - 1);
        self.place_of.clear();
        self.place_of.resize(length, NONE);
        self.places.clear();
        (self.oldest, self.newest) = (NONE, NONE);
    }

    /// Looks up a row; `make` computes it if it is missing. The row of the previous lookup stays valid.
    pub(super) fn find(&mut self, row: usize, make: impl FnOnce(&mut [T])) -> usize {
        let mut place = self.place_of[row];
        if place != NONE {
            if place != self.newest {
                self.unlink(place);
                self.link(place);
            }
            return place as usize;
        }
        if self.places.len() < self.capacity {
            place = u32::try_from(self.places.len()).expect("fewer places than rows");
            self.places.push(Place { row: NONE, older: NONE, newer: NONE });
            let n_cells = self.places.len() * self.length;
            if self.cells.len() < n_cells {
                self.cells.resize(n_cells, T::default());
            }
        } else {
            place = self.oldest;
            self.place_of[self.places[place as usize].row as usize] = NONE;
            self.unlink(place);
        }
        self.places[place as usize].row = u32::try_from(row).expect("rows have numbers of 32 bits");
        self.place_of[row] = place;
        self.link(place);
        make(&mut self.cells[place as usize * self.length..][..self.length]);
        place as usize
    }

    /// The row at a place.
    pub(super) fn at(&self, place: usize) -> &[T] {
        &self.cells[place * self.length..][..self.length]
    }

    fn unlink(&mut self, place: u32) {
        let Place { older, newer, .. } = self.places[place as usize];
        match self.places.get_mut(older as usize) {
            Some(neighbour) => neighbour.newer = newer,
            None => self.oldest = newer,
        }
        match self.places.get_mut(newer as usize) {
            Some(neighbour) => neighbour.older = older,
            None => self.newest = older,
        }
    }

    fn link(&mut self, place: u32) {
        let older = std::mem::replace(&mut self.newest, place);
        (self.places[place as usize].older, self.places[place as usize].newer) = (older, NONE);
        match self.places.get_mut(older as usize) {
            Some(neighbour) => neighbour.newer = place,
            None => self.oldest = place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_unused_for_longest_goes() {
        let mut cache = Cache::<u8>::default();
        for _ in 0..2 {
            // Space for three of five rows.
            cache.reset(5, 15);
            let mut made = String::new();
            for row in [0u8, 1, 2, 0, 3, 0, 1, 1, 4, 2] {
                let place = cache.find(usize::from(row), |cells| {
                    made += &row.to_string();
                    cells.fill(row);
                });
                assert_eq!(cache.at(place), [row; 5]);
            }
            assert_eq!(made, "0123142");
        }
    }

    #[test]
    fn two_rows_are_kept_however_little_room_there_is() {
        let mut cache = Cache::<u16>::default();
        cache.reset(4, 0);
        let places = [3, 1].map(|row: u16| cache.find(usize::from(row), |cells| cells.fill(row)));
        assert_eq!(places.map(|place| cache.at(place)[0]), [3, 1]);
    }
}
