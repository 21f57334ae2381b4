//! Deserializers for single values, for `#[serde(deserialize_with)]`. Their errors say what is
//! wrong and what was expected; `document` adds the line and the key.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use toml::Value;

/// The upper bound of integers that have none.
pub(crate) const UNBOUNDED: u64 = i64::MAX.unsigned_abs();

/// Deserializes any value and converts it. `expected` describes a valid value in errors.
pub(crate) fn convert<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &str,
    convert: impl FnOnce(&Value) -> Result<T, String>,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer).map_err(|error| match error.to_string() {
        message if message.starts_with("missing field ") => error,
        // The only other error of a value that was parsed already.
        _ => D::Error::custom(format_args!("is too large; expected {expected}")),
    })?;
    convert(&value).map_err(|wrong| D::Error::custom(format_args!("{wrong}; expected {expected}")))
}

/// The string in a value: not blank, and without control characters.
pub(crate) fn as_string(value: &Value) -> Result<&str, String> {
    match value {
        Value::String(text) if text.trim().is_empty() => Err("is empty".to_owned()),
        Value::String(text) if text.chars().any(char::is_control) => {
            Err("contains a line break or another control character".to_owned())
        }
        Value::String(text) => Ok(text),
        other => Err(wrong_type(other)),
    }
}

/// The strings in an array, each one parsed. The error says what is wrong with each of them.
pub(crate) fn as_strings<T>(
    value: &Value,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let items = value.as_array().ok_or_else(|| wrong_type(value))?;
    let (mut parsed, mut wrong) = (Vec::new(), Vec::new());
    for item in items {
        match as_string(item).and_then(&parse) {
            Ok(item) => parsed.push(item),
            Err(error) => wrong.push(error),
        }
    }
    if wrong.is_empty() {
        Ok(parsed)
    } else {
        Err(wrong.join(", "))
    }
}

/// The same for an array that must not be empty.
pub(crate) fn as_nonempty_strings<T>(
    value: &Value,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let items = as_strings(value, parse)?;
    if items.is_empty() {
        return Err("is empty".to_owned());
    }
    Ok(items)
}

/// What is wrong with a value of another type. Does not contain the value, which may be secret.
pub(crate) fn wrong_type(value: &Value) -> String {
    format!("is of type {}", value.type_str())
}

/// A string that is not blank and has no control characters.
pub(crate) fn string<'de, T: for<'s> From<&'s str>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    convert(deserializer, "a non-empty string", |value| {
        Ok(T::from(as_string(value)?))
    })
}

/// A path of the file system.
pub(crate) fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    convert(deserializer, "the path of a file or folder", |value| {
        as_string(value).map(PathBuf::from)
    })
}

/// The same, for a key that may be missing.
pub(crate) fn optional_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    path(deserializer).map(Some)
}

/// A whole number from `MIN` to `MAX`.
pub(crate) fn integer<'de, const MIN: u64, const MAX: u64, T: TryFrom<u64>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let expected = match MAX {
        UNBOUNDED => format!("a whole number of at least {MIN}"),
        _ => format!("a whole number from {MIN} to {MAX}"),
    };
    convert(deserializer, &expected, |value| {
        let number = value.as_integer().ok_or_else(|| wrong_type(value))?;
        let in_range = u64::try_from(number)
            .ok()
            .filter(|number| (MIN..=MAX).contains(number));
        in_range
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| format!("is {number}"))
    })
}

/// A number of milliseconds from `MIN` to `MAX`.
pub(crate) fn milliseconds<'de, const MIN: u64, const MAX: u64, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Duration, D::Error> {
    integer::<MIN, MAX, _, _>(deserializer).map(Duration::from_millis)
}

/// A number of seconds from 1 to `MAX`.
pub(crate) fn seconds<'de, const MAX: u64, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Duration, D::Error> {
    integer::<1, MAX, _, _>(deserializer).map(Duration::from_secs)
}

/// A number of MiB from `MIN` to `MAX`, in bytes.
pub(crate) fn mebibytes<'de, const MIN: u64, const MAX: u64, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<usize, D::Error> {
    integer::<MIN, MAX, usize, _>(deserializer).map(|mebibytes| mebibytes * MIB)
}

/// The default of a numeric field.
pub(crate) fn number<const N: u16, T: From<u16>>() -> T {
    N.into()
}

/// The default of a field in milliseconds.
pub(crate) fn default_ms<const N: u64>() -> Duration {
    Duration::from_millis(N)
}

/// Bytes of a MiB.
pub(crate) const MIB: usize = 1024 * 1024;

/// A table. Unlike a derived struct it does not accept an array of the values.
struct Table<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableVisitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for TableVisitor<T> {
            type Value = Table<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Table)
            }
        }

        deserializer.deserialize_map(TableVisitor(std::marker::PhantomData))
    }
}

/// An array of tables.
pub(crate) fn tables<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let tables = Vec::<Table<T>>::deserialize(deserializer)?;
    Ok(tables.into_iter().map(|table| table.0).collect())
}

/// A table.
pub(crate) fn table<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Table::deserialize(deserializer).map(|table| table.0)
}

/// A table that may be missing.
pub(crate) fn optional_table<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    table(deserializer).map(Some)
}

/// A table of tables, such as `[upstreams]`.
pub(crate) fn map_of_tables<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    let tables = Table::<BTreeMap<String, Table<T>>>::deserialize(deserializer)?.0;
    Ok(tables.into_iter().map(|(key, table)| (key, table.0)).collect())
}
