//! Backward and forward selection over groups of feature templates.
//!
//! Selection by single templates, as in 2007, is for models of single values, where every template is a group. In models of
//! conjunctions, templates that look at the same kinds of values, or at the same node, are a group.

use std::collections::{BTreeMap, BTreeSet};

use quaich_features::{FEATURE_MODELS, FeatureModel, Template};

use crate::candidate::{Candidate, features_toml};

/// The default of the learner and the built-in feature models.
pub(crate) fn built_in(best: &Candidate) -> Vec<Candidate> {
    let named = FEATURE_MODELS.iter().map(|named| best.with_features(Some(named.name.to_owned())));
    let default = std::iter::once(best.with_features(None));
    default.chain(named).filter(|candidate| candidate != best).collect()
}

/// A change of a feature model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Change {
    /// Without these templates.
    Remove(BTreeSet<Template>),
    /// With these templates.
    Add(BTreeSet<Template>),
}

/// The model without each group of its templates.
pub(crate) fn backward(model: &FeatureModel) -> Vec<Change> {
    let own: BTreeSet<&Template> = model.transition.iter().chain(&model.label).collect();
    let n = own.len();
    let groups = groups(own.into_iter(), is_conjunctive(model));
    let kept = groups.into_iter().filter(|group| group.len() < n);
    kept.map(Change::Remove).collect()
}

/// The model with each group of the templates of other built-in models that it does not have.
pub(crate) fn forward(model: &FeatureModel) -> Vec<Change> {
    let own: BTreeSet<&Template> = model.transition.iter().chain(&model.label).collect();
    let others: Vec<FeatureModel> =
        FEATURE_MODELS.iter().map(|named| named.model().without(|_| false)).collect();
    let pool: BTreeSet<&Template> = others
        .iter()
        .flat_map(|other| other.transition.iter())
        .filter(|template| !own.contains(template))
        .collect();
    groups(pool.into_iter(), true).into_iter().map(Change::Add).collect()
}

/// The model with all of these changes.
pub(crate) fn apply(model: &FeatureModel, changes: &[&Change]) -> String {
    let mut changed = model.clone();
    // Templates of transitions are for labels, too, in models that use the same for both.
    let is_same = model.transition == model.label;
    for change in changes {
        let FeatureModel { transition, label, branches } = &mut changed;
        match change {
            Change::Remove(group) => {
                for list in [transition, label].into_iter().chain(branches.values_mut()) {
                    list.retain(|template| !group.contains(template));
                }
            }
            Change::Add(group) => {
                for list in [Some(transition), is_same.then_some(label)].into_iter().flatten() {
                    let new: Vec<Template> =
                        group.iter().filter(|template| !list.contains(template)).cloned().collect();
                    list.extend(new);
                }
            }
        }
    }
    features_toml(&changed)
}

fn is_conjunctive(model: &FeatureModel) -> bool {
    model.transition.iter().any(|template| template.values.len() > 1)
}

/// Groups of templates: by the kinds of their values, and by each node that they look at; or single templates.
fn groups<'t>(
    templates: impl Iterator<Item = &'t Template>,
    is_conjunctive: bool,
) -> Vec<BTreeSet<Template>> {
    let mut by_key: BTreeMap<String, BTreeSet<Template>> = BTreeMap::new();
    for template in templates {
        let mut add = |key: String| {
            by_key.entry(key).or_default().insert(template.clone());
        };
        if !is_conjunctive {
            add(template.to_string());
            continue;
        }
        let values: Vec<String> = template.values.iter().map(ToString::to_string).collect();
        let mut kinds: Vec<&str> = values.iter().map(|value| kind(value)).collect();
        kinds.sort_unstable();
        add(format!("kinds {}", kinds.join(" ")));
        let nodes: BTreeSet<&str> = values.iter().filter_map(|value| node(value)).collect();
        for node in nodes {
            add(format!("node {node}"));
        }
    }
    let mut distinct: Vec<BTreeSet<Template>> = Vec::new();
    for group in by_key.into_values() {
        if !distinct.contains(&group) {
            distinct.push(group);
        }
    }
    // Small groups first: their effect is the easiest to tell.
    distinct.sort_by_key(BTreeSet::len);
    distinct
}

/// The kind of a value in the notation: `p` for `s0:p`, `dist` for `dist(s0,b0)`.
fn kind(value: &str) -> &str {
    match value.split_once('(') {
        Some((function, _)) => function,
        None => value.split_once(':').map_or(value, |(_, kind)| kind),
    }
}

/// The node of a value in the notation: `s0` for `s0:p`.
fn node(value: &str) -> Option<&str> {
    if value.contains('(') {
        return None;
    }
    value.split_once(':').map(|(node, _)| node)
}

#[cfg(test)]
mod tests {
    use quaich_features::NamedModel;

    use super::*;

    #[test]
    fn single_values_are_selected_one_by_one() {
        let base = NamedModel::by_name("base").unwrap().model();
        let changes = backward(&base);
        assert_eq!(changes.len(), 20);
        for change in &changes {
            let model = FeatureModel::parse(&apply(&base, &[change])).unwrap();
            assert_eq!((model.transition.len(), model.label.len()), (19, 19));
        }
        let all: Vec<&Change> = changes.iter().take(3).collect();
        assert_eq!(FeatureModel::parse(&apply(&base, &all)).unwrap().transition.len(), 17);
    }

    #[test]
    fn conjunctions_are_selected_in_groups() {
        let default = FeatureModel::default_model();
        let changes = backward(&default);
        assert!((10..150).contains(&changes.len()), "{}", changes.len());
        let base = NamedModel::by_name("base").unwrap().model();
        let added = forward(&base);
        assert!(added.len() > 20, "{}", added.len());
        for change in added {
            let model = FeatureModel::parse(&apply(&base, &[&change])).unwrap();
            assert!(model.transition.len() > 20 && model.transition.starts_with(&base.transition));
        }
    }
}
