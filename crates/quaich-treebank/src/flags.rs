//! Command lines of MaltParser: flags with values, `-a nivreeager -nr false`.
//!
//! Each crate has a table of the flags that affect its settings; [`read`] reads a command line for several of them.

use crate::error::UnknownName;

/// A flag that changes settings of type `T`: its name with the hyphen, one line of help, and its value.
#[derive(Debug)]
pub struct Flag<T: 'static>(pub &'static str, pub &'static str, pub Value<T>);

/// The value of a flag: the type, and a function that sets it.
#[derive(Debug)]
pub enum Value<T: 'static> {
    /// `true` or `false`.
    Boolean(fn(&mut T, bool)),
    /// An integer.
    Number(fn(&mut T, usize)),
    /// Text; the string describes it in help.
    Text(&'static str, fn(&mut T, String)),
    /// One of these names, passed on by its index.
    Name(fn() -> Vec<&'static str>, fn(&mut T, usize)),
}

/// Returns the names in a table of values.
pub fn names<V, const N: usize>(values: &[(&'static str, V); N]) -> Vec<&'static str> {
    values.iter().map(|(name, _)| *name).collect()
}

/// Settings with a table of flags.
pub trait Flags: Sized + 'static {
    /// The heading of these settings in help.
    const OWNER: &'static str;
    /// The flags.
    const FLAGS: &'static [Flag<Self>];

    /// Returns these settings, changed by a command line.
    fn with_flags(mut self, line: &str) -> Result<Self, FlagError> {
        read(line.split_whitespace(), &mut [&mut self]).map(|()| self)
    }
}

/// [`Flags`] of any type.
pub trait FlagOwner {
    /// Returns the heading, and names, values and help of the flags.
    fn rows(&self) -> (&'static str, Vec<[String; 3]>);
    /// Sets a flag; returns `None` if it is not in the table.
    fn set(&mut self, flag: &str, value: Option<&str>) -> Option<Result<(), FlagError>>;
}

/// An error in a command line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlagError {
    /// An unknown flag.
    #[error("{0}")]
    Unknown(#[from] UnknownName),
    /// An invalid or missing value.
    #[error("flag `{flag}`: found {found}, expected {expected}")]
    Value {
        /// The flag.
        flag: String,
        /// What was found.
        found: String,
        /// What is valid.
        expected: String,
    },
}

/// Reads the words of a command line; each flag goes to the first owner that has it.
pub fn read<'w>(
    words: impl IntoIterator<Item = &'w str>,
    owners: &mut [&mut dyn FlagOwner],
) -> Result<(), FlagError> {
    let mut words = words.into_iter();
    while let Some(flag) = words.next() {
        let value = words.next();
        let Some(set) = owners.iter_mut().find_map(|owner| owner.set(flag, value)) else {
            let known: Vec<[String; 3]> = owners.iter().flat_map(|owner| owner.rows().1).collect();
            return Err(UnknownName::new("flag", flag, known.iter().map(|[name, ..]| name.as_str())).into());
        };
        set?;
    }
    Ok(())
}

/// Returns help for the flags of all owners, one line per flag.
pub fn help(owners: &[&dyn FlagOwner]) -> String {
    let row = |[name, expected, help]: [String; 3]| format!("  {name:<5} {help}: {expected}\n");
    let group = |(owner, flags): (&str, Vec<_>)| {
        format!("\n{owner}:\n{}", flags.into_iter().map(row).collect::<String>())
    };
    owners.iter().map(|owner| group(owner.rows())).collect()
}

impl<T> Value<T> {
    fn expected(&self) -> String {
        match self {
            Self::Boolean(_) => "true, false".to_owned(),
            Self::Number(_) => "an integer".to_owned(),
            Self::Text(what, _) => (*what).to_owned(),
            Self::Name(names, _) => names().join(", "),
        }
    }

    /// Sets a value if it is valid.
    fn set(&self, settings: &mut T, value: &str) -> Option<()> {
        match self {
            Self::Boolean(set) => set(settings, value.parse().ok()?),
            Self::Number(set) => set(settings, value.parse().ok()?),
            Self::Text(_, set) => set(settings, value.to_owned()),
            Self::Name(names, set) => set(settings, names().iter().position(|name| *name == value)?),
        }
        Some(())
    }
}

impl<T: Flags> FlagOwner for T {
    fn rows(&self) -> (&'static str, Vec<[String; 3]>) {
        let row =
            |Flag(name, help, value): &Flag<T>| [(*name).to_owned(), value.expected(), (*help).to_owned()];
        (T::OWNER, T::FLAGS.iter().map(row).collect())
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Option<Result<(), FlagError>> {
        let Flag(_, _, kind) = T::FLAGS.iter().find(|flag| flag.0 == name)?;
        let found = || value.map_or("no value".to_owned(), |value| format!("`{value}`"));
        let wrong = || FlagError::Value { flag: name.to_owned(), found: found(), expected: kind.expected() };
        Some(value.and_then(|value| kind.set(self, value)).ok_or_else(wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, PartialEq, Debug)]
    struct Run(bool, usize, String);

    impl Flags for Run {
        const OWNER: &'static str = "Run";
        const FLAGS: &'static [Flag<Self>] = &[
            Flag("-b", "whether", Value::Boolean(|run, on| run.0 = on)),
            Flag("-n", "how many", Value::Number(|run, n| run.1 = n)),
            Flag("-t", "where", Value::Text("a file", |run, text| run.2 = text)),
            Flag("-x", "which", Value::Name(|| vec!["a", "b"], |run, at| run.1 = at)),
        ];
    }

    #[test]
    fn flags_are_set_in_turn() {
        let run = Run::default().with_flags("-b true -n 7 -t x.xml  -x b").unwrap();
        assert_eq!(run, Run(true, 1, "x.xml".to_owned()));
        assert_eq!(help(&[&run]).lines().last().unwrap(), "  -x    which: a, b");
    }

    #[test]
    fn errors_say_what_was_found_and_what_was_expected() {
        let error = |line: &str| Run::default().with_flags(line).unwrap_err().to_string();
        assert_eq!(error("-b maybe"), "flag `-b`: found `maybe`, expected true, false");
        assert_eq!(error("-n -1"), "flag `-n`: found `-1`, expected an integer");
        assert_eq!(error("-x c"), "flag `-x`: found `c`, expected a, b");
        assert_eq!(error("-b true -t"), "flag `-t`: found no value, expected a file");
        assert_eq!(error("-xx"), "unknown flag `-xx`; known: -x, -b, -n, -t");
    }
}
