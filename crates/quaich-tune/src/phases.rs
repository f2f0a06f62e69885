//! The phases of tuning and what each tries. Learners from templates have the order of Hall et al. (2007): what the treebank says, parsing
//! algorithm and transformation, feature model, learner. With an encoder, sizes and inputs come first: they gain most per trial.

use std::collections::BTreeMap;

use quaich_learn::Scale;
use quaich_parser::settings::{GENERAL, groups};
use quaich_parser::{Settings, readers};
use quaich_transform::{Specification, TRANSFORMS};
use quaich_transition::spec::SystemSpec;
use quaich_transition::systems::SYSTEMS;
use serde::Serialize;

use crate::candidate::Candidate;
use crate::data::Facts;
use crate::trial::Fidelity;

/// A phase.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Settings that are given at the start, set back to their defaults.
    Start,
    /// The sizes of an encoder: networks, units, layers, hidden units.
    Sizes,
    /// The columns that an encoder reads.
    Inputs,
    /// The position of node 0, and whether it has one child.
    Root,
    /// The transition system.
    System,
    /// Buffer transitions, a second pass, the reading direction.
    Modifiers,
    /// The transformation of trees.
    Transformation,
    /// The feature model: built-in ones, then without and with groups of templates.
    Features,
    /// The settings of the learner.
    Learner,
}

/// All phases in order, for learners from templates.
pub static PHASES: [Phase; 9] = [
    Phase::Start,
    Phase::Sizes,
    Phase::Inputs,
    Phase::Root,
    Phase::System,
    Phase::Modifiers,
    Phase::Transformation,
    Phase::Features,
    Phase::Learner,
];

/// The order with an encoder.
static WITH_ENCODER: [Phase; 9] = [
    Phase::Start,
    Phase::Sizes,
    Phase::Inputs,
    Phase::Learner,
    Phase::System,
    Phase::Transformation,
    Phase::Features,
    Phase::Root,
    Phase::Modifiers,
];

/// The class of systems that derive projective trees alone, as in their table.
const PROJECTIVE: &str = "projective trees";
/// Settings that the phases about the transition system and the transformation choose.
const CHOSEN_LATER: [&str; 4] = ["system", "root", "single-root", "transform"];
/// Settings that are no part of a search.
pub(crate) const KEPT: [&str; 4] = ["learner", "parts", "seed", "encoder.effort"];
/// The sizes of an encoder, the one that gains most first.
pub(crate) const SIZES: [&str; 4] = ["encoder.networks", "encoder.units", "encoder.layers", "encoder.hidden"];
/// The most that a search tries of each: more networks gain little, and slow down parsing.
const LARGEST: [u64; 4] = [4, 512, 4, 512];
/// The separator of names in settings that list them.
const SEPARATOR: char = ',';

impl Phase {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Sizes => "sizes",
            Self::Inputs => "inputs",
            Self::Root => "root",
            Self::System => "system",
            Self::Modifiers => "modifiers",
            Self::Transformation => "transformation",
            Self::Features => "features",
            Self::Learner => "learner",
        }
    }

    /// The step of Hall et al. (2007) that the phase belongs to.
    pub fn step(self) -> &'static str {
        match self {
            Self::Start => "baseline",
            Self::Root | Self::System | Self::Modifiers | Self::Transformation => "algorithm",
            Self::Features | Self::Inputs => "features",
            Self::Sizes | Self::Learner => "learner",
        }
    }

    /// The phases in their order.
    pub(crate) fn order(has_encoder: bool) -> [Self; 9] {
        if has_encoder { WITH_ENCODER } else { PHASES }
    }

    /// How much of the training of an encoder the trials of the phase do: nothing is left out that the phase is about.
    pub(crate) fn fidelity(self) -> Fidelity {
        match self {
            Self::Sizes => Fidelity { all_networks: true, ..Fidelity::LEAST },
            // The best dropout and the best learning rate depend on the number of epochs.
            Self::Learner => Fidelity { all_networks: false, ..Fidelity::FULL },
            _ => Fidelity::LEAST,
        }
    }

    /// What the phase tries instead of the best so far, most promising first. Features and learner settings have files of their own.
    pub(crate) fn candidates(self, best: &Candidate, facts: &Facts) -> Vec<Candidate> {
        let Ok(settings) = best.config().map(|config| config.settings) else { return Vec::new() };
        let candidates = match self {
            Self::Start => defaults(best),
            Self::Sizes => sizes(best, &settings, facts),
            Self::Inputs => inputs(best, &settings, facts),
            Self::Root => roots(best, &settings, facts),
            Self::System => systems(best, &settings, facts),
            Self::Modifiers => modifiers(best, &settings, facts),
            Self::Transformation => transformations(best, facts),
            Self::Features | Self::Learner => Vec::new(),
        };
        let mut kept: Vec<Candidate> = Vec::new();
        for candidate in candidates {
            let is_valid = candidate.config().is_ok_and(|config| config.settings.check().is_ok());
            if is_valid && candidate != *best && !kept.contains(&candidate) {
                kept.push(candidate);
            }
        }
        kept
    }
}

