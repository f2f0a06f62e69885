//! Kernels over binary rows. A binary row is a set of values, so a kernel is a function of a small integer, the *code*: the number of
//! values that two rows share, or for `rbf` the number that only one of them has. Kernels are only ever computed as tables indexed by
//! code.

use crate::arrays::{Arrays, LoadError};
use crate::math;

/// The form of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// x·y
    Linear,
    /// (γ x·y + r)^d
    Polynomial,
    /// exp(−γ |x − y|²)
    Rbf,
}

/// Their names, in the order of LIBSVM's numbers.
pub(super) const FORMS: [(&str, Form); 3] =
    [("linear", Form::Linear), ("polynomial", Form::Polynomial), ("rbf", Form::Rbf)];

/// A kernel with its parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Kernel {
    pub(super) form: Form,
    pub(super) degree: u32,
    pub(super) gamma: f64,
    pub(super) coef0: f64,
}

impl Kernel {
    /// The code of two rows.
    #[cfg(test)]
    pub(super) fn code(&self, n_shared: usize, lengths: [usize; 2]) -> usize {
        match self.form {
            Form::Rbf => lengths[0] + lengths[1] - 2 * n_shared,
            _ => n_shared,
        }
    }

    /// The maximum code of rows up to this length.
    pub(super) fn max_code(&self, length: usize) -> usize {
        if self.form == Form::Rbf { 2 * length } else { length }
    }

    /// The kernel of a row with itself.
    pub(super) fn of_itself(&self, length: usize) -> f64 {
        self.value(if self.form == Form::Rbf { 0 } else { length })
    }

    /// The kernel of two rows by their code.
    pub(super) fn value(&self, code: usize) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "codes are small")]
        let code = code as f64;
        match self.form {
            Form::Linear => code,
            // Squares and products in LIBSVM's order, for the same rounding.
            Form::Polynomial => {
                let (mut power, mut square, mut rest) = (1.0, self.gamma * code + self.coef0, self.degree);
                while rest > 0 {
                    if rest % 2 == 1 {
                        power *= square;
                    }
                    square *= square;
                    rest /= 2;
                }
                power
            }
            Form::Rbf => math::exp(-self.gamma * code),
        }
    }

    /// The kernel by code, for rows up to this length.
    pub(super) fn table(&self, length: usize) -> Vec<f64> {
        (0..=self.max_code(length)).map(|code| self.value(code)).collect()
    }

    /// The contributions of one shared value and one shared pair of values, and the constant, for kernels that are sums of them.
    pub(super) fn expansion(&self) -> Option<Expansion> {
        let (g, r) = (self.gamma, self.coef0);
        match (self.form, self.degree) {
            (Form::Linear, _) => Some(Expansion { constant: 0.0, single: 1.0, pair: 0.0 }),
            (Form::Polynomial, 1) => Some(Expansion { constant: r, single: g, pair: 0.0 }),
            // (γk + r)² = r² + (γ² + 2γr) k + 2γ² k(k − 1)/2, and k(k − 1)/2 pairs are shared.
            (Form::Polynomial, 2) => {
                Some(Expansion { constant: r * r, single: g * g + 2.0 * g * r, pair: 2.0 * g * g })
            }
            _ => None,
        }
    }

    pub(super) fn save(&self, arrays: &mut Arrays) {
        let form = FORMS.iter().position(|&(_, form)| form == self.form).unwrap_or_default();
        arrays.set("kernel", &[form as u64, u64::from(self.degree)]);
        arrays.set("kernel_numbers", &[self.gamma, self.coef0]);
    }

    pub(super) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let whole: Vec<u64> = arrays.get_exactly("kernel", 2)?;
        let numbers: Vec<f64> = arrays.get_exactly("kernel_numbers", 2)?;
        let form = usize::try_from(whole[0]).ok().and_then(|form| FORMS.get(form));
        let (Some(&(_, form)), Ok(degree)) = (form, u32::try_from(whole[1])) else {
            return Err(LoadError::unfit("kernel", "is unknown"));
        };
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(LoadError::unfit("kernel_numbers", "contains NaN or infinity"));
        }
        Ok(Self { form, degree, gamma: numbers[0], coef0: numbers[1] })
    }
}

/// A kernel as a sum over shared values and pairs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Expansion {
    /// The constant.
    pub(super) constant: f64,
    /// Per shared value.
    pub(super) single: f64,
    /// Per shared pair of values.
    pub(super) pair: f64,
}

impl Expansion {
    /// Whether it is positive semidefinite: whether no coefficient is negative.
    pub(super) fn is_kernel(&self) -> bool {
        self.constant >= 0.0 && self.single >= 0.0 && self.pair >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expanded_kernel_is_the_kernel() {
        for (form, degree) in [(Form::Linear, 3), (Form::Polynomial, 1), (Form::Polynomial, 2)] {
            let kernel = Kernel { form, degree, gamma: 0.3, coef0: 0.7 };
            let Expansion { constant, single, pair } = kernel.expansion().unwrap();
            for (k, n) in (0..20).zip(0u8..) {
                let n = f64::from(n);
                let expanded = constant + single * n + pair * n * (n - 1.0) / 2.0;
                assert!((kernel.value(k) - expanded).abs() < 1e-12, "{kernel:?} of {k}");
            }
        }
        assert!(Kernel { form: Form::Rbf, degree: 2, gamma: 0.3, coef0: 0.7 }.expansion().is_none());
    }

    #[test]
    fn kernels_are_what_they_are_called() {
        let kernel = |form| Kernel { form, degree: 3, gamma: 0.5, coef0: 1.0 };
        assert!((kernel(Form::Linear).value(4) - 4.0).abs() < 1e-15);
        assert!((kernel(Form::Polynomial).value(4) - 27.0).abs() < 1e-12);
        assert!((kernel(Form::Rbf).value(4) - (-2.0f64).exp()).abs() < 1e-15);
        assert!((kernel(Form::Rbf).of_itself(9) - 1.0).abs() < 1e-15);
        assert_eq!(kernel(Form::Rbf).code(3, [5, 4]), 3);
        assert_eq!(kernel(Form::Linear).code(3, [5, 4]), 3);
    }
}
