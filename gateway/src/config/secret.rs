//! Secrets: named in the configuration, kept elsewhere.

use std::path::Path;

use http::HeaderValue;
use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;
use toml::de::DeValue;

use super::reader::{Read, is, text};

/// What is expected of a key that names a secret.
pub(super) const SECRET: &str = "{ env = \"VARIABLE\" } or { file = \"path\" }, never the secret itself";

/// Reads the secret a value names. The secret can stand in an HTTP header.
pub(super) fn secret(value: &DeValue<'_>, folder: &Path) -> Read<SecretString> {
    let DeValue::Table(entries) = value else {
        return Err(is(value));
    };
    let mut entries = entries.iter();
    let (Some((key, value)), None) = (entries.next(), entries.next()) else {
        return Err("does not name exactly one place".to_owned());
    };
    let place = text(value.get_ref()).map_err(|wrong| format!("`{}` {wrong}", key.get_ref()))?;
    let (found, place) = match key.get_ref().as_ref() {
        "env" => (
            std::env::var(&place).ok().map(Zeroizing::new),
            format!("the environment variable {place}"),
        ),
        "file" => (
            std::fs::read_to_string(folder.join(&place))
                .ok()
                .map(Zeroizing::new),
            format!("the file {place}"),
        ),
        other => return Err(format!("has the unknown key `{other}`")),
    };
    let found = found.ok_or_else(|| format!("{place} is not set or cannot be read"))?;
    let secret = found.trim_end_matches(['\r', '\n']);
    if secret.is_empty() || HeaderValue::from_str(secret).is_err() {
        return Err(format!("{place} is empty or has characters that no key has"));
    }
    Ok(SecretString::from(secret))
}
