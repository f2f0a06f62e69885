//! A training of `MaltParser` as its flags describe it, as far as instances depend on them.

use quaich_features::notation::malt;
use quaich_features::{
    FeatureModel, Input, MaltOptions, NamedModel, Nulls, Part, Template, TokenValue, Value,
};
use quaich_transform::PseudoProjective;
use quaich_transform::pseudo_projective::MALT_FLAGS;
use quaich_transition::malt::{FLAGS, FlagError, Settings};
use quaich_treebank::UnknownName;

use crate::decisions::Decision;
use crate::error::{Error, Result};

/// The settings of a training of `MaltParser`. Defaults are those of 1.9.
#[derive(Clone, PartialEq, Debug)]
pub struct MaltRun {
    /// The parsing algorithm with its options.
    pub settings: Settings,
    /// `-F`: the name of a feature model or a file; none for the algorithm's own.
    pub features: Option<String>,
    /// `-nv`: what is seen where there is nothing.
    pub nulls: Nulls,
    /// `-gds`: which decisions are made together.
    pub decision: Decision,
    /// `-d`: the column that the data are split by.
    pub split_column: Option<String>,
    /// `-s`: where it is looked at.
    pub split_address: Option<String>,
    /// `-T`: parts with no more instances are pooled.
    pub threshold: usize,
    /// `-pp`, `-pcr`, `-plo`: what is done to trees beforehand.
    pub projection: PseudoProjective,
    /// `-l libsvm`: the algorithm's own features are those for LIBSVM, where nothing is merged.
    pub libsvm: bool,
}

impl Default for MaltRun {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
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

/// The flags that concern instances besides those of transition systems.
const OWN_FLAGS: [&str; 7] = ["-F", "-nv", "-gds", "-d", "-s", "-T", "-l"];

impl MaltRun {
    /// Reads flags as `MaltParser` takes them: `-a nivreeager -F my.xml -gds T.TRANS,A.DEPREL`.
    pub fn parse(flags: &str) -> Result<Self> {
        let mut run = Self::default();
        let mut words = flags.split_whitespace();
        while let Some(flag) = words.next() {
            let value = words.next().ok_or_else(|| FlagError::NoValue(flag.to_owned()))?;
            run.set(flag, value)?;
        }
        if run.split_column.is_some() != run.split_address.is_some() {
            let (given, other) = if run.split_column.is_some() { ("-d", "-s") } else { ("-s", "-d") };
            let expected = "a column (-d) together with an address (-s)";
            let (flag, value) = (given.to_owned(), format!("without {other}"));
            return Err(FlagError::BadValue { flag, value, expected }.into());
        }
        Ok(run)
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<()> {
        let bad = |expected| FlagError::BadValue { flag: flag.to_owned(), value: value.to_owned(), expected };
        match flag {
            "-F" => self.features = Some(value.to_owned()),
            "-nv" => self.nulls = Nulls::by_name(value).ok_or_else(|| bad("one, rootnode, novalue, none"))?,
            "-gds" => {
                self.decision = match value {
                    "T.TRANS+A.DEPREL" => Decision::Joint,
                    "T.TRANS,A.DEPREL" => Decision::Sequence,
                    "T.TRANS#A.DEPREL" | "T.TRANS;A.DEPREL" => Decision::Branch,
                    _ => return Err(bad("T.TRANS+A.DEPREL, T.TRANS,A.DEPREL, T.TRANS#A.DEPREL").into()),
                }
            }
            "-d" => self.split_column = Some(value.to_owned()),
            "-s" => self.split_address = Some(value.to_owned()),
            "-T" => self.threshold = value.parse().map_err(|_| bad("a whole number"))?,
            "-l" => {
                self.libsvm = match value {
                    "libsvm" => true,
                    "liblinear" => false,
                    _ => return Err(bad("liblinear, libsvm").into()),
                }
            }
            _ if FLAGS.contains(&flag) => self.settings.set(flag, value)?,
            _ if MALT_FLAGS.contains(&flag) => self.projection.set_malt_flag(flag, value)?,
            _ => {
                let known = FLAGS.into_iter().chain(OWN_FLAGS).chain(MALT_FLAGS);
                return Err(UnknownName::new("flag", flag, known).into());
            }
        }
        Ok(())
    }

    /// How features are understood.
    pub fn options(&self) -> MaltOptions {
        let is_stack = self.settings.algorithm.name.starts_with("stack");
        let input = if is_stack { Input::SwappedBack } else { Input::Buffer };
        MaltOptions { nulls: self.nulls, input }
    }

    /// The algorithm's own features.
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

    /// The value that the data are split by.
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
        assert_eq!(error("-nv two"), "flag `-nv` cannot be `two`, only one, rootnode, novalue, none");
        assert_eq!(
            error("-d POSTAG"),
            "flag `-d` cannot be `without -s`, only a column (-d) together with an address (-s)"
        );
        assert_eq!(error("-F"), "flag `-F` has no value");
        assert_eq!(error("-plo longest"), "flag `-plo` cannot be `longest`, only shortest, deepest");
        assert!(error("-ppp head").contains(" known: -pp, "));
        assert!(error("-a nivre").starts_with("unknown algorithm `nivre`"));
        let run = MaltRun::parse("-d POSTAG -s Stak[0]").unwrap();
        assert!(run.split().unwrap_err().to_string().contains("unknown address `Stak`"));
    }
}
