//! Columns of strings and of lists of strings, however a library stores them.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;

/// Strings of any type: 32-bit or 64-bit offsets, views, dictionaries.
pub(super) enum Strings<'a> {
    Small(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
    Dictionary {
        keys: &'a dyn Array,
        numbers: Vec<usize>,
        values: Box<Strings<'a>>,
    },
    /// A column without any value.
    Null,
}

impl<'a> Strings<'a> {
    pub(super) fn new(array: &'a ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Small(array.as_string()),
            DataType::LargeUtf8 => Self::Large(array.as_string()),
            DataType::Utf8View => Self::View(array.as_string_view()),
            DataType::Null => Self::Null,
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = Box::new(Self::new(dictionary.values())?);
                // An empty dictionary has no keys to normalise; all its rows are null.
                let numbers = if dictionary.values().is_empty() {
                    vec![0; array.len()]
                } else {
                    dictionary.normalized_keys()
                };
                Self::Dictionary { keys: dictionary.keys(), numbers, values }
            }
            _ => return None,
        })
    }

    /// Whether a column of this type is one of strings.
    pub(super) fn has_type(data_type: &DataType) -> bool {
        match data_type {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => true,
            DataType::Dictionary(_, values) => Self::has_type(values),
            _ => false,
        }
    }

    /// The string at a position; none for null.
    pub(super) fn get(&self, at: usize) -> Option<&str> {
        match self {
            Self::Small(array) => array.is_valid(at).then(|| array.value(at)),
            Self::Large(array) => array.is_valid(at).then(|| array.value(at)),
            Self::View(array) => array.is_valid(at).then(|| array.value(at)),
            Self::Dictionary { keys, numbers, values } => {
                if keys.is_valid(at) {
                    values.get(numbers[at])
                } else {
                    None
                }
            }
            Self::Null => None,
        }
    }
}

/// Lists of strings of any type.
pub(super) struct Lists<'a> {
    array: &'a ArrayRef,
    strings: Strings<'a>,
}

impl<'a> Lists<'a> {
    pub(super) fn new(array: &'a ArrayRef) -> Option<Self> {
        let values = match array.data_type() {
            DataType::List(_) => array.as_list::<i32>().values(),
            DataType::LargeList(_) => array.as_list::<i64>().values(),
            DataType::ListView(_) => array.as_list_view::<i32>().values(),
            DataType::LargeListView(_) => array.as_list_view::<i64>().values(),
            DataType::FixedSizeList(..) => array.as_fixed_size_list().values(),
            DataType::Null => return Some(Self { array, strings: Strings::Null }),
            _ => return None,
        };
        Some(Self { array, strings: Strings::new(values)? })
    }

    /// Whether a column of this type is one of lists of strings.
    pub(super) fn has_type(data_type: &DataType) -> bool {
        match data_type {
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _) => Strings::has_type(item.data_type()),
            DataType::Null => true,
            _ => false,
        }
    }

    /// The positions of a row's strings; none for null.
    pub(super) fn row(&self, row: usize) -> Option<Range<usize>> {
        if self.array.is_null(row) || *self.array.data_type() == DataType::Null {
            return None;
        }
        let (start, length) = match self.array.data_type() {
            DataType::List(_) => {
                let list = self.array.as_list::<i32>();
                (index(list.value_offsets()[row]), index(list.value_length(row)))
            }
            DataType::LargeList(_) => {
                let list = self.array.as_list::<i64>();
                (index(list.value_offsets()[row]), index(list.value_length(row)))
            }
            DataType::ListView(_) => {
                let list = self.array.as_list_view::<i32>();
                (index(list.value_offset(row)), index(list.value_size(row)))
            }
            DataType::LargeListView(_) => {
                let list = self.array.as_list_view::<i64>();
                (index(list.value_offset(row)), index(list.value_size(row)))
            }
            _ => {
                let list = self.array.as_fixed_size_list();
                (index(list.value_offset_at(row)), index(list.value_length()))
            }
        };
        Some(start..start + length)
    }

    /// The string at a position; none for null.
    pub(super) fn get(&self, at: usize) -> Option<&str> {
        self.strings.get(at)
    }
}

/// Offsets are never negative.
fn index(offset: impl TryInto<usize>) -> usize {
    offset.try_into().unwrap_or(0)
}
