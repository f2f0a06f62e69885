//! Splitting training data by a feature, with one classifier per value.

use quaich_features::{Template, Value};

use super::NONE;

/// How training data are split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Split {
    /// The feature.
    pub value: Value,
    /// Parts with fewer instances are pooled.
    pub at_least: usize,
}

/// The default size below which parts are pooled.
const AT_LEAST: usize = 1000;

impl Split {
    /// Parses `none`, or a feature with the minimum size of a part: `b0:p>=1000`.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, String> {
        if text == NONE {
            return Ok(None);
        }
        let (value, at_least) = match text.split_once(">=") {
            Some((value, n)) => {
                let n = n.trim().parse().map_err(|_| format!("found `{n}`, expected a number"))?;
                (value.trim(), n)
            }
            None => (text, AT_LEAST),
        };
        let template = Template::parse(value).map_err(|error| error.to_string())?;
        match <[Value; 1]>::try_from(template.values) {
            Ok([value]) => Ok(Some(Self { value, at_least })),
            Err(values) => Err(format!("found {} values, expected one", values.len())),
        }
    }
}

impl std::fmt::Display for Split {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}>={}", self.value, self.at_least)
    }
}
