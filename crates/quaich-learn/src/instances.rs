//! Training instances: which features are on, and which class is right.

/// Instances with binary features, one after the other in flat arrays.
///
/// Feature ids and classes are dense: below [`n_features`](Self::n_features) and
/// [`n_classes`](Self::n_classes).
#[derive(Clone, Debug)]
pub struct Instances {
    features: Vec<u32>,
    ends: Vec<usize>,
    classes: Vec<u32>,
    n_features: usize,
    n_classes: usize,
}

impl Instances {
    /// No instances yet.
    pub fn new(n_features: usize, n_classes: usize) -> Self {
        Self { features: Vec::new(), ends: Vec::new(), classes: Vec::new(), n_features, n_classes }
    }

    /// Instances from rows of `width` features each, in which `absent` stands for no feature. The
    /// memory of `rows` is kept, so that there is never a second copy.
    ///
    /// # Panics
    /// When a class is not below `n_classes`.
    pub fn from_rows(
        mut rows: Vec<u32>,
        width: usize,
        absent: u32,
        classes: &[u32],
        n_features: usize,
        n_classes: usize,
    ) -> Self {
        assert!(classes.iter().all(|&class| (class as usize) < n_classes), "classes are dense");
        let mut ends = Vec::with_capacity(classes.len());
        let mut end = 0;
        for row in 0..classes.len() {
            for at in row * width..(row + 1) * width {
                let feature = rows[at];
                if feature != absent {
                    rows[end] = feature;
                    end += 1;
                }
            }
            ends.push(end);
        }
        rows.truncate(end);
        rows.shrink_to_fit();
        Self { features: rows, ends, classes: classes.to_vec(), n_features, n_classes }
    }

    /// Makes room for `n` instances of `width` features each.
    pub fn reserve(&mut self, n: usize, width: usize) {
        self.features.reserve(n * width);
        self.ends.reserve(n);
        self.classes.reserve(n);
    }

    /// Adds an instance.
    ///
    /// # Panics
    /// When the class is not below `n_classes`.
    pub fn push(&mut self, features: impl IntoIterator<Item = u32>, class: u32) {
        assert!((class as usize) < self.n_classes, "classes are dense");
        self.features.extend(features);
        self.ends.push(self.features.len());
        self.classes.push(class);
    }

    /// The number of instances.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of features there can be.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The number of classes there can be.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The features of an instance.
    #[inline]
    pub fn features(&self, instance: usize) -> &[u32] {
        let start = if instance == 0 { 0 } else { self.ends[instance - 1] };
        &self.features[start..self.ends[instance]]
    }

    /// The class of an instance.
    #[inline]
    pub fn class(&self, instance: usize) -> u32 {
        self.classes[instance]
    }
}
