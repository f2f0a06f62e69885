//! What the treebank decides when the settings say `auto`.

use quaich_transform::Transform;
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::oracle::derive;
use quaich_transition::spec::SystemSpec;
use quaich_transition::systems::{Options, System};
use quaich_treebank::shape::Shapes;
use quaich_treebank::{Label, Symbols};
use serde::{Deserialize, Serialize};

use crate::collect::Example;
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::transition_table::MAX_CLASSES;

/// Non-projective sentences, in percent, from which on it pays to mark lifted arcs, so that they can
/// be put back. With fewer the marks are too rare to be learned, and only make labels for nothing.
const WORTH_MARKING: f64 = 4.0;

/// The decisions, as the model file keeps them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The system's name with its modifiers.
    pub system: String,
    /// Where node 0 is.
    pub root: String,
    /// Whether 0 has exactly one child.
    pub single_root: bool,
    /// The commonest label of a root.
    pub root_label: String,
    /// The transformation's specification, `none` if there is none.
    pub transform: String,
}

/// Whether a system needs no help with non-projective trees: tried on some of the treebank's own.
fn derives_nonprojective(system: &dyn System, examples: &[Example]) -> bool {
    const TRIED: usize = 20;
    let mut shape = Shapes::default();
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    let mut crossing = examples
        .iter()
        .filter(|example| shape.read(&example.tree).is_ok() && !shape.is_projective())
        .take(TRIED);
    crossing.any(|example| derive(system, &example.tree, &mut gold, &mut c).exact)
}

impl Plan {
    /// Looks at the treebank where the settings leave it to decide.
    pub fn make(examples: &[Example], labels: &Symbols<Label>, settings: &Settings) -> Result<Self> {
        let mut root_labels = vec![0u32; labels.len()];
        let mut single = 0;
        let mut nonprojective = 0;
        let mut shape = Shapes::default();
        for example in examples {
            let mut roots = 0;
            for arc in example.tree.arcs().filter(|arc| arc.head.is_root()) {
                roots += 1;
                if !arc.label.is_none() {
                    root_labels[arc.label.index()] += 1;
                }
            }
            single += usize::from(roots == 1);
            if shape.read(&example.tree).is_ok() {
                nonprojective += usize::from(!shape.is_projective());
            }
        }
        let commonest =
            (0u32..).zip(&root_labels).max_by_key(|&(label, count)| (count, std::cmp::Reverse(label)));
        #[allow(clippy::cast_precision_loss, reason = "counts of sentences")]
        let percent = |count: usize| 100.0 * count as f64 / examples.len().max(1) as f64;
        let undecided = Self {
            system: settings.system.clone(),
            root: if settings.root == "auto" { "end" } else { &settings.root }.to_owned(),
            single_root: match settings.single_root.as_str() {
                // A slip or two among thousands of sentences does not make a treebank many-rooted.
                "auto" => percent(single) >= 99.9,
                given => given == "yes",
            },
            root_label: commonest.map_or_else(String::new, |(label, _)| labels.text(Label(label)).to_owned()),
            transform: "none".to_owned(),
        };
        let system = undecided.system(None)?;
        let transform = match settings.transform.as_str() {
            "auto" if derives_nonprojective(&*system, examples) => "none",
            "auto" if percent(nonprojective) >= WORTH_MARKING => "pseudo-projective:head",
            "auto" if nonprojective > 0 => "pseudo-projective:baseline",
            "auto" => "none",
            given => given,
        };
        Ok(Self { transform: transform.to_owned(), ..undecided })
    }

    /// The system, given what the label of roots has become.
    pub fn system(&self, root_label: Option<Label>) -> Result<Box<dyn System>> {
        let root: RootPosition = self.root.parse()?;
        let spec: SystemSpec = self.system.parse()?;
        let refuse =
            |reason: &str| Err(Error::Setting(format!("`{}` cannot be trained: {reason}", self.system)));
        if spec.is_right_to_left() {
            return refuse("parsers do not read from right to left yet");
        }
        if spec.entry().name.starts_with("undirected") {
            return refuse("parsers do not find directions for undirected edges yet");
        }
        let system = spec.build(Options {
            root,
            single_root: self.single_root,
            root_label: root_label.unwrap_or(Label::NONE),
            ..Options::default()
        });
        if system.kinds().len() > MAX_CLASSES {
            return refuse("it has more than eight kinds of transitions");
        }
        Ok(system)
    }

    /// The transformation, if there is one.
    pub fn transform(&self) -> Result<Option<Box<dyn Transform>>> {
        if self.transform == "none" {
            Ok(None)
        } else {
            Ok(Some(quaich_transform::by_spec(&self.transform)?))
        }
    }

    /// One line for the user.
    pub fn describe(&self) -> String {
        let roots = if self.single_root { "a single root" } else { "any number of roots" };
        format!("{}, node 0 at {}, {roots}, transformation {}", self.system, self.root, self.transform)
    }
}
