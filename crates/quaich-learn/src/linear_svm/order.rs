//! LIBLINEAR's order of instances. Training stops before the optimum by default, so the result depends on it.
//!
//! LIBLINEAR shuffles with the C library's `rand`. That of glibc is an additive feedback generator: each number is the sum of the third
//! and the thirty-first previous one, and the output omits the last bit.

use crate::arrays::{Arrays, LoadError};

/// The distance to the oldest number that the next one depends on.
const LAST: usize = 31;
const NEAR: usize = 3;
/// The number of initial outputs that are discarded.
const THROWN_AWAY: usize = 10 * LAST;

/// A shuffler with the random numbers of glibc's `rand`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shuffler {
    /// The last numbers, as a ring buffer.
    numbers: [u32; LAST],
    /// The position of the oldest number.
    at: usize,
}

impl Shuffler {
    /// A shuffler with this seed; LIBLINEAR uses 1.
    pub(super) fn new(seed: u64) -> Self {
        const MODULUS: u64 = (1 << 31) - 1;
        // As in glibc, a seed of 0 counts as 1.
        let mut number = (seed % MODULUS).max(1);
        let numbers = std::array::from_fn(|_| {
            let this = number;
            number = number * 16_807 % MODULUS;
            u32::try_from(this).expect("below 2³¹")
        });
        let mut order = Self { numbers, at: NEAR };
        (0..THROWN_AWAY).for_each(|_| {
            order.number();
        });
        order
    }

    /// The next number, below 2³¹.
    fn number(&mut self) -> u32 {
        let near = self.numbers[(self.at + LAST - NEAR) % LAST];
        let number = self.numbers[self.at].wrapping_add(near);
        self.numbers[self.at] = number;
        self.at = (self.at + 1) % LAST;
        number >> 1
    }

    /// Shuffles instances.
    pub(super) fn shuffle(&mut self, instances: &mut [u32]) {
        let n = instances.len();
        for at in 0..n {
            instances.swap(at, at + self.number() as usize % (n - at));
        }
    }

    pub(super) fn save(&self, arrays: &mut Arrays) {
        arrays.set("numbers", &self.numbers);
        arrays.set_one("number_at", self.at as u64);
    }

    pub(super) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let numbers: Vec<u32> = arrays.get_exactly("numbers", LAST)?;
        let at = usize::try_from(arrays.one::<u64>("number_at")?).ok().filter(|&at| at < LAST);
        let at = at.ok_or_else(|| LoadError::unfit("number_at", "is out of range"))?;
        let numbers =
            numbers.try_into().map_err(|_| LoadError::unfit("numbers", "has an unexpected length"))?;
        Ok(Self { numbers, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_library() {
        // The output of `rand` in a C program that has not called `srand`, and after `srand(42)`.
        let mut order = Shuffler::new(1);
        let first = [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915, 1_957_747_793];
        assert_eq!([(); 5].map(|()| order.number()), first);
        let mut order = Shuffler::new(42);
        assert_eq!([(); 3].map(|()| order.number()), [71_876_166, 708_592_740, 1_483_128_881]);
        assert_eq!(Shuffler::new(0), Shuffler::new(1));
    }

    #[test]
    fn an_order_goes_on_where_it_was_saved() {
        let mut order = Shuffler::new(7);
        let mut instances: Vec<u32> = (0..50).collect();
        order.shuffle(&mut instances);
        let mut arrays = Arrays::default();
        order.save(&mut arrays);
        let mut again = Shuffler::load(&arrays).unwrap();
        let mut others = instances.clone();
        order.shuffle(&mut instances);
        again.shuffle(&mut others);
        assert_eq!(others, instances);
        instances.sort_unstable();
        assert_eq!(instances, (0..50).collect::<Vec<u32>>());
    }
}
