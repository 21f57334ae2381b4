//! Secrets: the configuration names an environment variable or a file that contains the secret.

use std::path::Path;

use http::HeaderValue;
use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;
use serde::{Deserialize, Deserializer};
use toml::Value;

use crate::value::{as_string, convert, wrong_type};

/// The description of a valid value in errors.
pub(crate) const SECRET: &str = "{ env = \"VARIABLE\" } or { file = \"path\" }, never the secret itself";

/// Where a secret is.
#[derive(Debug, Clone)]
pub(crate) enum SecretSource {
    /// An environment variable.
    Env(String),
    /// A file.
    File(String),
}

impl<'de> Deserialize<'de> for SecretSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        convert(deserializer, SECRET, |value| {
            let Value::Table(table) = value else {
                return Err(wrong_type(value));
            };
            let mut entries = table.iter();
            let (Some((key, value)), None) = (entries.next(), entries.next()) else {
                return Err("must have exactly one key".to_owned());
            };
            let text = as_string(value).map_err(|wrong| format!("`{key}` {wrong}"))?;
            match key.as_str() {
                "env" => Ok(Self::Env(text.to_owned())),
                "file" => Ok(Self::File(text.to_owned())),
                _ => Err(format!("has the unknown key `{key}`")),
            }
        })
    }
}

impl SecretSource {
    /// Reads the secret, which must be a valid HTTP header value. A relative path starts at
    /// `folder`.
    pub(crate) fn read(&self, folder: &Path) -> Result<SecretString, String> {
        let (text, source) = match self {
            Self::Env(name) => (
                std::env::var(name).ok(),
                format!("the environment variable {name}"),
            ),
            Self::File(path) => (
                std::fs::read_to_string(folder.join(path)).ok(),
                format!("the file {path}"),
            ),
        };
        let text = Zeroizing::new(text.ok_or_else(|| format!("{source} is not set or cannot be read"))?);
        let secret = text.trim_end_matches(['\r', '\n']);
        if secret.is_empty() || HeaderValue::from_str(secret).is_err() {
            return Err(format!("{source} is empty or contains invalid characters"));
        }
        Ok(SecretString::from(secret))
    }
}
