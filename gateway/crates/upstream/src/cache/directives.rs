//! `Cache-Control` (RFC 9111, section 5.2).
//!
//! The library that decides what is fresh compares directives by case, splits quoted strings at
//! commas, and skips a field that is not ASCII. So it gets the directives as this module writes
//! them: in lower case and without quotes.

use std::time::Duration;

use http::HeaderMap;
use http::header::CACHE_CONTROL;

/// The largest number of seconds (RFC 9111, section 1.2.2).
const MAX_SECONDS: u64 = 1 << 31;

/// The maximum number of directives with different names. Each one is compared with all before.
const MAX_DIRECTIVES: usize = 64;

/// The directives of a message, each name once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Directives(Vec<(String, Option<String>)>);

impl Directives {
    /// Parses all `Cache-Control` fields; `None` if they are not a list of directives, or too many,
    /// so that nothing is known about the message.
    pub(super) fn parse(headers: &HeaderMap) -> Option<Self> {
        let mut directives = Self::default();
        for field in headers.get_all(CACHE_CONTROL) {
            let mut rest = field.to_str().ok()?;
            loop {
                rest = rest.trim_start_matches([',', ' ', '\t']);
                if rest.is_empty() {
                    break;
                }
                let (name, after_name) = token(rest)?;
                let (argument, after_argument) = argument(after_name)?;
                directives.add(name.to_ascii_lowercase(), argument);
                if directives.0.len() > MAX_DIRECTIVES {
                    return None;
                }
                rest = after_argument.trim_start_matches([' ', '\t']);
                if !rest.is_empty() && !rest.starts_with(',') {
                    return None;
                }
            }
        }
        Some(directives)
    }

    /// Adds a directive. A directive that is repeated with another argument counts as 0, so that a
    /// response is stale (RFC 9111, section 4.2.1).
    fn add(&mut self, name: String, argument: Option<String>) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) if *known != argument => *known = Some("0".to_owned()),
            Some(_) => {}
            None => self.0.push((name, argument)),
        }
    }

    /// Whether there is this directive, with or without an argument.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// The argument in seconds; 0 if it is missing or invalid.
    pub(super) fn seconds(&self, name: &str) -> Option<Duration> {
        let (_, argument) = self.0.iter().find(|(known, _)| known == name)?;
        Some(argument.as_deref().map_or(Duration::ZERO, parse_seconds))
    }

    /// The value of a `Cache-Control` field with these directives, and with their arguments only if
    /// they are seconds.
    pub(super) fn canonical(&self) -> String {
        let directives = self.0.iter().map(|(name, argument)| match argument {
            Some(_) if ["max-age", "s-maxage"].contains(&name.as_str()) => {
                let seconds = self.seconds(name).unwrap_or_default();
                format!("{name}={}", seconds.as_secs())
            }
            _ => name.clone(),
        });
        directives.collect::<Vec<_>>().join(", ")
    }
}

/// A number of seconds; 0 if it is invalid, and at most 2³¹.
pub(super) fn parse_seconds(text: &str) -> Duration {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Only a number that is too large cannot be parsed.
    let seconds = text
        .parse()
        .map_or(MAX_SECONDS, |seconds: u64| seconds.min(MAX_SECONDS));
    Duration::from_secs(if is_number { seconds } else { 0 })
}

/// A token (RFC 9110, section 5.6.2) and the text after it.
fn token(text: &str) -> Option<(&str, &str)> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let end = text.find(|c| !is_token(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The argument that `text` begins with, if it has one, and the text after it.
fn argument(text: &str) -> Option<(Option<String>, &str)> {
    let Some(text) = text.strip_prefix('=') else {
        return Some((None, text));
    };
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = token(text)?;
        return Some((Some(value.to_owned()), rest));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((index, c)) = characters.next() {
        match c {
            '"' => return Some((Some(value), &quoted[index + 1..])),
            '\\' => value.push(characters.next()?.1),
            _ => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::header::CACHE_CONTROL;
    use http::{HeaderMap, HeaderValue};

    use super::Directives;

    fn parse(fields: &[&[u8]]) -> Option<Directives> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(CACHE_CONTROL, HeaderValue::from_bytes(field).unwrap());
        }
        Directives::parse(&headers)
    }

    #[test]
    fn directives_are_parsed_whatever_their_spelling() {
        let cases: [(&[&[u8]], Option<&str>); 18] = [
            (&[], Some("")),
            (&[b"No-Store"], Some("no-store")),
            (&[b"MAX-AGE=60 ,, Public,"], Some("max-age=60, public")),
            (&[b"max-age=\"60\""], Some("max-age=60")),
            (
                &[b"private=\"a, \\\"no-store\", max-age=1"],
                Some("private, max-age=1"),
            ),
            (&[b"max-age=1", b"s-maxage=2"], Some("max-age=1, s-maxage=2")),
            (&[b"max-age=1, max-age=1"], Some("max-age=1")),
            // RFC 9111, section 4.2.1: conflicting directives make a response stale.
            (&[b"max-age=1, max-age=2"], Some("max-age=0")),
            // RFC 9111, section 1.2.2: a number that is too large counts as 2³¹.
            (&[b"max-age=99999999999999999999"], Some("max-age=2147483648")),
            (&[b"max-age=-1"], Some("max-age=0")),
            (&[b"max-age=1.5"], Some("max-age=0")),
            (&[b"max-age"], Some("max-age")),
            (&[b"max-age="], None),
            (&[b"max-age = 1"], None),
            (&[b"private=\"a"], None),
            (&[b"private \xe9"], None),
            (&[b"=1"], None),
            (&[b"a b"], None),
        ];
        for (fields, expected) in cases {
            let canonical = parse(fields).map(|directives| directives.canonical());
            assert_eq!(canonical.as_deref(), expected, "{fields:?}");
        }
    }

    #[test]
    fn too_many_directives_are_not_parsed() {
        let list = |count: usize| {
            let names: Vec<_> = (0..count).map(|number| format!("x{number}")).collect();
            names.join(",")
        };
        assert!(parse(&[list(64).as_bytes()]).is_some());
        assert_eq!(parse(&[list(65).as_bytes()]), None);
    }

    #[test]
    fn seconds_of_missing_argument_are_zero() {
        let directives = parse(&[b"stale-if-error, stale-while-revalidate=5"]).unwrap();
        assert_eq!(directives.seconds("stale-if-error"), Some(Duration::ZERO));
        let window = directives.seconds("stale-while-revalidate");
        assert_eq!(window, Some(Duration::from_secs(5)));
        assert_eq!(directives.seconds("max-age"), None);
    }
}
