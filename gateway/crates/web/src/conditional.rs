//! Conditional requests: `If-Match`, `If-None-Match`, `If-Modified-Since`, `If-Unmodified-Since`
//! and `If-Range` (RFC 9110, section 13).

use http::header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE};
use http::{HeaderMap, HeaderName};
use httpdate::HttpDate;

/// The validators of a representation.
#[derive(Debug, Clone, Copy)]
pub struct Validators<'a> {
    /// The strong entity tag, including its quotes.
    pub etag: &'a [u8],
    /// The time of the last modification, if it is known.
    pub modified: Option<HttpDate>,
}

/// The outcome of evaluating the preconditions of a GET or HEAD request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// Respond as if the request had no preconditions.
    Proceed,
    /// The client has the current representation: respond 304.
    NotModified,
    /// A precondition is false: respond 412.
    Failed,
}

/// Evaluates the preconditions of a GET or HEAD request in the order of RFC 9110, section 13.2.2.
pub fn evaluate_preconditions(request: &HeaderMap, validators: Validators<'_>) -> Precondition {
    let Validators { etag, modified } = validators;
    let since = |name| modified.zip(date(request, name));
    if request.contains_key(IF_MATCH) {
        if !lists(request, &IF_MATCH, etag, Comparison::Strong) {
            return Precondition::Failed;
        }
    } else if let Some((modified, date)) = since(&IF_UNMODIFIED_SINCE)
        && modified > date
    {
        return Precondition::Failed;
    }
    let is_current = if request.contains_key(IF_NONE_MATCH) {
        lists(request, &IF_NONE_MATCH, etag, Comparison::Weak)
    } else {
        since(&IF_MODIFIED_SINCE).is_some_and(|(modified, date)| modified <= date)
    };
    if is_current {
        Precondition::NotModified
    } else {
        Precondition::Proceed
    }
}

/// Returns whether `Range` applies: there is no `If-Range`, or it matches by strong comparison (RFC
/// 9110, section 13.1.5). A date matches only if it is exact.
pub fn may_send_range(request: &HeaderMap, validators: Validators<'_>) -> bool {
    let mut values = request.get_all(IF_RANGE).iter();
    let Some(value) = values.next() else {
        return true;
    };
    if values.next().is_some() {
        return false;
    }
    match date(request, &IF_RANGE) {
        Some(date) => validators.modified == Some(date),
        None => value.as_bytes() == validators.etag,
    }
}

/// How entity tags are compared (RFC 9110, section 8.8.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// A weak tag never matches.
    Strong,
    /// The weakness of a tag does not matter.
    Weak,
}

/// Returns whether a header lists an entity tag or is `*`.
fn lists(request: &HeaderMap, name: &HeaderName, etag: &[u8], comparison: Comparison) -> bool {
    request.get_all(name).iter().any(|value| {
        let value = value.as_bytes().trim_ascii();
        value == b"*" || Tags(value).any(|tag| is_same(&tag, etag, comparison))
    })
}

/// Returns whether a client's entity tag is this one.
fn is_same(tag: &Tag<'_>, etag: &[u8], comparison: Comparison) -> bool {
    match comparison {
        Comparison::Strong => tag.opaque == etag && !tag.is_weak,
        Comparison::Weak => tag.opaque == etag || is_of_proxy(tag.opaque, etag),
    }
}

/// Returns whether a proxy that compresses has made an entity tag from another one. Both have
/// quotes. Apache appends `-gzip` or `-br`, others `;gzip`, and they do not remove it from
/// `If-None-Match`.
fn is_of_proxy(tag: &[u8], etag: &[u8]) -> bool {
    let suffix = etag.strip_suffix(b"\"").and_then(|start| tag.strip_prefix(start));
    suffix.is_some_and(|suffix| [&b"-gzip\""[..], b";gzip\"", b"-br\"", b";br\""].contains(&suffix))
}

/// The date in a header; `None` if the header is absent, repeated or not a date.
fn date(request: &HeaderMap, name: &HeaderName) -> Option<HttpDate> {
    let mut values = request.get_all(name).iter();
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    value.to_str().ok()?.parse().ok()
}

/// An entity tag.
#[derive(Debug, PartialEq, Eq)]
struct Tag<'a> {
    is_weak: bool,
    /// The opaque tag without `W/`, including its quotes.
    opaque: &'a [u8],
}

