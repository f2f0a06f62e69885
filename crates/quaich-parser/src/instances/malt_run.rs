//! A training run of `MaltParser` as specified by its flags, as far as it affects instances.

use quaich_features::notation::malt;
use quaich_features::{
    FeatureModel, Input, MaltOptions, NamedModel, Nulls, Part, Template, TokenValue, Value,
};
use quaich_transform::PseudoProjective;
use quaich_transition::malt::MaltSystemOptions;
use quaich_treebank::flags::Value::{Name, Number, Text};
use quaich_treebank::flags::{self, Flag, FlagError, Flags, names};

use crate::decisions::Decision;
use crate::error::{Error, Result};

/// The settings of a training run of `MaltParser`. Defaults are those of version 1.9.
#[derive(Clone, PartialEq, Debug)]
pub struct MaltRun {
    /// The parsing algorithm with its options.
    pub settings: MaltSystemOptions,
    /// `-F`: the name or file of a feature model; `None` for the algorithm's default.
    pub features: Option<String>,
    /// `-nv`: which null values features have.
    pub nulls: Nulls,
    /// `-gds`: which decisions are made jointly.
    pub decision: Decision,
    /// `-d`: the column that splits the data.
    pub split_column: Option<String>,
    /// `-s`: the address of the token with that column.
    pub split_address: Option<String>,
    /// `-T`: parts with at most this many instances are pooled.
    pub threshold: usize,
    /// `-pp`, `-pcr`, `-plo`: how trees are projectivised.
    pub projection: PseudoProjective,
    /// `-l libsvm`: the algorithm's default features are those for LIBSVM, without merged features.
    pub libsvm: bool,
}

impl Default for MaltRun {
    fn default() -> Self {
        Self {
            settings: MaltSystemOptions::default(),
            features: None,
            nulls: Nulls::One,
            decision: Decision::Joint,
            split_column: None,
            split_address: None,
            threshold: 50,
            projection: PseudoProjective::of_malt(),
            libsvm: false,
        }
    }
}

impl Flags for MaltRun {
    const OWNER: &'static str = "Instances";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag("-F", "features", Text("a feature model", |s, text| s.features = Some(text))),
        Flag(
            "-nv",
            "null values of features",
            Name(|| Nulls::ALL.map(Nulls::name).to_vec(), |s, at| s.nulls = Nulls::ALL[at]),
        ),
        Flag(
            "-gds",
            "which decisions are made jointly",
            Name(|| names(&DECISIONS), |s, at| s.decision = DECISIONS[at].1),
        ),
        Flag("-d", "column that splits the data", Text("a column", |s, text| s.split_column = Some(text))),
        Flag(
            "-s",
            "address of the token with that column",
            Text("an address", |s, text| s.split_address = Some(text)),
        ),
        Flag("-T", "parts with at most this many instances are pooled", Number(|s, n| s.threshold = n)),
        Flag(
            "-l",
            "learner whose default features are used",
            Name(|| vec!["liblinear", "libsvm"], |s, at| s.libsvm = at == 1),
        ),
    ];
}

/// The values of `-gds`.
const DECISIONS: [(&str, Decision); 4] = [
    ("T.TRANS+A.DEPREL", Decision::Joint),
    ("T.TRANS,A.DEPREL", Decision::Sequence),
    ("T.TRANS#A.DEPREL", Decision::Branch),
    ("T.TRANS;A.DEPREL", Decision::Branch),
];

impl MaltRun {
    /// Parses flags of `MaltParser`: `-a nivreeager -F my.xml -gds T.TRANS,A.DEPREL`.
    pub fn parse(line: &str) -> Result<Self> {
        let mut run = Self::default();
        let (mut settings, mut projection) = (run.settings.clone(), run.projection);
        flags::read(line.split_whitespace(), &mut [&mut settings, &mut run, &mut projection])?;
        let (flag, other) = match (&run.split_column, &run.split_address) {
            (Some(_), None) => ("-d", "-s"),
            (None, Some(_)) => ("-s", "-d"),
            _ => return Ok(Self { settings, projection, ..run }),
        };
        let (flag, found) = (flag.to_owned(), format!("no `{other}`"));
        Err(FlagError::Value { flag, found, expected: "both or neither".to_owned() }.into())
    }

    /// One line of help per flag.
    pub fn help() -> String {
        let run = Self::default();
        flags::help(&[&run.settings, &run, &run.projection])
    }

    /// How addresses in feature models are interpreted.
    pub fn options(&self) -> MaltOptions {
        let is_stack = self.settings.algorithm.name.starts_with("stack");
        let input = if is_stack { Input::SwappedBack } else { Input::Buffer };
        MaltOptions { nulls: self.nulls, input }
    }

    /// The algorithm's default features.
    pub fn own_features(&self) -> Result<FeatureModel> {
        let named = NamedModel::by_name(&format!("malt:{}", self.settings.algorithm.name))?;
        let mut model = named.model();
        for list in [&mut model.transition, &mut model.label] {
            if self.libsvm {
                let is_merged = |value: &Value| matches!(value, Value::Joined(_, items) if items.len() > 1);
                list.retain(|template| !template.values.iter().any(is_merged));
            }
        }
        Ok(model.with_nulls(self.nulls))
    }

    /// The value that splits the data.
    pub(super) fn split(&self) -> Result<Option<Template>> {
        let (Some(name), Some(at)) = (&self.split_column, &self.split_address) else { return Ok(None) };
        let wrong = |reason: String| Error::Setting(format!("flag `-s`: {reason}"));
        let address = malt::address(at, self.options()).map_err(wrong)?;
        let value = Value::Token(address, TokenValue { column: malt::column(name), part: Part::Whole });
        let value = Value::joined(self.nulls, vec![value]).map_err(wrong)?;
        Ok(Some(Template { values: vec![value] }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let flags =
            "-a stacklazy -F my.xml -nv none -gds T.TRANS#A.DEPREL -d POSTAG -s Stack[0] -T 7 -l libsvm";
        let run = MaltRun::parse(flags).unwrap();
        assert_eq!((run.settings.algorithm.name, run.features.as_deref()), ("stacklazy", Some("my.xml")));
        assert_eq!((run.nulls, run.decision, run.threshold), (Nulls::None, Decision::Branch, 7));
        assert_eq!(run.split().unwrap().unwrap().to_string(), "none(s0:t)");
        assert_eq!(run.own_features().unwrap().transition.len(), 14);
        assert_eq!(MaltRun::parse("").unwrap(), MaltRun::default());
    }

    #[test]
    fn errors_say_what_is_known() {
        let error = |flags: &str| MaltRun::parse(flags).unwrap_err().to_string();
        assert!(error("-gdz one").starts_with("unknown flag `-gdz`; known: -gds, "));
        assert_eq!(error("-nv two"), "flag `-nv`: found `two`, expected one, rootnode, novalue, none");
        assert_eq!(error("-d POSTAG"), "flag `-d`: found no `-s`, expected both or neither");
        assert_eq!(error("-F"), "flag `-F`: found no value, expected a feature model");
        assert_eq!(error("-plo longest"), "flag `-plo`: found `longest`, expected shortest, deepest");
        assert!(error("-ppp head").contains(" known: -pp, "));
        assert!(error("-a nivre").starts_with("flag `-a`: found `nivre`, expected nivreeager, "));
        let run = MaltRun::parse("-d POSTAG -s Stak[0]").unwrap();
        assert!(run.split().unwrap_err().to_string().contains("unknown address `Stak`"));
    }
}
