use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::collection::vec;
use proptest::prelude::{any, prop_oneof, proptest};
use proptest::strategy::Strategy as _;
use serde::Deserialize;

use super::{PathError, Pattern, PatternError, RESERVED, RequestPath, Segment, Table, fuzz};
use crate::testing;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Cases {
    r#match: Vec<MatchCase>,
    invalid_patterns: Vec<InvalidCase>,
    collide: Vec<CollideCase>,
    reserved: Vec<ReservedCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchCase {
    name: String,
    patterns: Vec<String>,
    path: String,
    expect: Option<Match>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Match {
    pattern: String,
    params: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InvalidCase {
    pattern: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CollideCase {
    a: String,
    b: String,
    collide: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReservedCase {
    path: String,
    reserved: bool,
}

fn cases() -> Cases {
    let table = include_str!("../../../tests/tables/paths.json");
    serde_json::from_str(table).expect("the table is well-formed")
}

fn find(patterns: &[String], path: &str) -> Option<Match> {
    let mut table = Table::default();
    for pattern in patterns {
        let pattern = Pattern::parse(pattern).expect("a pattern");
        table.insert(pattern, ()).expect("no collision");
    }
    let path = RequestPath::parse(path).ok()?;
    let (pattern, ()) = table.find(&path)?;
    let pairs = pattern.segments().iter().zip(path.segments());
    let params = pairs.filter_map(|(segment, text)| match segment {
        Segment::Param(name) => Some((name.clone(), text.clone())),
        Segment::Literal(_) => None,
    });
    Some(Match {
        pattern: pattern.to_string(),
        params: params.collect(),
    })
}

#[test]
fn paths_match_as_the_shared_table_says() {
    let cases = cases().r#match;
    assert!(cases.len() > 50);
    for case in cases {
        assert_eq!(find(&case.patterns, &case.path), case.expect, "{}", case.name);
    }
}

#[test]
fn patterns_are_refused_as_the_shared_table_says() {
    let cases = cases().invalid_patterns;
    assert!(cases.len() > 30);
    for case in cases {
        let outcome = Pattern::parse(&case.pattern);
        assert!(outcome.is_err(), "{:?}: {}", case.pattern, case.reason);
    }
}

#[test]
fn patterns_collide_as_the_shared_table_says() {
    for case in cases().collide {
        let parse = |text: &str| Pattern::parse(text).expect("a pattern");
        let mut table = Table::default();
        table.insert(parse(&case.a), "a").expect("the first");
        let collision = table.insert(parse(&case.b), "b").is_err();
        assert_eq!(collision, case.collide, "{} and {}", case.a, case.b);
    }
}

#[test]
fn a_collision_names_what_is_there() {
    let mut table = Table::default();
    table
        .insert(Pattern::parse("/a/:b").expect("a pattern"), 1)
        .expect("the first");
    let collision = table.insert(Pattern::parse("/a/:c").expect("a pattern"), 2);
    let (pattern, value) = collision.expect_err("the second collides");
    assert_eq!((pattern.as_str(), *value), ("/a/:b", 1));
}

#[test]
fn reserved_segments_are_refused_by_name() {
    for name in RESERVED {
        let outcome = Pattern::parse(&format!("/{name}/:x"));
        assert_eq!(outcome, Err(PatternError::Reserved(name.to_owned())));
    }
    let outcome = Pattern::parse("/_anything/:x");
    assert_eq!(outcome, Err(PatternError::Reserved("_anything".to_owned())));
    assert!(Pattern::parse("/x/assets").is_ok() && Pattern::parse("/x/_page").is_ok());
}

#[test]
fn paths_are_reserved_as_the_shared_table_says() {
    let cases = cases().reserved;
    assert!(cases.len() > 20);
    for case in cases {
        let path = RequestPath::parse(&case.path).expect("a path");
        assert_eq!(path.is_reserved(), case.reserved, "{}", case.path);
    }
}

#[test]
fn paths_are_refused_for_a_reason() {
    let cases = [
        ("", PathError::NoSlash),
        ("*", PathError::NoSlash),
        ("/a\\b", PathError::Character),
        ("/a b", PathError::Character),
        ("/a?b", PathError::Character),
        ("/é", PathError::Character),
        ("/a\u{7f}", PathError::Character),
        ("/%", PathError::Encoding),
        ("/%4", PathError::Encoding),
        ("/%+1", PathError::Encoding),
        ("/%F0%28", PathError::Utf8),
        ("/a%2Fb", PathError::Forbidden),
        ("/a%00", PathError::Forbidden),
        ("/..", PathError::Dots),
        ("/a/%2E", PathError::Dots),
    ];
    for (path, error) in cases {
        assert_eq!(RequestPath::parse(path), Err(error), "{path:?}");
    }
}

#[test]
fn slashes_in_the_wrong_places_are_noticed() {
    let of = |path| {
        let path = RequestPath::parse(path).expect("a path");
        (path.has_trailing_slash(), path.has_empty_segment())
    };
    assert_eq!(of("/"), (false, false));
    assert_eq!(of("/a"), (false, false));
    assert_eq!(of("/a/"), (true, false));
    assert_eq!(of("/a//"), (true, true));
    assert_eq!(of("//"), (true, true));
    assert_eq!(of("//a/"), (true, true));
    assert_eq!(of("/a//b"), (false, true));
}

proptest! {
    #![proptest_config(testing::cases(256))]

    #[test]
    fn a_path_is_its_segments_however_much_is_encoded(
        segments in vec(any::<String>().prop_filter("it means a place", |segment| {
            !segment.is_empty() && !segment.contains(['/', '\0']) && segment != "." && segment != ".."
        }), 1..5),
    ) {
        let encoded = segments.iter().map(|segment| format!("/{}", utf8_percent_encode(segment, NON_ALPHANUMERIC)));
        let path = RequestPath::parse(&encoded.collect::<String>()).expect("a path");
        assert_eq!(path.segments(), segments);
        let again = RequestPath::parse(&path.canonical()).expect("a path");
        assert_eq!(again, path);
    }

    #[test]
    fn no_path_and_no_pattern_is_too_odd(text in prop_oneof![
        "(/|%2[eEfF]|%00|%5C|%C3|%A4|\\.|:|[a-z_]|~){0,12}",
        "(/:?[a-z._]{0,3}){0,5}",
        "/[\\x20-\\x7e]{0,40}",
        "[\\PC]{0,20}",
    ]) {
        fuzz::path(&text);
        fuzz::pattern(&text);
    }
}