/// The entity tags of a list, up to the first invalid one.
struct Tags<'a>(&'a [u8]);

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        let start = self.0.iter().position(|byte| !b", \t".contains(byte))?;
        let item = &self.0[start..];
        let (is_weak, quoted) = match item.strip_prefix(b"W/") {
            Some(quoted) => (true, quoted),
            None => (false, item),
        };
        let inner = quoted.strip_prefix(b"\"")?;
        // A tag may contain commas but no quotes.
        let end = inner.iter().position(|byte| *byte == b'"')?;
        let (opaque, rest) = quoted.split_at(end + 2);
        let rest = rest.trim_ascii_start();
        // A comma separates two tags.
        self.0 = if rest.starts_with(b",") { rest } else { b"" };
        Some(Tag { is_weak, opaque })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use http::header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE};
    use http::{HeaderMap, HeaderName, HeaderValue};
    use httpdate::HttpDate;
    use proptest::collection;
    use proptest::prelude::proptest;

    use super::{Precondition, Tags, Validators, evaluate_preconditions, may_send_range};

    const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const THEN: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const AFTER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";

    fn validators() -> Validators<'static> {
        Validators {
            etag: b"\"a\"",
            modified: Some(HttpDate::from(UNIX_EPOCH + Duration::from_secs(784_111_777))),
        }
    }

    fn headers(list: &[(&HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, HeaderValue::from_str(value).expect("a header's value"));
        }
        headers
    }

    fn evaluate(list: &[(&HeaderName, &str)]) -> Precondition {
        evaluate_preconditions(&headers(list), validators())
    }

    #[test]
    fn if_none_match_with_matching_tag_or_star_returns_304() {
        let cases = [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", \"a\"", true),
            ("\"b\",,W/\"a\"", true),
            ("\"b,c\" , \"a\"", true),
            (" * ", true),
            // Proxies that compress append the coding.
            ("\"a-gzip\"", true),
            ("W/\"a;gzip\"", true),
            ("\"b\", \"a-br\"", true),
            ("\"a-gzi\"", false),
            ("\"gzip\"", false),
            ("\"-gzip\"", false),
            ("\"b\"", false),
            ("a", false),
            ("w/\"a\"", false),
            ("\"b, \"a\"", false),
            ("\"b\", *", false),
            ("\"b\"\"a\"", false),
            ("\"b\" \"a\"", false),
            ("\"a", false),
            ("", false),
        ];
        for (value, is_current) in cases {
            let expected = if is_current {
                Precondition::NotModified
            } else {
                Precondition::Proceed
            };
            assert_eq!(evaluate(&[(&IF_NONE_MATCH, value)]), expected, "{value:?}");
        }
        let two = [(&IF_NONE_MATCH, "\"b\""), (&IF_NONE_MATCH, "\"a\"")];
        assert_eq!(evaluate(&two), Precondition::NotModified);
    }

    #[test]
    fn if_modified_since_counts_only_without_if_none_match() {
        for (date, expected) in [
            (BEFORE, Precondition::Proceed),
            (THEN, Precondition::NotModified),
            (AFTER, Precondition::NotModified),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Precondition::NotModified),
            ("Sun Nov  6 08:49:37 1994", Precondition::NotModified),
            ("yesterday", Precondition::Proceed),
            ("784111777", Precondition::Proceed),
        ] {
            assert_eq!(evaluate(&[(&IF_MODIFIED_SINCE, date)]), expected, "{date}");
        }
        let other = [(&IF_NONE_MATCH, "\"b\""), (&IF_MODIFIED_SINCE, AFTER)];
        assert_eq!(evaluate(&other), Precondition::Proceed);
        let twice = [(&IF_MODIFIED_SINCE, AFTER), (&IF_MODIFIED_SINCE, AFTER)];
        assert_eq!(evaluate(&twice), Precondition::Proceed);
        let without = Validators {
            modified: None,
            ..validators()
        };
        assert_eq!(
            evaluate_preconditions(&headers(&[(&IF_MODIFIED_SINCE, AFTER)]), without),
            Precondition::Proceed
        );
    }

    #[test]
    fn if_match_and_if_unmodified_since_return_412() {
        for (list, expected) in [
            (&[(&IF_MATCH, "\"a\"")][..], Precondition::Proceed),
            (&[(&IF_MATCH, "*")], Precondition::Proceed),
            (&[(&IF_MATCH, "W/\"a\"")], Precondition::Failed),
            (&[(&IF_MATCH, "\"b\"")], Precondition::Failed),
            (&[(&IF_MATCH, "\"a-gzip\"")], Precondition::Failed),
            (
                &[(&IF_MATCH, "\"a\""), (&IF_UNMODIFIED_SINCE, BEFORE)],
                Precondition::Proceed,
            ),
            (&[(&IF_UNMODIFIED_SINCE, BEFORE)], Precondition::Failed),
            (&[(&IF_UNMODIFIED_SINCE, THEN)], Precondition::Proceed),
            (&[(&IF_UNMODIFIED_SINCE, "never")], Precondition::Proceed),
            (
                &[(&IF_MATCH, "\"b\""), (&IF_NONE_MATCH, "\"a\"")],
                Precondition::Failed,
            ),
        ] {
            assert_eq!(evaluate(list), expected, "{list:?}");
        }
    }

    #[test]
    fn if_range_requires_strong_match() {
        for (value, expected) in [
            ("\"a\"", true),
            (THEN, true),
            ("W/\"a\"", false),
            ("\"b\"", false),
            (BEFORE, false),
            (AFTER, false),
            ("*", false),
            ("", false),
        ] {
            let sent = may_send_range(&headers(&[(&IF_RANGE, value)]), validators());
            assert_eq!(sent, expected, "{value:?}");
        }
        assert!(may_send_range(&HeaderMap::new(), validators()));
        let twice = headers(&[(&IF_RANGE, "\"a\""), (&IF_RANGE, "\"a\"")]);
        assert!(!may_send_range(&twice, validators()));
    }

    proptest! {
        #[test]
        fn arbitrary_headers_never_panic(value in "[\\x20-\\x7e\\t]{0,60}") {
            for name in [&IF_MATCH, &IF_NONE_MATCH, &IF_MODIFIED_SINCE, &IF_UNMODIFIED_SINCE, &IF_RANGE] {
                let request = headers(&[(name, &value)]);
                evaluate_preconditions(&request, validators());
                may_send_range(&request, validators());
            }
        }

        #[test]
        fn tag_list_roundtrips(names in collection::vec("[!#-~]{0,8}", 0..6)) {
            let text = names.iter().map(|name| format!("W/\"{name}\"")).collect::<Vec<_>>().join(" , ");
            let read: Vec<_> = Tags(text.as_bytes()).map(|tag| tag.opaque.to_vec()).collect();
            let written: Vec<_> = names.iter().map(|name| format!("\"{name}\"").into_bytes()).collect();
            assert_eq!(read, written);
        }
    }
}
