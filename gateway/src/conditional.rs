//! Requests that depend on what the client has already (RFC 9110, 13).

use http::header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE};
use http::{HeaderMap, HeaderName};
use httpdate::HttpDate;

/// What tells one state of a representation from another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validators<'a> {
    /// Its strong entity tag, with its quotes.
    pub(crate) etag: &'a [u8],
    /// When it came to be, if that is known.
    pub(crate) modified: Option<HttpDate>,
}

/// What the conditions of a GET or HEAD come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is sent what it asks for.
    Proceed,
    /// It has that already: 304.
    NotModified,
    /// It wanted another state: 412.
    Failed,
}

/// Weighs the conditions of a GET or HEAD, in the order of RFC 9110, 13.2.2.
pub(crate) fn weigh(request: &HeaderMap, validators: Validators<'_>) -> Verdict {
    let Validators { etag, modified } = validators;
    let since = |name| modified.zip(date(request, name));
    if request.contains_key(IF_MATCH) {
        if !lists(request, &IF_MATCH, etag, Comparison::Strong) {
            return Verdict::Failed;
        }
    } else if let Some((modified, date)) = since(&IF_UNMODIFIED_SINCE)
        && modified > date
    {
        return Verdict::Failed;
    }
    let is_known = if request.contains_key(IF_NONE_MATCH) {
        lists(request, &IF_NONE_MATCH, etag, Comparison::Weak)
    } else {
        since(&IF_MODIFIED_SINCE).is_some_and(|(modified, date)| modified <= date)
    };
    if is_known {
        Verdict::NotModified
    } else {
        Verdict::Proceed
    }
}

/// Whether a part may be sent: without If-Range, or where it names this very state (13.1.5). A date is good for that
/// only if it is the exact one.
pub(crate) fn may_send_part(request: &HeaderMap, validators: Validators<'_>) -> bool {
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

/// How entity tags are compared (8.8.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// A weak tag equals none.
    Strong,
    /// Weak or not makes no difference.
    Weak,
}

/// Whether a header lists a tag, or `*`, which stands for any.
fn lists(request: &HeaderMap, name: &HeaderName, etag: &[u8], comparison: Comparison) -> bool {
    request.get_all(name).iter().any(|value| {
        let value = value.as_bytes().trim_ascii();
        value == b"*"
            || Tags(value).any(|tag| tag.opaque == etag && (comparison == Comparison::Weak || !tag.is_weak))
    })
}

/// A header's date; `None` where it has none, several, or something else.
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
    /// What stands behind the mark of a weak one, with its quotes.
    opaque: &'a [u8],
}

