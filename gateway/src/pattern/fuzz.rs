//! What must hold of paths and patterns, whatever is asked for or published.

use super::{Pattern, RequestPath, Segment, Table};

/// A path that is accepted has no segment that means another place, and one text that means the same.
pub(crate) fn path(text: &str) {
    let Ok(path) = RequestPath::parse(text) else {
        return;
    };
    for segment in path.segments() {
        assert!(!segment.contains(['/', '\0']), "{segment:?} of {text:?}");
        assert!(segment != "." && segment != "..", "{segment:?} of {text:?}");
    }
    // Such a path matches nothing, and is never written anew.
    if path.has_empty_segment() {
        return;
    }
    let canonical = path.canonical();
    let again = RequestPath::parse(&canonical).expect("a canonical path is a path");
    assert_eq!(again.segments(), path.segments(), "{canonical:?} of {text:?}");
    assert_eq!(again.canonical(), canonical, "of {text:?}");
    assert!(!again.has_trailing_slash(), "{canonical:?} of {text:?}");
    // Two slashes would name another host.
    assert!(!canonical.starts_with("//"), "{canonical:?} of {text:?}");
}

/// A pattern that is accepted matches the paths that are made by it, and none of the gateway's own.
pub(crate) fn pattern(text: &str) {
    let Ok(pattern) = Pattern::parse(text) else {
        return;
    };
    assert_eq!(pattern.as_str(), text);
    let parts = pattern.segments().iter().map(|segment| match segment {
        Segment::Literal(text) => text.as_str(),
        Segment::Param(_) => "%C3%A4",
    });
    let example = format!("/{}", parts.collect::<Vec<_>>().join("/"));
    let path = RequestPath::parse(&example).expect("an example is a path");
    assert!(!path.is_reserved(), "{text:?}");
    let mut table = Table::default();
    table.insert(pattern.clone(), ()).expect("it is the first");
    let (found, ()) = table.find(&path).expect("a pattern matches its example");
    assert_eq!(found.as_str(), text);
    assert!(
        table.insert(pattern, ()).is_err(),
        "{text:?} collides with itself"
    );
}
