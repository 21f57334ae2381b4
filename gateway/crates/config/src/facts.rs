//! Values that the operator gives to sections: those of `[site.facts]` and
//! `[sections.<name>.config]`. They are public: documents contain them.

use std::collections::BTreeMap;

use colonnade_model::release::{EXPECTED_FACT_NAME, is_fact_name};
use serde::{Deserialize, Deserializer, Serialize};
use toml::Value as Toml;

use crate::config_file::ConfigFile;
use crate::value::{convert, table, wrong_type};

/// The largest whole number that JavaScript represents exactly: `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The most bytes of a table as JSON: each document contains the facts.
const MAX_BYTES: usize = 64 * 1024;

/// The description of a valid value in errors.
const FACT: &str = "a string, a number, a boolean or a list of these";

/// Values by name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Facts {
    #[serde(deserialize_with = "table")]
    values: BTreeMap<String, Fact>,
}

/// A value: a string, a number, a boolean or a list of these.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
struct Fact(serde_json::Value);

impl Facts {
    /// A value.
    pub fn get(&self, name: &str) -> Option<&serde_json::Value> {
        self.values.get(name).map(|fact| &fact.0)
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Checks the names and the size. `path` is that of the table.
    pub(crate) fn resolve(&self, path: &[&str], file: &mut ConfigFile<'_>) {
        let size = serde_json::to_string(self).map_or(0, |json| json.len());
        if size > MAX_BYTES {
            let wrong = format!("is {size} bytes of JSON");
            file.problem(path, &wrong, &format!("at most {MAX_BYTES} bytes"));
        }
        for name in self.values.keys().filter(|name| !is_fact_name(name)) {
            let path = [path, &[name]].concat();
            let wrong = format!("`{name}` is not the name of a value");
            file.problem(&path, &wrong, EXPECTED_FACT_NAME);
        }
    }
}

impl<'de> Deserialize<'de> for Fact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        convert(deserializer, FACT, |value| {
            if let Toml::Array(items) = value {
                let items: Result<_, String> = items.iter().map(single).collect();
                let items = items.map_err(|wrong| format!("has an item that {wrong}"))?;
                return Ok(Self(serde_json::Value::Array(items)));
            }
            single(value).map(Self)
        })
    }
}

/// A value that is not a list.
fn single(value: &Toml) -> Result<serde_json::Value, String> {
    match value {
        Toml::String(text) => Ok(text.as_str().into()),
        Toml::Boolean(boolean) => Ok((*boolean).into()),
        Toml::Integer(number) if number.unsigned_abs() <= MAX_SAFE_INTEGER => Ok((*number).into()),
        Toml::Integer(number) => Err(format!("is {number}, which JavaScript would round")),
        Toml::Float(number) => serde_json::Number::from_f64(*number)
            .map(Into::into)
            .ok_or_else(|| format!("is {number}, which JSON does not have")),
        other => Err(wrong_type(other)),
    }
}
