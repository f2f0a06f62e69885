//! `MaltParser`'s command lines: flags with their values, `-a nivreeager -nr false`.
//!
//! Each crate has a table of the flags that its settings depend on, and [`read`] reads a command line for several of them.

use crate::error::UnknownName;

/// A flag that changes settings of type `T`.
#[derive(Debug)]
pub struct Flag<T: 'static> {
    /// The name, with its hyphen.
    pub name: &'static str,
    /// What it is for, in one line.
    pub help: &'static str,
    /// What its value can be, and what that changes.
    pub value: Value<T>,
}

/// The value of a flag: what is expected, and how settings change.
#[derive(Debug)]
pub enum Value<T: 'static> {
    /// `true` or `false`.
    Boolean(fn(&mut T, bool)),
    /// A whole number.
    Number(fn(&mut T, usize)),
    /// A text, which is described here.
    Text(&'static str, fn(&mut T, String)),
    /// One of these names, which is given by its place.
    Name(fn() -> Vec<&'static str>, fn(&mut T, usize)),
}

impl<T> Flag<T> {
    /// A flag; a table has one per line.
    pub const fn new(name: &'static str, help: &'static str, value: Value<T>) -> Self {
        Self { name, help, value }
    }
}

/// The names in a table of values.
pub fn names<V, const N: usize>(values: &[(&'static str, V); N]) -> Vec<&'static str> {
    values.iter().map(|(name, _)| *name).collect()
}

/// Settings with a table of flags.
pub trait Flags: Sized + 'static {
    /// What the settings are for; a heading in help.
    const OWNER: &'static str;
    /// The flags.
    const FLAGS: &'static [Flag<Self>];

    /// These settings, changed by a command line.
    fn with_flags(mut self, line: &str) -> Result<Self, FlagError> {
        read(line.split_whitespace(), &mut [&mut self]).map(|()| self)
    }
}

/// [`Flags`] of any type.
pub trait FlagOwner {
    /// What the settings are for.
    fn owner(&self) -> &'static str;
    /// Names, values and help of the flags.
    fn rows(&self) -> Vec<[String; 3]>;
    /// Changes what a flag changes; `None` if it is not in the table.
    fn set(&mut self, flag: &str, value: Option<&str>) -> Option<Result<(), FlagError>>;
}

/// A command line that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlagError {
    /// A flag that no table has.
    #[error("{0}")]
    Unknown(#[from] UnknownName),
    /// A value that a flag cannot have, or none.
    #[error("flag `{flag}`: found {found}, expected {expected}")]
    Value {
        /// The flag.
        flag: String,
        /// What was found.
        found: String,
        /// What can be given.
        expected: String,
    },
}

/// Reads the words of a command line, each flag for the first owner that has it.
pub fn read<'w>(
    words: impl IntoIterator<Item = &'w str>,
    owners: &mut [&mut dyn FlagOwner],
) -> Result<(), FlagError> {
    let mut words = words.into_iter();
    while let Some(flag) = words.next() {
        let value = words.next();
        let Some(set) = owners.iter_mut().find_map(|owner| owner.set(flag, value)) else {
            let known: Vec<[String; 3]> = owners.iter().flat_map(|owner| owner.rows()).collect();
            return Err(UnknownName::new("flag", flag, known.iter().map(|[name, ..]| name.as_str())).into());
        };
        set?;
    }
    Ok(())
}

/// The flags of some owners, in one line each.
pub fn help(owners: &[&dyn FlagOwner]) -> String {
    let mut text = String::new();
    for owner in owners {
        text += &format!("\n{}:\n", owner.owner());
        for [name, expected, help] in owner.rows() {
            text += &format!("  {name:<5} {help}: {expected}\n");
        }
    }
    text
}

impl<T> Value<T> {
    fn expected(&self) -> String {
        match self {
            Self::Boolean(_) => "true, false".to_owned(),
            Self::Number(_) => "a whole number".to_owned(),
            Self::Text(what, _) => (*what).to_owned(),
            Self::Name(names, _) => names().join(", "),
        }
    }

    /// Sets a value, if it can be that.
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
    fn owner(&self) -> &'static str {
        T::OWNER
    }

    fn rows(&self) -> Vec<[String; 3]> {
        T::FLAGS
            .iter()
            .map(|flag| [flag.name.to_owned(), flag.value.expected(), flag.help.to_owned()])
            .collect()
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Option<Result<(), FlagError>> {
        let Flag { value: kind, .. } = T::FLAGS.iter().find(|flag| flag.name == name)?;
        let found = || value.map_or("no value".to_owned(), |value| format!("`{value}`"));
        let wrong = || FlagError::Value { flag: name.to_owned(), found: found(), expected: kind.expected() };
        Some(value.and_then(|value| kind.set(self, value)).ok_or_else(wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, PartialEq, Debug)]
    struct One(bool, usize);
    #[derive(Default, PartialEq, Debug)]
    struct Two(String, usize);

    impl Flags for One {
        const OWNER: &'static str = "One";
        const FLAGS: &'static [Flag<Self>] = &[
            Flag::new("-b", "whether", Value::Boolean(|one, on| one.0 = on)),
            Flag::new("-n", "how many", Value::Number(|one, n| one.1 = n)),
        ];
    }

    impl Flags for Two {
        const OWNER: &'static str = "Two";
        const FLAGS: &'static [Flag<Self>] = &[
            Flag::new("-t", "where", Value::Text("a file", |two, text| two.0 = text)),
            Flag::new("-x", "which", Value::Name(|| vec!["a", "b"], |two, at| two.1 = at)),
        ];
    }

    #[test]
    fn each_owner_takes_its_flags() {
        let (mut one, mut two) = (One::default(), Two::default());
        read("-b true -x b -n 7 -t x.xml -n 8".split(' '), &mut [&mut one, &mut two]).unwrap();
        assert_eq!((one, two), (One(true, 8), Two("x.xml".to_owned(), 1)));
        assert_eq!(Two::default().with_flags("").unwrap(), Two::default());
    }

    #[test]
    fn errors_say_what_was_found_and_what_was_expected() {
        let error = |line: &str| {
            let (mut one, mut two) = (One::default(), Two::default());
            read(line.split(' '), &mut [&mut one, &mut two]).unwrap_err().to_string()
        };
        assert_eq!(error("-b maybe"), "flag `-b`: found `maybe`, expected true, false");
        assert_eq!(error("-n -1"), "flag `-n`: found `-1`, expected a whole number");
        assert_eq!(error("-x c"), "flag `-x`: found `c`, expected a, b");
        assert_eq!(error("-b true -t"), "flag `-t`: found no value, expected a file");
        assert_eq!(error("-xx"), "unknown flag `-xx`; known: -x, -b, -n, -t");
    }

    #[test]
    fn help_has_a_line_per_flag() {
        let text = help(&[&One::default(), &Two::default()]);
        assert_eq!(text.lines().filter(|line| line.starts_with("  -")).count(), 4);
        assert!(text.contains("\nTwo:\n  -t    where: a file\n  -x    which: a, b\n"), "{text}");
    }
}