/// All defaults; then the default of one given setting at a time. What later phases choose is left to them.
fn defaults(best: &Candidate) -> Vec<Candidate> {
    let is_reset = |name: &str| !KEPT.contains(&name) && !CHOSEN_LATER.contains(&name);
    let mut all = best.clone();
    all.settings.retain(|name, _| !is_reset(name));
    let given = best.settings.keys().filter(|name| is_reset(name));
    std::iter::once(all).chain(given.map(|name| best.without(name))).collect()
}

/// The next larger and the next smaller size of an encoder, one at a time, larger ones first.
fn sizes(best: &Candidate, settings: &Settings, facts: &Facts) -> Vec<Candidate> {
    if !readers("encoder").contains(&settings.learner().as_str()) {
        return Vec::new();
    }
    let Ok(known) = settings.with_encoder_for(facts.tokens) else { return Vec::new() };
    let known: BTreeMap<String, String> = known.into();
    let current = |name: &str| {
        let default = || default_of(name);
        known.get(name).cloned().or_else(default).and_then(|text| text.parse::<u64>().ok())
    };
    let (mut larger, mut smaller) = (Vec::new(), Vec::new());
    for (name, largest) in SIZES.into_iter().zip(LARGEST) {
        let Some(size) = current(name) else { continue };
        let (up, down) = match name {
            "encoder.layers" => (size + 1, size - 1),
            "encoder.units" => (size + size / 2, size / 2),
            _ => (size * 2, size / 2),
        };
        larger.extend((up <= largest.max(size)).then(|| best.with(name, &up.to_string())));
        smaller.extend((down > 0).then(|| best.with(name, &down.to_string())));
    }
    larger.extend(smaller);
    larger
}

/// The default of a setting, unless the treebank decides.
pub(crate) fn default_of(name: &str) -> Option<String> {
    let (group, own) = name.split_once('.').unwrap_or(("", name));
    let group = groups().find(|known| known.name == group)?;
    let setting = group.settings.iter().find(|setting| setting.name == own)?;
    match setting.default() {
        quaich_learn::Value::Auto => None,
        value => Some(value.to_string()),
    }
}

/// The inputs of the encoder without each of them, and with each that is left out; all of them. The first one is always read.
fn inputs(best: &Candidate, settings: &Settings, facts: &Facts) -> Vec<Candidate> {
    let learner = settings.learner();
    let mut candidates = Vec::new();
    for group in groups().filter(|group| readers(group.name).contains(&learner.as_str())) {
        for setting in group.settings.iter().filter(|setting| setting.scale == Scale::Subset) {
            let name = group.full_name(setting);
            let given = best.get(&name).filter(|given| *given != "auto");
            let has = |input: &String| {
                given
                    .is_none_or(|given| given.split(SEPARATOR).any(|known| known.eq_ignore_ascii_case(input)))
            };
            for changed in facts.inputs.iter().skip(1) {
                let kept = facts.inputs.iter().filter(|input| has(input) != (*input == changed));
                let kept: Vec<&str> = kept.map(String::as_str).collect();
                candidates.push(if kept.len() == facts.inputs.len() {
                    best.without(&name)
                } else {
                    best.with(&name, &kept.join(&SEPARATOR.to_string()))
                });
            }
        }
    }
    candidates
}

