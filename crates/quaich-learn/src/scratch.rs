//! Space that classifiers work in, kept from call to call.

use std::any::Any;

/// Space for any classifier: one value of every type that was asked for.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Few: there is hardly more than one type a kind of classifier.
    spaces: Vec<Box<dyn Any + Send>>,
}

impl Scratch {
    /// The space of this type, as the last user left it.
    ///
    /// # Panics
    /// Never: it is found or made as what it is.
    pub fn of<T: Any + Send + Default>(&mut self) -> &mut T {
        let found = self.spaces.iter().position(|space| space.is::<T>());
        let at = found.unwrap_or_else(|| {
            self.spaces.push(Box::<T>::default());
            self.spaces.len() - 1
        });
        self.spaces[at].downcast_mut().expect("found or made as this type")
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
