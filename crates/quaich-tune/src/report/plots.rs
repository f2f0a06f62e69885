//! Plots in SVG: the score along the path, and scores against times with the Pareto front.

use std::fmt::Write as _;

use super::html::escape;

/// A point of a scatter plot.
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) text: String,
    pub(super) is_on_front: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 44.0;
const MARGIN: f64 = 16.0;

/// An axis: from values to places.
struct Axis {
    from: f64,
    to: f64,
    is_log: bool,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64> + Clone, is_log: bool) -> Self {
        let scaled = |value: f64| if is_log { value.max(1e-9).ln() } else { value };
        let low = values.clone().map(scaled).fold(f64::INFINITY, f64::min);
        let high = values.map(scaled).fold(f64::NEG_INFINITY, f64::max);
        // A single value is in the middle.
        let space = if high > low { 0.05 * (high - low) } else { 0.5 };
        Self { from: low - space, to: high + space, is_log }
    }

    /// The place between 0 and 1.
    fn place(&self, value: f64) -> f64 {
        let scaled = if self.is_log { value.max(1e-9).ln() } else { value };
        (scaled - self.from) / (self.to - self.from)
    }

    /// A few values to label.
    fn ticks(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        (0..=4).map(|n| {
            let place = f64::from(n) / 4.0;
            let scaled = self.from + place * (self.to - self.from);
            (place, if self.is_log { scaled.exp() } else { scaled })
        })
    }
}

fn x_of(place: f64) -> f64 {
    LEFT + place * (WIDTH - LEFT - MARGIN)
}

fn y_of(place: f64) -> f64 {
    HEIGHT - BOTTOM - place * (HEIGHT - BOTTOM - MARGIN)
}

/// The frame with both axes.
fn frame(x: &Axis, y: &Axis, labels: (&str, &str), has_x_ticks: bool) -> String {
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" font-family=\"system-ui, sans-serif\" \
         font-size=\"12\" fill=\"currentColor\"><title>{} against {}</title>\n",
        escape(labels.1),
        escape(labels.0)
    );
    // Writing to a string cannot fail.
    for (place, value) in y.ticks() {
        let at = y_of(place);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#8884\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\">{}</text>",
            WIDTH - MARGIN,
            LEFT - 6.0,
            at + 4.0,
            short(value)
        );
    }
    for (place, value) in x.ticks().filter(|_| has_x_ticks) {
        let (at, below) = (x_of(place), HEIGHT - BOTTOM + 16.0);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{}</text>",
            short(value)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text x=\"4\" y=\"12\">{}</text>",
        x_of(0.5),
        HEIGHT - 8.0,
        escape(labels.0),
        escape(labels.1)
    );
    svg
}

/// A number with three digits or so.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Points, and the Pareto front as a line through its points.
pub(super) fn scatter(points: &[Point], labels: (&str, &str)) -> String {
    if points.is_empty() {
        return String::new();
    }
    let (x, y) = (
        Axis::of(points.iter().map(|point| point.x), true),
        Axis::of(points.iter().map(|point| point.y), false),
    );
    let mut svg = frame(&x, &y, labels, true);
    let place = |point: &Point| (x_of(x.place(point.x)), y_of(y.place(point.y)));
    let mut front: Vec<(f64, f64)> = points.iter().filter(|point| point.is_on_front).map(place).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let line: Vec<String> = front.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#d60\" stroke-width=\"1.5\"/>",
        line.join(" ")
    );
    for point in points {
        let (x, y) = place(point);
        let (colour, radius) = if point.is_on_front { ("#d60", 4) } else { ("#48c", 3) };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\" fill-opacity=\"0.7\"><title>{}</title></circle>",
            escape(&point.text)
        );
    }
    svg + "</svg>"
}

/// Differences with their intervals, one per step.
pub(super) fn steps(steps: &[(String, f64, (f64, f64))], label: &str) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let ends = steps.iter().flat_map(|(_, points, (low, high))| [*points, *low, *high, 0.0]);
    #[allow(clippy::cast_precision_loss, reason = "a number of steps")]
    let (x, y) = (Axis { from: 0.0, to: steps.len() as f64, is_log: false }, Axis::of(ends, false));
    let mut svg = frame(&x, &y, ("accepted steps, with intervals of 95 %", label), false);
    let zero = y_of(y.place(0.0));
    let _ = writeln!(
        svg,
        "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{zero:.1}\" y2=\"{zero:.1}\" stroke=\"currentColor\"/>",
        WIDTH - MARGIN
    );
    for (number, (text, points, (low, high))) in steps.iter().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "a number of steps")]
        let at = x_of(x.place(number as f64 + 0.5));
        let [low, high, middle] = [*low, *high, *points].map(|value| y_of(y.place(value)));
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\" stroke=\"#48c\" stroke-width=\"2\"/>\
             <circle cx=\"{at:.1}\" cy=\"{middle:.1}\" r=\"4\" fill=\"#d60\"><title>{}</title></circle>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            escape(text),
            HEIGHT - BOTTOM + 16.0,
            number + 1
        );
    }
    svg + "</svg>"
}

/// Whether each point is on the Pareto front: no other has a smaller `cost` and a greater `score`.
pub(super) fn front(points: &[(f64, f64)]) -> Vec<bool> {
    let is_beaten = |(cost, score): (f64, f64)| {
        points.iter().any(|&(other_cost, other)| {
            other >= score && other_cost <= cost && (other > score || other_cost < cost)
        })
    };
    points.iter().map(|&point| !is_beaten(point)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_has_what_nothing_beats() {
        let points = [(1.0, 70.0), (2.0, 80.0), (3.0, 75.0), (4.0, 81.0), (2.0, 79.0), (1.0, 70.0)];
        assert_eq!(front(&points), [true, true, false, true, false, true]);
    }

    #[test]
    fn plots_are_well_formed_and_escaped() {
        let point = |x, y| Point { x, y, text: "<a & b>".to_owned(), is_on_front: true };
        let svg = scatter(&[point(1.0, 2.0), point(1.0, 2.0)], ("time", "LAS"));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && svg.contains("&lt;a &amp; b&gt;"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let svg = steps(&[("x".to_owned(), 0.5, (0.1, 0.9))], "points");
        assert!(svg.ends_with("</svg>") && !svg.contains("NaN"), "{svg}");
        assert!(scatter(&[], ("", "")).is_empty() && steps(&[], "").is_empty());
    }
}
