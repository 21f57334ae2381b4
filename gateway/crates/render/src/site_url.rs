//! Paths of this site with an optional query, as a worker names them: for queries and redirects.

use colonnade_model::pattern::RequestPath;

/// The most bytes of such a path with its query.
pub(crate) const MAX_BYTES: usize = 2 * 1024;

/// The path of a text that is a percent-encoded path of this site, with or without a query (RFC
/// 3986). Appended to the site's origin, the text is a URL of this origin.
///
/// # Errors
/// The rule that the text breaks, as the end of a sentence. It does not contain the text, which may
/// be long.
pub(crate) fn parse(text: &str) -> Result<RequestPath, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("exceeds {MAX_BYTES} bytes"));
    }
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let path = RequestPath::parse(path).map_err(|error| {
        let rule = error.to_string();
        format!("is not a path of this site: {rule}")
    })?;
    if path.has_empty_segment() {
        return Err("is not a path of this site: it has two slashes in a row".to_owned());
    }
    // Some servers treat a backslash as a slash, and a control character as the end of a line.
    let is_ambiguous = |segment: &str| segment.contains(|c: char| c == '\\' || c.is_control());
    if path.segments().any(is_ambiguous) {
        return Err("has an encoded backslash or control character".to_owned());
    }
    if !query.bytes().all(is_query_byte) {
        return Err("has a query with a character that must be percent-encoded".to_owned());
    }
    Ok(path)
}

/// Checks the location of a redirect: a path of this site, with or without a query and a fragment.
///
/// # Errors
/// The rule that it breaks.
pub(crate) fn check_location(text: &str) -> Result<(), String> {
    let (url, fragment) = text.split_once('#').unwrap_or((text, ""));
    parse(url)?;
    if text.len() > MAX_BYTES {
        return Err(format!("exceeds {MAX_BYTES} bytes"));
    }
    if !fragment.bytes().all(is_query_byte) {
        return Err("has a fragment with a character that must be percent-encoded".to_owned());
    }
    Ok(())
}

/// Whether browsers leave a byte in the query of a URL as it is (<https://url.spec.whatwg.org/#query-percent-encode-set>), so
/// that they and the gateway request the same URL. A backslash may occur there, too, but some
/// servers take it for a slash.
fn is_query_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"#<>\\".contains(&byte)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{MAX_BYTES, check_location, parse};

    /// `packages/kit/src/server/siteUrl.test.ts` tests the same table.
    #[test]
    fn site_urls_are_those_of_table() {
        let table = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../tests/tables/site-urls.json"
        );
        let table = std::fs::read_to_string(table).expect("the table");
        let table: Value = serde_json::from_str(&table).expect("JSON");
        for case in table.as_array().expect("a list") {
            let text = case["text"].as_str().expect("a text");
            match (parse(text), case["rule"].as_str()) {
                (Ok(_), None) => {}
                (Err(problem), Some(rule)) => assert!(problem.contains(rule), "{text:?}: {problem}"),
                (outcome, rule) => panic!("{text:?}: {outcome:?}, expected {rule:?}"),
            }
        }
        assert!(parse(&format!("/{}", "a".repeat(MAX_BYTES - 1))).is_ok());
        let problem = parse(&format!("/{}", "a".repeat(MAX_BYTES))).expect_err("too long");
        assert_eq!(problem, "exceeds 2048 bytes");
    }

    #[test]
    fn location_may_have_fragment() {
        assert_eq!(check_location("/a?b=c#d"), Ok(()));
        for text in ["/a#b#c", "/a#b c", "//evil.example#/", "#a", ""] {
            assert!(check_location(text).is_err(), "{text}");
        }
        assert!(check_location(&format!("/a#{}", "b".repeat(MAX_BYTES))).is_err());
    }
}
