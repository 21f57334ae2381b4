//! docs/edge.md names existing tests for every attack, and a visitor reads the site during them.

use std::path::Path;
use std::process::Command;

const GATEWAY: &str = env!("CARGO_MANIFEST_DIR");

fn guide() -> String {
    std::fs::read_to_string(format!("{GATEWAY}/../docs/edge.md")).unwrap()
}

/// The rows of all tables whose last column is "Test".
fn rows(text: &str) -> impl Iterator<Item = &str> {
    let tables = text.split("\n\n").filter(|block| {
        let header = block.lines().next().unwrap_or_default();
        header.trim_end_matches([' ', '|']).ends_with("| Test")
    });
    tables.flat_map(|table| table.lines().skip(2))
}

/// The last cell of a row, which names its tests.
fn test_cell(row: &str) -> &str {
    let row = row.trim_end();
    let row = row.strip_suffix('|').unwrap_or(row);
    row.rsplit_once('|').map_or(row, |(_, cell)| cell)
}

/// The tests that a text names in backticks: `module::test`, `module::*` or `src/file.rs::test`.
fn named_tests(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|code| code.contains("::"))
}

/// Whether a name means this test. `*` at the end of a name stands for the rest.
fn is_named(name: &str, test: &str) -> bool {
    let prefix = name.strip_suffix('*');
    name == test || prefix.is_some_and(|prefix| test.starts_with(prefix))
}

/// Whether a source file of the gateway has a test function of this name.
fn has_unit_test(file: &str, function: &str) -> bool {
    let source = std::fs::read_to_string(Path::new(GATEWAY).join(file)).unwrap_or_default();
    let declaration = source.split_once(&format!("fn {function}("));
    declaration.is_some_and(|(before, _)| {
        let before = before.trim_end().trim_end_matches("async").trim_end();
        let attribute = before.lines().next_back().unwrap_or_default();
        attribute.contains("[test]") || attribute.contains("::test")
    })
}

/// Whether the guide says that a visitor reads the site during this test: it is in a table up to "Sign-ups", and is not
/// one of the exceptions in the introduction.
pub(crate) fn requires_visitor(test: &str) -> bool {
    let guide = guide();
    let (module, _) = test.split_once("::").unwrap();
    if !guide.contains(&format!("`{module}::")) {
        return false;
    }
    let (attacks, _) = guide.split_once("\n## Faults").unwrap();
    let (introduction, chapters) = attacks.split_once("\n## ").unwrap();
    let has_name = |text| named_tests(text).any(|name| is_named(name, test));
    rows(chapters).any(has_name) && !has_name(introduction)
}

#[test]
fn every_attack_has_a_test() {
    let guide = guide();
    let untested: Vec<_> = rows(&guide)
        .filter(|row| named_tests(test_cell(row)).next().is_none())
        .collect();
    assert!(
        untested.is_empty(),
        "docs/edge.md names no test for: {untested:?}"
    );
    assert!(rows(&guide).count() > 100);
}

#[test]
fn every_named_test_exists() {
    let mut list = Command::new(std::env::current_exe().unwrap());
    let list = list.args(["--list", "--format", "terse"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let exists = |name: &str| match name.split_once(".rs::") {
        Some((file, function)) => has_unit_test(&format!("{file}.rs"), function),
        None => list
            .lines()
            .filter_map(|line| line.strip_suffix(": test"))
            .any(|test| is_named(name, test)),
    };
    let guide = guide();
    let missing: Vec<_> = named_tests(&guide).filter(|name| !exists(name)).collect();
    assert!(
        missing.is_empty(),
        "docs/edge.md names tests that do not exist: {missing:?}"
    );
}
