//! Mathematical functions with the same results on every processor.
//!
//! The standard library calls the system's functions, whose versions for different processors differ in the last digit, so that models
//! would differ between machines. These functions only use additions and multiplications in a fixed order.

/// The exponential function, to within a few units in the last place; 0 below −87.
#[inline]
pub(crate) fn exp_f32(x: f32) -> f32 {
    // Taylor coefficients: 1/6!, 1/5!, … serve for |r| ≤ ln 2 / 2.
    const COEFFICIENTS: [f32; 7] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    // Adding and subtracting this rounds to an integer.
    const ROUND: f32 = 12_582_912.0;
    // ln 2; the first part is short enough for exact products with small integers.
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = (x - n * LN_2.0) - n * LN_2.1;
    let fraction = COEFFICIENTS.iter().fold(0.0, |sum: f32, coefficient| sum.mul_add(r, *coefficient));
    // The integer is in the lowest bits; extracting it is faster than converting the number.
    let power = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    if x <= -87.0 { 0.0 } else { fraction * power }
}

/// The exponential function, to within a few units in the last place; 0 below −700.
pub fn exp(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    let x = x.clamp(-700.0, 700.0);
    let n = (x * std::f64::consts::LOG2_E + ROUND) - ROUND;
    let r = (x - n * LN_2.0) - n * LN_2.1;
    // Horner's rule for the Taylor series, dividing by 13 to 1 instead of multiplying by coefficients.
    let fraction = (1..=13u8).rev().fold(1.0, |sum, i| 1.0 + sum * r / f64::from(i));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from -1010 to 1010")]
    let power = f64::from_bits(((n as i64 + 1023) as u64) << 52);
    if x <= -700.0 { 0.0 } else { fraction * power }
}

/// The exponential function without divisions, to within 1e-14: vectorises well.
#[inline]
pub(crate) fn exp_of_double(x: f64) -> f64 {
    // Taylor coefficients: 1/12!, 1/11!, … serve for |r| ≤ ln 2 / 2.
    const COEFFICIENTS: [f64; 13] = {
        let mut coefficients = [1.0; 13];
        let (mut n, mut factor) = (1, 1.0);
        while n < 13 {
            coefficients[12 - n] = coefficients[13 - n] / factor;
            factor += 1.0;
            n += 1;
        }
        coefficients
    };
    // Adding and subtracting this rounds to an integer.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    let x = if x > -700.0 { x } else { -700.0 };
    let x = if x < 700.0 { x } else { 700.0 };
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = (x - n * LN_2.0) - n * LN_2.1;
    let fraction = COEFFICIENTS.iter().fold(0.0, |sum, coefficient| sum * r + coefficient);
    // The integer is in the lowest bits.
    fraction * f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52)
}

/// The natural logarithm of a positive number, to within a few units in the last place; subnormal numbers count as the smallest normal
/// number.
pub fn ln(x: f64) -> f64 {
    const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = x.max(f64::MIN_POSITIVE).to_bits();
    #[allow(clippy::cast_possible_truncation, reason = "eleven bits")]
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut m = f64::from_bits(bits & FRACTION | 1f64.to_bits());
    if m > std::f64::consts::SQRT_2 {
        m /= 2.0;
        exponent += 1;
    }
    // ln m = 2 artanh((m − 1) / (m + 1)), whose argument is below 0.172.
    let s = (m - 1.0) / (m + 1.0);
    let series = (0..=10u8).rev().fold(0.0, |sum, i| sum * s * s + 1.0 / f64::from(2 * i + 1));
    let n = f64::from(exponent);
    n * LN_2.0 + (n * LN_2.1 + 2.0 * s * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_library() {
        for i in -8600..8700i16 {
            let x = f32::from(i) / 100.0;
            assert!((exp_f32(x) / x.exp() - 1.0).abs() < 1e-6, "{x}: {} {}", exp_f32(x), x.exp());
            let x = f64::from(i) / 13.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-13, "{x}: {} {}", exp(x), x.exp());
            assert!((exp_of_double(x) / x.exp() - 1.0).abs() < 1e-13, "{x}: {}", exp_of_double(x));
        }
        assert_eq!(exp_f32(-1000.0).to_bits(), 0);
        assert_eq!(exp(-1000.0).to_bits(), 0);
        assert_eq!(exp_f32(0.0).to_bits(), 1f32.to_bits());
    }

    #[test]
    fn logarithms_are_those_of_the_library() {
        for i in -8600..8700i16 {
            let x = (f64::from(i) / 13.0).exp();
            assert!((ln(x) - x.ln()).abs() <= 1e-15 * x.ln().abs().max(1.0), "{x}: {} {}", ln(x), x.ln());
            let x = 1.0 + f64::from(i) / 1e5;
            assert!((ln(x) - x.ln()).abs() <= 1e-15 * x.ln().abs(), "{x}: {} {}", ln(x), x.ln());
        }
        assert_eq!(ln(1.0).to_bits(), 0);
    }
}
