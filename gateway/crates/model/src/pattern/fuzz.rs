//! The invariants of paths and patterns.

use crate::pattern::{Pattern, PatternTable, RequestPath, Segment};

/// A valid path has no path traversal, and a canonical form that parses to the same segments.
pub(crate) fn path(text: &str) {
    let Ok(path) = RequestPath::parse(text) else {
        return;
    };
    for segment in path.segments() {
        assert!(!segment.contains(['/', '\0']), "{segment:?} of {text:?}");
        assert!(segment != "." && segment != "..", "{segment:?} of {text:?}");
    }
    // Such a path matches no page and never redirects.
    if path.has_empty_segment() {
        return;
    }
    let canonical = path.canonical();
    let again = RequestPath::parse(&canonical).expect("a canonical path is valid");
    assert_eq!(again.decoded(), path.decoded(), "{canonical:?} of {text:?}");
    assert_eq!(again.canonical(), canonical, "of {text:?}");
    assert!(!again.has_trailing_slash(), "{canonical:?} of {text:?}");
    // A path that starts with two slashes is a URL with another host.
    assert!(!canonical.starts_with("//"), "{canonical:?} of {text:?}");
}

/// A valid pattern matches the paths built from it, and no reserved path.
pub(crate) fn pattern(text: &str) {
    let Ok(pattern) = Pattern::parse(text) else {
        return;
    };
    assert_eq!(pattern.as_str(), text);
    let parts = pattern.segments().iter().map(|segment| match segment {
        Segment::Literal(text) => text.as_str(),
        Segment::Param(_) => "%C3%A4",
        Segment::Rest => "a/b",
    });
    let example = format!("/{}", parts.collect::<Vec<_>>().join("/"));
    let path = RequestPath::parse(&example).expect("an example of a pattern is a valid path");
    assert!(!path.is_reserved(), "{text:?}");
    let mut table = PatternTable::default();
    table.insert(pattern.clone(), ()).expect("the table is empty");
    let (found, ()) = table.find(&path).expect("a pattern matches its example");
    assert_eq!(found.as_str(), text);
    assert!(
        table.insert(pattern, ()).is_err(),
        "{text:?} collides with itself"
    );
}
