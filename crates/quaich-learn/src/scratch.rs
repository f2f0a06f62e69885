//! Scratch space for classifiers, reused between calls.

use std::any::Any;

/// Scratch space for any classifier: one value of each requested type.
#[derive(Debug, Default)]
pub struct Scratch {
    /// There are few: hardly more than one type per kind of classifier.
    spaces: Vec<Box<dyn Any + Send>>,
}

impl Scratch {
    /// The value of this type, as the last user left it.
    ///
    /// # Panics
    /// Never: the value has this type.
    pub fn of<T: Any + Send + Default>(&mut self) -> &mut T {
        let found = self.spaces.iter().position(|space| space.is::<T>());
        let at = found.unwrap_or_else(|| {
            self.spaces.push(Box::<T>::default());
            self.spaces.len() - 1
        });
        self.spaces[at].downcast_mut().expect("the value has this type")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_own_space() {
        let mut scratch = Scratch::default();
        scratch.of::<Vec<f32>>().push(1.0);
        scratch.of::<Vec<i16>>().push(2);
        scratch.of::<Vec<f32>>().push(3.0);
        assert_eq!(scratch.of::<Vec<f32>>(), &[1.0, 3.0]);
        assert_eq!(scratch.of::<Vec<i16>>(), &[2]);
    }
}