/// All positions of node 0. Where nearly every sentence has one root, only single roots are tried.
fn roots(best: &Candidate, settings: &Settings, facts: &Facts) -> Vec<Candidate> {
    if settings.system_or_default().is_ok_and(|system| system.fixes_root()) {
        return Vec::new();
    }
    let positions = GENERAL.iter().find(|setting| setting.name == "root").map(|setting| setting.kind);
    let Some(quaich_learn::Kind::Choice { of }) = positions else { return Vec::new() };
    let mut candidates = vec![best.without("root").without("single-root")];
    candidates.extend(of.iter().map(|position| best.with("root", position)));
    if facts.root_labels > 1 {
        // Several labels say where a root belongs, which a node 0 on the stack can learn from its first arc on.
        candidates.sort_by_key(|candidate| candidate.get("root") != Some("stack"));
    }
    if facts.single_rooted < ALWAYS {
        candidates.extend(["yes", "no"].map(|single| best.with("single-root", single)));
    }
    candidates
}

/// The percentage from which exceptions count as errors of annotation.
const ALWAYS: f64 = 99.9;

/// All systems with arcs; where all trees are projective, only those for projective trees.
fn systems(best: &Candidate, settings: &Settings, facts: &Facts) -> Vec<Candidate> {
    let Ok(current) = settings.system_or_default() else { return Vec::new() };
    let malt = if current.is_malt() { ":malt" } else { "" };
    let is_tried = |class: &str| class == PROJECTIVE || facts.nonprojective > 0.0;
    let entries = SYSTEMS.iter().filter(|entry| !entry.is_undirected && is_tried(entry.class));
    let specs = entries.filter_map(|entry| {
        let spec: SystemSpec =
            format!("{}{malt}", entry.name).parse().or_else(|_| entry.name.parse()).ok()?;
        (spec != current).then(|| best.with("system", &spec.to_string()))
    });
    std::iter::once(best.without("system")).chain(specs).collect()
}

/// Buffer transitions for the more frequent direction of arcs between neighbours (Fernández-González and Gómez-Rodríguez 2012, Table 2),
/// a second pass, and the other reading direction.
fn modifiers(best: &Candidate, settings: &Settings, facts: &Facts) -> Vec<Candidate> {
    let Ok(current) = settings.system_or_default() else { return Vec::new() };
    let text = current.to_string();
    let (text, malt) = text.strip_suffix(":malt").map_or((text.as_str(), ""), |text| (text, ":malt"));
    let mut candidates = Vec::new();
    let first = if facts.right_neighbours > facts.left_neighbours { "lba" } else { "rba" };
    let mut sets = vec![format!("+{first}"), "+lba+rba".to_owned()];
    if facts.nonprojective > 0.0 {
        sets.push(if first == "lba" { "+lnba" } else { "+rnba" }.to_owned());
    }
    sets.push("+second-pass".to_owned());
    if text.contains('+') {
        let bare = text.split('+').next().unwrap_or(text);
        candidates.push(format!("{bare}{malt}"));
    } else {
        candidates.extend(sets.into_iter().map(|set| format!("{text}{set}{malt}")));
    }
    candidates.push(match text.strip_prefix("rtl:") {
        Some(other) => format!("{other}{malt}"),
        None => format!("rtl:{text}{malt}"),
    });
    let valid = candidates.into_iter().filter_map(|text| text.parse::<SystemSpec>().ok());
    valid.map(|spec| best.with("system", &spec.to_string())).collect()
}