/// The entity tags of a list, up to the first thing that is none.
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
        // A comma may stand in a tag, a quote may not.
        let end = inner.iter().position(|byte| *byte == b'"')?;
        let (opaque, rest) = quoted.split_at(end + 2);
        self.0 = rest;
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

    use super::{Tags, Validators, Verdict, may_send_part, weigh};

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

    fn verdict(list: &[(&HeaderName, &str)]) -> Verdict {
        weigh(&headers(list), validators())
    }

    #[test]
    fn known_is_any_listed_tag_or_a_star() {
        let cases = [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", \"a\"", true),
            ("\"b\",,W/\"a\"", true),
            ("\"b,c\" , \"a\"", true),
            (" * ", true),
            ("\"b\"", false),
            ("a", false),
            ("w/\"a\"", false),
            ("\"b, \"a\"", false),
            ("\"b\", *", false),
            ("\"a", false),
            ("", false),
        ];
        for (value, is_known) in cases {
            let expected = if is_known {
                Verdict::NotModified
            } else {
                Verdict::Proceed
            };
            assert_eq!(verdict(&[(&IF_NONE_MATCH, value)]), expected, "{value:?}");
        }
        let two = [(&IF_NONE_MATCH, "\"b\""), (&IF_NONE_MATCH, "\"a\"")];
        assert_eq!(verdict(&two), Verdict::NotModified);
    }

    #[test]
    fn a_date_counts_only_where_there_is_no_tag() {
        for (date, expected) in [
            (BEFORE, Verdict::Proceed),
            (THEN, Verdict::NotModified),
            (AFTER, Verdict::NotModified),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Verdict::NotModified),
            ("Sun Nov  6 08:49:37 1994", Verdict::NotModified),
            ("yesterday", Verdict::Proceed),
            ("784111777", Verdict::Proceed),
        ] {
            assert_eq!(verdict(&[(&IF_MODIFIED_SINCE, date)]), expected, "{date}");
        }
        let other = [(&IF_NONE_MATCH, "\"b\""), (&IF_MODIFIED_SINCE, AFTER)];
        assert_eq!(verdict(&other), Verdict::Proceed);
        let twice = [(&IF_MODIFIED_SINCE, AFTER), (&IF_MODIFIED_SINCE, AFTER)];
        assert_eq!(verdict(&twice), Verdict::Proceed);
        let without = Validators {
            modified: None,
            ..validators()
        };
        assert_eq!(
            weigh(&headers(&[(&IF_MODIFIED_SINCE, AFTER)]), without),
            Verdict::Proceed
        );
    }

    #[test]
    fn what_another_state_is_wanted_of_fails() {
        for (list, expected) in [
            (&[(&IF_MATCH, "\"a\"")][..], Verdict::Proceed),
            (&[(&IF_MATCH, "*")], Verdict::Proceed),
            (&[(&IF_MATCH, "W/\"a\"")], Verdict::Failed),
            (&[(&IF_MATCH, "\"b\"")], Verdict::Failed),
            (
                &[(&IF_MATCH, "\"a\""), (&IF_UNMODIFIED_SINCE, BEFORE)],
                Verdict::Proceed,
            ),
            (&[(&IF_UNMODIFIED_SINCE, BEFORE)], Verdict::Failed),
            (&[(&IF_UNMODIFIED_SINCE, THEN)], Verdict::Proceed),
            (&[(&IF_UNMODIFIED_SINCE, "never")], Verdict::Proceed),
            (
                &[(&IF_MATCH, "\"b\""), (&IF_NONE_MATCH, "\"a\"")],
                Verdict::Failed,
            ),
        ] {
            assert_eq!(verdict(list), expected, "{list:?}");
        }
    }

    #[test]
    fn a_part_is_sent_of_the_very_same_state_alone() {
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
            let sent = may_send_part(&headers(&[(&IF_RANGE, value)]), validators());
            assert_eq!(sent, expected, "{value:?}");
        }
        assert!(may_send_part(&HeaderMap::new(), validators()));
        let twice = headers(&[(&IF_RANGE, "\"a\""), (&IF_RANGE, "\"a\"")]);
        assert!(!may_send_part(&twice, validators()));
    }

    proptest! {
        #[test]
        fn no_header_is_too_odd(value in "[\\x20-\\x7e\\t]{0,60}") {
            for name in [&IF_MATCH, &IF_NONE_MATCH, &IF_MODIFIED_SINCE, &IF_UNMODIFIED_SINCE, &IF_RANGE] {
                let request = headers(&[(name, &value)]);
                weigh(&request, validators());
                may_send_part(&request, validators());
            }
        }

        #[test]
        fn a_list_is_read_as_it_was_written(names in collection::vec("[!#-~]{0,8}", 0..6)) {
            let text = names.iter().map(|name| format!("W/\"{name}\"")).collect::<Vec<_>>().join(" , ");
            let read: Vec<_> = Tags(text.as_bytes()).map(|tag| tag.opaque.to_vec()).collect();
            let written: Vec<_> = names.iter().map(|name| format!("\"{name}\"").into_bytes()).collect();
            assert_eq!(read, written);
        }
    }
}
