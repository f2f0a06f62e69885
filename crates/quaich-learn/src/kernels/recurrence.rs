//! The recurrence of a layer, element by element, over one sentence in both directions.
//!
//! ```text
//!   hₜ = (1 − zₜ) hₜ₋₁ + zₜ g(cₜ)        outₜ = hₜ oₜ
//! ```
//!
//! where z and o are logistic functions of their sums, and g(c) is c + ½ where c is positive and its logistic function elsewhere:
//! positive everywhere and with slope 1 above 0 (Feng et al. 2024). A row of gates has z, c and o, each first for the left-to-right units
//! and then for the right-to-left ones.

use super::{Level, level};
use crate::math::exp_f32;

/// e to the power of −x, bounded so that the product of two is finite.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is to be compiled for its caller's processor")]
fn exp_of_minus(x: f32) -> f32 {
    exp_f32(-x.clamp(-40.0, 40.0))
}

for_this_processor! {
    /// Turns sums into z, g(c) and o, for any number of rows.
    fn activate(gates: &mut [f32], units: usize) {
        for row in gates.chunks_exact_mut(6 * units) {
            let (z, rest) = row.split_at_mut(2 * units);
            let (c, o) = rest.split_at_mut(2 * units);
            for ((z, o), c) in z.iter_mut().zip(o).zip(c) {
                // One division for both.
                let (of_z, of_o) = (1.0 + exp_of_minus(*z), 1.0 + exp_of_minus(*o));
                let share = 1.0 / (of_z * of_o);
                (*z, *o) = (of_o * share, of_z * share);
                let low = 1.0 / (1.0 + exp_of_minus(*c));
                *c = if *c >= 0.0 { *c + 0.5 } else { low };
            }
        }
    }
}

for_this_processor! {
    /// Computes states and outputs from the activated gates of a sentence.
    fn run(gates: &[f32], units: usize, states: &mut [f32], out: &mut [f32]) {
        let (width, n_rows) = (6 * units, gates.len() / (6 * units).max(1));
        for backwards in [false, true] {
            let side = if backwards { units } else { 0 };
            let mut before: Option<usize> = None;
            for i in 0..n_rows {
                let row = if backwards { n_rows - 1 - i } else { i };
                let at = 2 * row * units + side;
                let z = &gates[row * width + side..][..units];
                let c = &gates[row * width + 2 * units + side..][..units];
                if let Some(before) = before {
                    // The states of neighbouring rows, to be read and written.
                    let (low, high) = states.split_at_mut(at.max(before));
                    let (state, last) = if at > before {
                        (&mut high[..units], &low[before..][..units])
                    } else {
                        (&mut low[at..][..units], &high[..units])
                    };
                    for (((state, last), z), c) in state.iter_mut().zip(last).zip(z).zip(c) {
                        *state = (1.0 - z) * last + z * c;
                    }
                } else {
                    for ((state, z), c) in states[at..][..units].iter_mut().zip(z).zip(c) {
                        *state = z * c;
                    }
                }
                before = Some(at);
            }
        }
        let rows = out.chunks_exact_mut(2 * units).zip(states.chunks_exact(2 * units));
        for ((out, states), gates) in rows.zip(gates.chunks_exact(width)) {
            for ((out, state), o) in out.iter_mut().zip(states).zip(&gates[4 * units..]) {
                *out = state * o;
            }
        }
    }
}

for_this_processor! {
    /// Computes outputs like [`run`] from activated gates in the given rows. `state` has one number per unit.
    fn run_rows(gates: &[f32], rows: &[u32], units: usize, state: &mut [f32], out: &mut [f32]) {
        let width = 6 * units;
        let state = &mut state[..units];
        for backwards in [false, true] {
            let side = if backwards { units } else { 0 };
            state.fill(0.0);
            for i in 0..rows.len() {
                let i = if backwards { rows.len() - 1 - i } else { i };
                let gates = &gates[rows[i] as usize * width..][..width];
                let (z, c) = (&gates[side..][..units], &gates[2 * units + side..][..units]);
                let o = &gates[4 * units + side..][..units];
                let out = &mut out[2 * i * units + side..][..units];
                for ((((out, state), z), c), o) in out.iter_mut().zip(&mut *state).zip(z).zip(c).zip(o) {
                    *state = (1.0 - z) * *state + z * c;
                    *out = *state * o;
                }
            }
        }
    }
}

for_this_processor! {
    /// Computes the gradient of the sums from that of the outputs; it replaces the gates of the sentence. `carry` has one number per
    /// unit.
    fn back(gates: &mut [f32], units: usize, states: &[f32], gradient: &[f32], carry: &mut [f32]) {
        let (width, n_rows) = (6 * units, gates.len() / (6 * units).max(1));
        for backwards in [false, true] {
            let side = if backwards { units } else { 0 };
            carry.fill(0.0);
            for i in 0..n_rows {
                let row = if backwards { i } else { n_rows - 1 - i };
                // The previous row of the recurrence; the first row has none.
                let last = if backwards { row + 1 } else { row.wrapping_sub(1) };
                let last = states.get(last.wrapping_mul(2 * units).wrapping_add(side)..).unwrap_or(&[]);
                let last = last.get(..units).filter(|_| i + 1 < n_rows);
                let (z, rest) = gates[row * width..][..width].split_at_mut(2 * units);
                let (c, o) = rest.split_at_mut(2 * units);
                let (z, c, o) = (&mut z[side..][..units], &mut c[side..][..units], &mut o[side..][..units]);
                let at = 2 * row * units + side;
                let state = &states[at..][..units];
                let gradient = &gradient[at..][..units];
                for i in 0..units {
                    let last = last.map_or(0.0, |last| last[i]);
                    let d = gradient[i] * o[i] + carry[i];
                    o[i] = gradient[i] * state[i] * o[i] * (1.0 - o[i]);
                    let slope = if c[i] >= 0.5 { 1.0 } else { c[i] * (1.0 - c[i]) };
                    let (zi, ci) = (z[i], c[i]);
                    carry[i] = d * (1.0 - zi);
                    z[i] = d * (ci - last) * zi * (1.0 - zi);
                    c[i] = d * zi * slope;
                }
            }
        }
    }
}
