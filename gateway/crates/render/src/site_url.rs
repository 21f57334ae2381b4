//! Paths of this site with an optional query, as a worker names them: for queries and redirects.

use colonnade_model::pattern::RequestPath;

/// The most bytes of such a path with its query.
pub(crate) const MAX_BYTES: usize = 2 * 1024;

/// The path of a text that is a percent-encoded path of this site, with or without a query (RFC 3986). Appended to the
/// site's origin, the text is a URL of this origin.
///
/// # Errors
/// The rule that the text breaks, as the end of a sentence. It does not contain the text, which may be long.
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
    let is_ambiguous = |segment: &String| segment.contains(|c: char| c == '\\' || c.is_control());
    if path.segments().iter().any(is_ambiguous) {
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
/// that they and the gateway request the same URL. A backslash may occur there, too, but some servers take it for a slash.
fn is_query_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"#<>\\".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, check_location, parse};

    #[test]
    fn path_of_site_is_accepted_with_query() {
        for text in ["/", "/a", "/a/", "/api/x?", "/api/x?a=%20b&c=d/?e", "/caf%C3%A9"] {
            assert!(parse(text).is_ok(), "{text}");
        }
        assert!(parse(&format!("/{}", "a".repeat(MAX_BYTES - 1))).is_ok());
    }

    #[test]
    fn text_that_may_leave_site_names_broken_rule() {
        let long = format!("/{}", "a".repeat(MAX_BYTES));
        for (text, rule) in [
            ("", "must begin with a slash"),
            ("https://evil.example/", "must begin with a slash"),
            ("//evil.example", "two slashes"),
            ("/a//b", "two slashes"),
            ("/\\evil.example", "percent-encoded"),
            ("/a#b", "percent-encoded"),
            ("/a b", "percent-encoded"),
            ("/a\r\nb", "percent-encoded"),
            ("/é", "percent-encoded"),
            ("/a/../b", "parent folder"),
            ("/a/%2e%2E/b", "parent folder"),
            ("/a%2Fb", "encoded slash"),
            ("/a%5Cb", "encoded backslash"),
            ("/a%0d%0ab", "control character"),
            ("/a%", "broken percent-encoding"),
            ("/a?b#c", "a query with a character"),
            ("/a?b c", "a query with a character"),
            ("/a?b\\c", "a query with a character"),
            ("/a?b\nc", "a query with a character"),
            (&long, "exceeds 2048 bytes"),
        ] {
            let problem = parse(text).expect_err(text);
            assert!(problem.contains(rule), "{text:?}: {problem}");
        }
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
