//! The query of a URL, as far as its page declares the parameters. The cases in
//! `tests/tables/search.json` define the behavior of this module and of the kit's `defineSearch`.

use percent_encoding::{percent_decode_str, utf8_percent_encode};

use crate::pattern::SEGMENT;

/// The most parameters that a page declares.
pub const MAX_PARAMETERS: usize = 8;

/// The most characters of a value, as JavaScript counts them.
pub(crate) const MAX_VALUE_CHARS: usize = 200;

/// The most bytes of a parameter's name.
const MAX_NAME_BYTES: usize = 32;

/// A query that no page has: it repeats a declared parameter, or has a longer value than
/// [`MAX_VALUE_CHARS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedSearch;

/// Whether a page can declare a parameter of this name: `[a-zA-Z][a-zA-Z0-9_-]{0,31}`. Browsers
/// never percent-encode it.
pub(crate) fn is_parameter_name(text: &str) -> bool {
    text.len() <= MAX_NAME_BYTES
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The canonical form of a query for a page that declares these parameters: only they, sorted as
/// text, their values percent-encoded as in [canonical paths](crate::pattern::RequestPath::canonical);
/// empty without any.
///
/// # Errors
/// If the page does not exist with this query.
pub fn canonical_search(names: &[String], query: &str) -> Result<String, MalformedSearch> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let declared = pairs.filter(|(name, _)| names.iter().any(|declared| declared == name));
    let mut pairs = Vec::new();
    for (name, value) in declared {
        let value = value.replace('+', " ");
        let value = percent_decode_str(&value).decode_utf8_lossy();
        let is_repeated = pairs.iter().any(|(other, _)| *other == name);
        if is_repeated || value.encode_utf16().count() > MAX_VALUE_CHARS {
            return Err(MalformedSearch);
        }
        pairs.push((name, format!("{name}={}", utf8_percent_encode(&value, SEGMENT))));
    }
    pairs.sort_unstable_by(|(_, one), (_, other)| one.cmp(other));
    let pairs: Vec<_> = pairs.into_iter().map(|(_, pair)| pair).collect();
    Ok(pairs.join("&"))
}

/// A path with its canonical query.
pub fn with_search(path: String, search: &str) -> String {
    if search.is_empty() {
        path
    } else {
        format!("{path}?{search}")
    }
}

/// The parts of [`with_search`].
pub fn split_search(path: &str) -> (&str, &str) {
    path.split_once('?').unwrap_or((path, ""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::{MalformedSearch, canonical_search, is_parameter_name, split_search, with_search};

    /// `packages/kit/src/search/search.test.ts` tests the same table.
    #[test]
    fn canonical_queries_are_those_of_table() {
        let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/tables/search.json");
        let table = std::fs::read_to_string(table).expect("the table");
        let table: Value = serde_json::from_str(&table).expect("JSON");
        let names: Vec<String> = serde_json::from_value(table["names"].clone()).expect("a list");
        for case in table["queries"].as_array().expect("a list") {
            let query = case["query"].as_str().expect("a text");
            let expected = case["canonical"].as_str();
            let expected = expected.map(str::to_owned).ok_or(MalformedSearch);
            assert_eq!(canonical_search(&names, query), expected, "{query}");
        }
    }

    #[test]
    fn parameter_name_is_plain_and_short() {
        for name in ["a", "pageSize", "min_price", "x-1", &"n".repeat(32)] {
            assert!(is_parameter_name(name), "{name}");
        }
        for name in ["", "1a", "_a", "a[]", "ä", "a b", "a%20", &"n".repeat(33)] {
            assert!(!is_parameter_name(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn canonical_query_ignores_order_and_other_parameters(
            pairs in prop::collection::btree_map("[a-d]", "\\PC{0,20}", 0..4),
            other in "[a-z=]{0,9}",
        ) {
            let names: Vec<String> = ["d", "c", "b", "a"].map(str::to_owned).into();
            let pair = |(name, value): (&String, &String)| {
                let value = percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC);
                format!("{name}={value}")
            };
            let pairs: Vec<_> = pairs.iter().map(pair).collect();
            let canonical = canonical_search(&names, &pairs.join("&")).expect("well-formed");
            let reversed: Vec<_> = pairs.into_iter().rev().collect();
            let query = format!("x{other}&{}&y{other}", reversed.join("&"));
            prop_assert_eq!(canonical_search(&names, &query), Ok(canonical.clone()));
            prop_assert_eq!(canonical_search(&names, &canonical), Ok(canonical.clone()));
            let path = with_search("/a".to_owned(), &canonical);
            prop_assert_eq!(split_search(&path), ("/a", &*canonical));
        }
    }
}
