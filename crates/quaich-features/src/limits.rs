//! Limits on the size of feature models. Models and their templates come from files with any content: a compiled model
//! must fit the integer types of a program, and compile quickly.

use std::collections::BTreeSet;

use crate::address::Address;
use crate::template::Template;
use crate::value::Value;

/// The most steps of an address.
pub(crate) const MAX_STEPS: usize = 32;
/// The most set values of a template, which returns one feature per combination of their elements.
pub(crate) const MAX_SETS: usize = 3;
/// The most nodes and values of all templates of a feature model.
pub(crate) const MAX_SIZE: usize = 16_384;

/// A feature model that is too large.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("found more than {MAX_SIZE} nodes and values in the templates, expected fewer")]
pub struct TooLarge;

/// Checks that all these templates can be compiled together: those of several lists, because programs share token
/// values. Duplicate templates count once.
pub fn check<'t>(templates: impl IntoIterator<Item = &'t Template>) -> Result<(), TooLarge> {
    let (mut seen, mut total) = (BTreeSet::new(), 0);
    for template in templates {
        if seen.insert(template) {
            total += template.values.iter().map(size).sum::<usize>();
        }
        if total > MAX_SIZE {
            return Err(TooLarge);
        }
    }
    Ok(())
}

/// Returns the number of nodes computed for a value, plus the number of token values read.
fn size(value: &Value) -> usize {
    match value {
        Value::Token(at, _)
        | Value::Defined(at, _)
        | Value::Label(at)
        | Value::LeftValency(at)
        | Value::RightValency(at)
        | Value::Valency(at)
        | Value::LeftLabels(at)
        | Value::RightLabels(at)
        | Value::Dependents(at, ..)
        | Value::Exists(at) => nodes(at),
        Value::Merge(at, parts) => nodes(at) + parts.len(),
        Value::Distance(a, b)
        | Value::Agreement(a, b, _)
        | Value::Apart(a, b, _)
        | Value::Arc(a, b)
        | Value::Link(a, b) => nodes(a) + nodes(b),
        Value::Joined(_, items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::History(_) => 1,
    }
}

/// Returns the number of nodes computed for an address, including its own.
fn nodes(mut address: &Address) -> usize {
    let mut n = 1;
    while let Address::Step(of, _) = address {
        address = of;
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FeatureModel;

    fn parse(text: &str) -> Template {
        Template::parse(text).unwrap()
    }

    #[test]
    fn the_models_that_come_with_the_program_are_far_from_the_limit() {
        let model = FeatureModel::default_model();
        let total: usize =
            model.transition.iter().chain(&model.label).flat_map(|template| &template.values).map(size).sum();
        assert!(total * 4 < MAX_SIZE, "{total}");
    }

    #[test]
    fn templates_are_counted_once() {
        let steps = "+1".repeat(MAX_STEPS);
        let one = [parse(&format!("s0{steps}:w"))];
        assert_eq!(check(std::iter::repeat_n(&one[0], 10_000)), Ok(()));
        let many: Vec<Template> = (0..500).map(|i| parse(&format!("s0{steps}:f.F{i}"))).collect();
        assert_eq!(check(&many), Err(TooLarge));
        assert_eq!(check(&many[..400]), Ok(()));
    }

    #[test]
    fn addresses_and_combinations_have_their_limits() {
        let reason = |text: &str| Template::parse(text).unwrap_err().reason;
        assert_eq!(
            reason(&format!("s0{}:w", ".h".repeat(33))),
            "found an address of 33 steps, expected at most 32"
        );
        assert!(
            reason(&format!("s0{}:w", ".h".repeat(1_000_000)))
                .starts_with("found an address of 1000000 steps")
        );
        assert_eq!(
            reason("s0:f* s1:f* b0:f* agree(s0,b0,f*)"),
            "found 4 sets, expected at most 3: a template has one feature per combination of their elements"
        );
    }
}
