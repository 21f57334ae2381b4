use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::collection::vec;
use proptest::prelude::{any, prop_oneof, proptest};
use proptest::strategy::Strategy as _;
use serde::Deserialize;

use colonnade_testing::cases as proptest_cases;

use super::path::RESERVED;
use super::{PathError, Pattern, PatternError, PatternTable, RequestPath, Segment, fuzz};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Cases {
    r#match: Vec<MatchCase>,
    invalid_patterns: Vec<InvalidCase>,
    collide: Vec<CollideCase>,
    reserved: Vec<ReservedCase>,
    site_paths: Vec<SitePathCase>,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SitePathCase {
    text: String,
    valid: bool,
}

fn cases() -> Cases {
    let table = include_str!("../../../../../tests/tables/paths.json");
    serde_json::from_str(table).expect("the table is valid JSON")
}

fn find(patterns: &[String], path: &str) -> Option<Match> {
    let mut table = PatternTable::default();
    for pattern in patterns {
        let pattern = Pattern::parse(pattern).expect("a pattern");
        table.insert(pattern, ()).expect("no collision");
    }
    let path = RequestPath::parse(path).ok()?;
    let (pattern, ()) = table.find(&path)?;
    let params = pattern
        .segments()
        .iter()
        .enumerate()
        .filter_map(|(index, segment)| {
            let mut texts = path.segments().skip(index);
            match segment {
                Segment::Param(name) => Some((name.clone(), texts.next().unwrap_or_default().to_owned())),
                Segment::Rest => Some(("*".to_owned(), texts.collect::<Vec<_>>().join("/"))),
                Segment::Literal(_) => None,
            }
        });
    Some(Match {
        pattern: pattern.to_string(),
        params: params.collect(),
    })
}

#[test]
fn find_matches_shared_table() {
    let cases = cases().r#match;
    assert!(cases.len() > 50);
    for case in cases {
        assert_eq!(find(&case.patterns, &case.path), case.expect, "{}", case.name);
    }
}

#[test]
fn parse_rejects_patterns_of_shared_table() {
    let cases = cases().invalid_patterns;
    assert!(cases.len() > 30);
    for case in cases {
        let outcome = Pattern::parse(&case.pattern);
        assert!(outcome.is_err(), "{:?}: {}", case.pattern, case.reason);
    }
}

#[test]
fn insert_reports_collisions_of_shared_table() {
    for case in cases().collide {
        let parse = |text: &str| Pattern::parse(text).expect("a pattern");
        let mut table = PatternTable::default();
        table.insert(parse(&case.a), "a").expect("the first");
        let collision = table.insert(parse(&case.b), "b").is_err();
        assert_eq!(collision, case.collide, "{} and {}", case.a, case.b);
    }
}

#[test]
fn insert_collision_returns_existing_entry() {
    let mut table = PatternTable::default();
    table
        .insert(Pattern::parse("/a/:b").expect("a pattern"), 1)
        .expect("the first");
    let collision = table.insert(Pattern::parse("/a/:c").expect("a pattern"), 2);
    let (pattern, value) = collision.expect_err("the second collides");
    assert_eq!((pattern.as_str(), *value), ("/a/:b", 1));
}

#[test]
fn common_path_exists_only_for_overlapping_patterns() {
    let cases = [
        ("/", "/", Some("/")),
        ("/a", "/a", Some("/a")),
        ("/a", "/b", None),
        ("/a", "/a/:b", None),
        ("/a/:b", "/a/x", Some("/a/x")),
        ("/a/:b", "/:c/x", Some("/a/x")),
        ("/a/:b/c", "/:x/:y/d", None),
        ("/:a/x", "/:b/:c", Some("/*/x")),
        ("/a/*", "/a", Some("/a")),
        ("/a/*", "/:b", Some("/a")),
        ("/a/*", "/a/b/:c", Some("/a/b/*")),
        ("/a/b/*", "/a", None),
        ("/a/*", "/b/*", None),
    ];
    for (one, other, expected) in cases {
        let parse = |text| Pattern::parse(text).expect("a pattern");
        for (one, other) in [(one, other), (other, one)] {
            let common = parse(one).common_path(&parse(other));
            let common = common.map(|path| path.canonical());
            assert_eq!(common.as_deref(), expected, "{one} and {other}");
        }
    }
}

#[test]
fn static_pattern_has_neither_param_nor_rest() {
    let cases = [
        ("/", true),
        ("/shop", true),
        ("/shop/:id", false),
        ("/:shop/a", false),
        ("/shop/*", false),
    ];
    for (pattern, expected) in cases {
        assert_eq!(Pattern::is_static(pattern), expected, "{pattern}");
    }
}

#[test]
fn parse_rejects_reserved_first_segment() {
    for name in RESERVED {
        let outcome = Pattern::parse(&format!("/{name}/:x"));
        assert_eq!(outcome, Err(PatternError::Reserved(name.to_owned())));
    }
    let outcome = Pattern::parse("/_anything/:x");
    assert_eq!(outcome, Err(PatternError::Reserved("_anything".to_owned())));
    assert!(Pattern::parse("/x/assets").is_ok() && Pattern::parse("/x/_page").is_ok());
}

#[test]
fn is_reserved_matches_shared_table() {
    let cases = cases().reserved;
    assert!(cases.len() > 20);
    for case in cases {
        let path = RequestPath::parse(&case.path).expect("a path");
        assert_eq!(path.is_reserved(), case.reserved, "{}", case.path);
    }
}

#[test]
fn is_site_path_matches_shared_table() {
    let cases = cases().site_paths;
    assert!(cases.len() > 20);
    for case in cases {
        assert_eq!(
            RequestPath::is_site_path(&case.text),
            case.valid,
            "{:?}",
            case.text
        );
    }
}

#[test]
fn parse_reports_reason_for_invalid_path() {
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
fn parse_detects_trailing_and_double_slashes() {
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
    #![proptest_config(proptest_cases(256))]

    #[test]
    fn canonical_path_parses_to_same_segments(
        segments in vec(any::<String>().prop_filter("is not a dot segment and has no slash or NUL", |segment| {
            !segment.is_empty() && !segment.contains(['/', '\0']) && segment != "." && segment != ".."
        }), 1..5),
    ) {
        let encoded = segments.iter().map(|segment| format!("/{}", utf8_percent_encode(segment, NON_ALPHANUMERIC)));
        let path = RequestPath::parse(&encoded.collect::<String>()).expect("a path");
        assert!(path.segments().eq(&segments), "{path:?}");
        let again = RequestPath::parse(&path.canonical()).expect("a path");
        assert_eq!(again, path);
    }

    #[test]
    fn arbitrary_paths_and_patterns_hold_invariants(text in prop_oneof![
        "(/|%2[eEfF]|%00|%5C|%C3|%A4|\\.|:|[a-z_]|~){0,12}",
        "(/:?[a-z._]{0,3}){0,5}",
        "/[\\x20-\\x7e]{0,40}",
        "[\\PC]{0,20}",
    ]) {
        fuzz::path(&text);
        fuzz::pattern(&text);
    }
}
