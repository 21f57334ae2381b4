//! Where a release comes from, as its publisher says. It is no part of the release.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::Reason;

/// The most characters of a commit.
const MAX_COMMIT: usize = 64;

/// The most bytes of a URL.
const MAX_URL: usize = 1000;

/// The most characters of an author's name.
const MAX_AUTHOR: usize = 100;

/// Where a release comes from, as its publisher says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseSource {
    /// The commit that it was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, pattern = r"^[A-Za-z0-9._-]{1,64}$", required = false)]
    pub commit: Option<String>,
    /// The page of the commit, or of the job that built it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, pattern = r"^https://", max_length = 1000, required = false)]
    pub url: Option<String>,
    /// Who made the commit, or started the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, max_length = 100, required = false)]
    pub author: Option<String>,
}

impl ReleaseSource {
    /// Reads a JSON object. `None` if it is empty.
    ///
    /// # Errors
    /// What is wrong, and what was expected.
    pub fn parse(json: &str) -> Result<Option<Self>, String> {
        let source: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let Self { commit, url, author } = &source;
        if !commit.as_deref().is_none_or(is_commit) {
            return Err(format!(
                "`commit` must have 1 to {MAX_COMMIT} letters, digits, `.`, `_` and `-`"
            ));
        }
        if !url.as_deref().is_none_or(is_url) {
            return Err(format!(
                "`url` must be a URL with https and without credentials, of at most {MAX_URL} bytes"
            ));
        }
        if !author.as_deref().is_none_or(is_author) {
            return Err(format!(
                "`author` must be one line of 1 to {MAX_AUTHOR} characters, without controls of the text direction"
            ));
        }
        let is_empty = commit.is_none() && url.is_none() && author.is_none();
        Ok((!is_empty).then_some(source))
    }
}

fn is_commit(commit: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=MAX_COMMIT).contains(&commit.len()) && commit.bytes().all(is_allowed)
}

fn is_url(url: &str) -> bool {
    let authority = url
        .strip_prefix("https://")
        .and_then(|rest| rest.split(['/', '?', '#']).next());
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"\"'<>\\^`{|}".contains(&byte);
    url.len() <= MAX_URL
        && url.bytes().all(is_allowed)
        && authority.is_some_and(|authority| !authority.is_empty() && !authority.contains('@'))
}

fn is_author(author: &str) -> bool {
    let length = author.chars().count();
    (1..=MAX_AUTHOR).contains(&length) && Reason::try_from(author.to_owned()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::ReleaseSource;

    #[test]
    fn source_of_release_is_checked() {
        let whole = r#"{"commit":"4bf92f3","url":"https://git.example/a/4bf92f3#L1","author":"José Núñez"}"#;
        let source = ReleaseSource::parse(whole).expect("valid").expect("a source");
        assert_eq!(source.author.as_deref(), Some("José Núñez"));
        assert_eq!(ReleaseSource::parse("{}"), Ok(None));
        let long = "a".repeat(101);
        for (json, problem) in [
            ("", "EOF"),
            (r#"{"branch":"main"}"#, "unknown field"),
            (r#"{"commit":"a b"}"#, "`commit` must have"),
            (r#"{"commit":""}"#, "`commit` must have"),
            (r#"{"url":"http://git.example/a"}"#, "`url` must be"),
            (r#"{"url":"https:///a"}"#, "`url` must be"),
            (r#"{"url":"https://user:key@git.example"}"#, "`url` must be"),
            (r#"{"url":"https://git.example/\"onclick"}"#, "`url` must be"),
            (r#"{"author":"a\nb"}"#, "`author` must be"),
            (&format!(r#"{{"author":"{long}"}}"#), "`author` must be"),
        ] {
            let error = ReleaseSource::parse(json).expect_err(json);
            assert!(error.contains(problem), "{json}: {error}");
        }
    }
}
