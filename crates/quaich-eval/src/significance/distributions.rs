//! Tails of the binomial, normal and t distributions, from the incomplete beta and gamma functions
//! (Abramowitz and Stegun 1964, chapters 6 and 26).

/// P(X ≤ k) for X ~ Bin(n, ½).
pub(super) fn binomial_tail(k: u64, n: u64) -> f64 {
    if k >= n {
        return 1.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let (k, n) = (k as f64, n as f64);
    incomplete_beta(n - k, k + 1.0, 0.5)
}

/// P(|Z| ≥ |z|) for a standard normal Z.
pub(super) fn normal_two_sided(z: f64) -> f64 {
    upper_gamma_half(z * z / 2.0)
}

/// P(|T| ≥ |t|) for Student's T with these degrees of freedom.
pub(super) fn t_two_sided(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// ln Γ(x) for x > 0: Stirling's series, after shifting x to where it is accurate.
fn ln_gamma(x: f64) -> f64 {
    const SERIES: [f64; 6] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let (mut x, mut shift) = (x, 0.0);
    while x < 12.0 {
        shift += x.ln();
        x += 1.0;
    }
    let square = x * x;
    let mut power = x;
    let mut series = 0.0;
    for coefficient in SERIES {
        series += coefficient / power;
        power *= square;
    }
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

/// The regularised incomplete beta function, by the continued fraction 26.5.8.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = a * x.ln() + b * (1.0 - x).ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    let coefficient = |step: u32| {
        let m = f64::from(step / 2);
        if step.is_multiple_of(2) {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        }
    };
    front.exp() / a / continued_fraction(1.0, |step| (coefficient(step), 1.0))
}

/// The upper incomplete gamma function Γ(½, x) / Γ(½): by its series for small x, by a continued fraction for large x.
fn upper_gamma_half(x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (-x + 0.5 * x.ln() - ln_gamma(0.5)).exp();
    if x < 1.5 {
        let (mut term, mut sum, mut a) = (2.0, 2.0, 0.5);
        while term > sum * 1e-17 {
            a += 1.0;
            term *= x / a;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    let fraction = continued_fraction(x + 0.5, |step| {
        let n = f64::from(step);
        (-n * (n - 0.5), x + 2.0 * n + 0.5)
    });
    front / fraction
}

/// b₀ + a₁/(b₁ + a₂/(b₂ + …)), by Lentz's method; `term` returns aₙ and bₙ.
fn continued_fraction(start: f64, term: impl Fn(u32) -> (f64, f64)) -> f64 {
    const TINY: f64 = 1e-300;
    const STEPS: u32 = 100_000;
    let away_from_0 = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut value = away_from_0(start);
    let (mut c, mut d) = (value, 0.0);
    for step in 1..STEPS {
        let (a, b) = term(step);
        d = 1.0 / away_from_0(b + a * d);
        c = away_from_0(b + a / c);
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn gamma_of_whole_and_half_numbers() {
        close(ln_gamma(5.0), 24.0_f64.ln());
        close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
        close(ln_gamma(101.0), (1..=100).map(|n| f64::from(n).ln()).sum());
    }

    #[test]
    fn binomial_tails_are_sums_of_coefficients() {
        for n in 1..=60_u64 {
            let (mut coefficient, mut sum) = (1.0_f64, 0.0);
            for k in 0..n {
                sum += coefficient;
                #[allow(clippy::cast_precision_loss, reason = "small numbers")]
                close(binomial_tail(k, n), sum / 2.0_f64.powf(n as f64));
                #[allow(clippy::cast_precision_loss, reason = "small numbers")]
                let factor = (n - k) as f64 / (k + 1) as f64;
                coefficient *= factor;
            }
            close(binomial_tail(n, n), 1.0);
        }
        // Too large to sum: half of an even split, and the normal approximation.
        let p = binomial_tail(499_000, 1_000_000);
        assert!((2.0 * p - normal_two_sided((1000.0 - 0.5) / 500.0)).abs() < 1e-5, "{p}");
    }

    #[test]
    fn normal_and_t_are_those_of_the_tables() {
        // Quantiles from standard tables: 97.5 % and 99.5 %.
        for (z, p) in [
            (1.959_963_984_540_054, 0.05),
            (2.575_829_303_548_901, 0.01),
            (0.0, 1.0),
            (1.0, 0.317_310_507_862_914),
        ] {
            close(normal_two_sided(z), p);
        }
        for (t, freedom, p) in
            [(12.706_204_736, 1.0, 0.05), (2.228_138_852, 10.0, 0.05), (2.750_0, 30.0, 0.01)]
        {
            assert!((t_two_sided(t, freedom) - p).abs() < 1e-6, "{t} {freedom}");
        }
        // One degree of freedom is Cauchy's distribution.
        close(t_two_sided(1.0, 1.0), 0.5);
        // And infinitely many are the normal one.
        assert!((t_two_sided(1.959_963_984, 1e6) - 0.05).abs() < 1e-6);
    }
}