/// No transformation, and all that need no file, with each value of their first option. Where all trees are projective, those that
/// leave projective trees as they are have no effect and are left out.
fn transformations(best: &Candidate, facts: &Facts) -> Vec<Candidate> {
    let mut specs = vec!["none".to_owned()];
    for entry in TRANSFORMS {
        let is_for_nonprojective = entry.name.contains("projectiv");
        if (is_for_nonprojective && facts.nonprojective <= 0.0)
            || entry.file.as_ref().is_some_and(|file| file.required)
        {
            continue;
        }
        let words = entry.choices.first().map(|choice| choice.words).unwrap_or_default();
        if is_for_nonprojective && !words.is_empty() {
            specs.extend(words.iter().map(|word| format!("{}:{}", entry.name, word.name)));
        } else {
            specs.push(entry.name.to_owned());
        }
    }
    let valid = specs.into_iter().filter(|spec| spec == "none" || spec.parse::<Specification>().is_ok());
    let given = valid.map(|spec| best.with("transform", &spec));
    std::iter::once(best.without("transform")).chain(given).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(phase: Phase, best: &Candidate, facts: &Facts, name: &str) -> Vec<String> {
        let candidates = phase.candidates(best, facts);
        candidates.iter().map(|candidate| candidate.get(name).unwrap_or("default").to_owned()).collect()
    }

    #[test]
    fn the_treebank_says_what_is_tried() {
        let best = Candidate::default().with("learner", "linear");
        let projective = Facts { single_rooted: 100.0, right_neighbours: 20.0, ..Facts::default() };
        let other = Facts { nonprojective: 10.0, left_neighbours: 30.0, ..projective.clone() };
        let systems = |facts| values(Phase::System, &best, facts, "system");
        assert!(!systems(&projective).contains(&"swap-lazy".to_owned()));
        assert!(systems(&other).contains(&"swap-lazy".to_owned()));
        let modifiers = |facts| values(Phase::Modifiers, &best.with("system", "arc-eager"), facts, "system");
        assert_eq!(modifiers(&projective)[..2], ["arc-eager+lba", "arc-eager+lba+rba"]);
        assert_eq!(modifiers(&other)[0], "arc-eager+rba");
        let transformations = |facts| values(Phase::Transformation, &best, facts, "transform");
        assert!(!transformations(&projective).iter().any(|spec| spec.contains("projectiv")));
        assert!(transformations(&other).contains(&"pseudo-projective:head".to_owned()));
        assert_eq!(Phase::Root.candidates(&best, &projective).len(), 3);
        assert_eq!(Phase::Root.candidates(&best, &Facts::default()).len(), 5);
        // MaltParser's versions have their own node 0, and stay MaltParser's.
        let malt = best.with("system", "arc-eager:malt");
        assert!(Phase::Root.candidates(&malt, &other).is_empty());
        assert!(values(Phase::System, &malt, &other, "system").contains(&"arc-standard:malt".to_owned()));
    }

    #[test]
    fn encoders_have_sizes_and_inputs() {
        let best = Candidate::default();
        let inputs = ["forms", "lemmas", "upos", "characters"].map(str::to_owned).to_vec();
        let facts = Facts { tokens: 80_000, inputs, ..Facts::default() };
        let sizes = Phase::Sizes.candidates(&best, &facts);
        let changes: Vec<String> = sizes.iter().map(|candidate| candidate.difference(&best)).collect();
        assert_eq!(
            changes,
            [
                "encoder.networks = 2",
                "encoder.units = 192",
                "encoder.layers = 3",
                "encoder.hidden = 256",
                "encoder.units = 64",
                "encoder.layers = 1",
                "encoder.hidden = 64"
            ]
        );
        let four = best.with("encoder.networks", "4").with("encoder.layers", "1");
        let sizes = Phase::Sizes.candidates(&four, &facts);
        assert!(!sizes.iter().any(|candidate| candidate.get("encoder.networks") == Some("8")), "{sizes:?}");
        assert!(!sizes.iter().any(|candidate| candidate.get("encoder.layers") == Some("0")), "{sizes:?}");

        let all = values(Phase::Inputs, &best, &facts, "encoder.inputs");
        assert_eq!(all, ["forms,upos,characters", "forms,lemmas,characters", "forms,lemmas,upos"]);
        let few = best.with("encoder.inputs", "forms,lemmas,upos");
        let other = values(Phase::Inputs, &few, &facts, "encoder.inputs");
        assert_eq!(other, ["forms,upos", "forms,lemmas", "default"]);
        for phase in [Phase::Sizes, Phase::Inputs] {
            assert!(phase.candidates(&best.with("learner", "linear"), &facts).is_empty());
        }
    }

    #[test]
    fn poor_settings_can_be_set_back() {
        let start =
            Candidate::default().with("learner", "linear").with("linear.c", "9").with("linear.epochs", "1");
        let candidates = Phase::Start.candidates(&start, &Facts::default());
        assert_eq!(candidates[0], Candidate::default().with("learner", "linear"));
        assert_eq!(candidates.len(), 3);
        assert!(Phase::Start.candidates(&Candidate::default(), &Facts::default()).is_empty());
    }
}
