//! Languages of documents: BCP 47 tags, and the direction of their text.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use icu_locale::{LanguageIdentifier, LocaleDirectionality};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

/// What a valid tag is, for errors.
pub const EXPECTED_LANGUAGE: &str = "a language tag (BCP 47), such as en, de-AT or zh-Hant";

/// The language of a document, with the spelling that BCP 47 recommends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language {
    tag: Arc<str>,
    is_right_to_left: bool,
}

/// A text is no language tag.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a language tag")]
pub struct LanguageError(String);

impl Language {
    /// The tag.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The attributes of an element with text in this language. `dir` is absent from languages that
    /// are written from left to right, the default of HTML.
    pub fn attributes(&self) -> String {
        let direction = if self.is_right_to_left { " dir=\"rtl\"" } else { "" };
        format!("lang=\"{}\"{direction}", self.tag)
    }

    /// Whether it is English, the language of the gateway's own texts.
    pub fn is_english(&self) -> bool {
        self.tag.split('-').next() == Some("en")
    }
}

impl Default for Language {
    fn default() -> Self {
        Self {
            tag: "en".into(),
            is_right_to_left: false,
        }
    }
}

impl FromStr for Language {
    type Err = LanguageError;

    fn from_str(text: &str) -> Result<Self, LanguageError> {
        // The parser also accepts `_`, and the empty tag is `und`.
        let is_tag = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let parsed = LanguageIdentifier::try_from_str(text);
        let identifier = parsed.ok().filter(|_| is_tag && !text.is_empty());
        let identifier = identifier.ok_or_else(|| LanguageError(text.to_owned()))?;
        Ok(Self {
            tag: identifier.to_string().into(),
            is_right_to_left: LocaleDirectionality::new_extended().is_right_to_left(&identifier),
        })
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tag)
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.tag)
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let expected = |error| D::Error::custom(format_args!("{error}; expected {EXPECTED_LANGUAGE}"));
        text.parse().map_err(expected)
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn direction_follows_the_shared_table() {
        let table = include_str!("../../../../tests/tables/languages.json");
        let table: Vec<(String, String)> = serde_json::from_str(table).expect("the table");
        for (tag, direction) in table {
            let language: Language = tag.parse().expect("a language");
            let expected = match &*direction {
                "rtl" => format!("lang=\"{language}\" dir=\"rtl\""),
                _ => format!("lang=\"{language}\""),
            };
            assert_eq!(language.attributes(), expected, "{tag}");
        }
    }

    #[test]
    fn tag_is_checked_and_gets_its_usual_spelling() {
        for (text, tag) in [
            ("EN-us", "en-US"),
            ("es-419", "es-419"),
            ("zh-hant", "zh-Hant"),
            ("sl-rozaj", "sl-rozaj"),
        ] {
            assert_eq!(text.parse::<Language>().expect(text).tag(), tag);
        }
        for text in [
            "",
            "e",
            "english",
            "de_AT",
            "de-",
            "de AT",
            "de\" onload=\"x",
            "日本語",
        ] {
            assert!(text.parse::<Language>().is_err(), "{text}");
        }
    }
}
