//! `[site]`: what every page knows of the site.

use std::sync::Arc;

use colonnade_model::language::{EXPECTED_LANGUAGE, Language, LanguageError};
use colonnade_model::pattern::RequestPath;
use serde::{Deserialize, Deserializer};

use crate::facts::Facts;
use crate::url::Origin;
use crate::value::{as_string, convert, string};

/// What every page knows of the site.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct SiteSettings {
    /// The site's name.
    #[serde(deserialize_with = "string")]
    pub brand: Arc<str>,
    /// The public origin.
    pub origin: Origin,
    /// The contact e-mail address for visitors.
    #[serde(deserialize_with = "email")]
    pub contact: String,
    /// The language of its pages, unless a page names another.
    #[serde(default, deserialize_with = "language")]
    pub language: Language,
    /// What the site's sections read: see [`Facts`].
    #[serde(default)]
    pub facts: Facts,
}

impl SiteSettings {
    /// The tables and keys that SIGHUP reloads, with those of other tables that documents show.
    pub(crate) const RELOADABLE: &[&str] = &[
        "site.brand",
        "site.contact",
        "site.language",
        "site.facts",
        "navigation",
        "policy",
        "sections",
        "extension_points",
    ];
}

/// Deserializes an e-mail address. The check only tells an address from a word or a URL.
fn email<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let expected = "an e-mail address, such as contact@example.com";
    convert(deserializer, expected, |value| {
        let text = as_string(value)?;
        let parts: Vec<&str> = text.split('@').collect();
        match parts.as_slice() {
            [name, host] if !name.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace) => {
                Ok(text.to_owned())
            }
            _ => Err(format!("`{text}` is not an e-mail address")),
        }
    })
}

fn language<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Language, D::Error> {
    convert(deserializer, EXPECTED_LANGUAGE, |value| {
        let language = as_string(value)?.parse();
        language.map_err(|error: LanguageError| error.to_string())
    })
}

/// Deserializes the path of a page. Paths that the gateway reserves are errors.
pub(crate) fn page_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let expected = "the path of a page, beginning with one slash, without a query";
    convert(deserializer, expected, |value| {
        let text = as_string(value)?;
        if parse_path(text)?.is_reserved() {
            return Err(format!("`{text}` is reserved for the gateway"));
        }
        Ok(text.to_owned())
    })
}

/// Parses the path of a page, without a query or a fragment.
pub(crate) fn parse_path(text: &str) -> Result<RequestPath, String> {
    match RequestPath::parse(text) {
        Ok(path) if !path.has_empty_segment() && !path.has_trailing_slash() => Ok(path),
        _ => Err(format!("`{text}` is not a path")),
    }
}
