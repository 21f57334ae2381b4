//! The alert rules and the dashboard in `deploy/observability` fit the metrics that the gateway exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Gateway, Release};

/// Labels that the collector adds, and those of histogram buckets.
const COLLECTOR_LABELS: [&str; 4] = ["instance", "job", "site", "le"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/observability")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// The label names of each exported metric family. A family without samples has none.
fn exported() -> BTreeMap<String, BTreeSet<String>> {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.post_deployment(&serde_json::json!({ "releases": { "directory": "2.0.0" }, "percent": 10 }));
    assert_eq!(gateway.get("/").status, 200);
    let text = gateway.admin.get("/metrics").text();
    let mut families: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        if let Some(family) = line.strip_prefix("# TYPE ") {
            let (name, _) = family.split_once(' ').unwrap();
            families.insert(name.to_owned(), BTreeSet::new());
        } else if let Some((name, labels)) = line.split_once('{').filter(|_| !line.starts_with('#')) {
            let labels = labels.split('}').next().unwrap().split("\",");
            let names = labels.filter_map(|label| Some(label.split_once('=')?.0.to_owned()));
            families
                .entry(family_of(name).to_owned())
                .or_default()
                .extend(names);
        }
    }
    families
}

/// The family of a sample.
fn family_of(name: &str) -> &str {
    let suffixes = ["_total", "_bucket", "_count", "_sum", "_info"];
    let family = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix));
    family.unwrap_or(name)
}

/// The gateway's metrics in a text, each with the labels that select its series.
fn metrics_in(text: &str) -> Vec<(&str, Vec<&str>)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        rest = after;
        if !name.contains(':') && (name.starts_with("colonnade_") || name.starts_with("process_")) {
            let selector = after
                .strip_prefix('{')
                .and_then(|selector| selector.split('}').next());
            let matchers = selector.unwrap_or_default().split("\",");
            let label = |matcher: &'_ str| matcher.find(['=', '!']).unwrap_or(0);
            let labels = matchers.map(|matcher| &matcher[..label(matcher)]);
            found.push((name, labels.filter(|label| !label.is_empty()).collect()));
        }
    }
    found
}

/// All queries of the dashboard, with values for its variables.
fn dashboard_queries() -> Vec<String> {
    fn collect(value: &Value, queries: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(query)) = members.get("expr") {
                    queries.push(query.replace("$__rate_interval", "5m").replace("$instance", ".*"));
                }
                members.values().for_each(|member| collect(member, queries));
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, queries)),
            _ => {}
        }
    }
    let mut queries = Vec::new();
    collect(
        &serde_json::from_str(&read("dashboard.json")).unwrap(),
        &mut queries,
    );
    assert!(queries.len() > 20);
    queries
}

/// Runs promtool, which the environment variable `PROMTOOL` names. Returns false, and says so, if it is not installed.
#[allow(clippy::print_stderr)]
fn promtool(arguments: &[&str], folder: &Path) -> bool {
    let program = std::env::var("PROMTOOL").unwrap_or_default();
    let program = if program.is_empty() { "promtool" } else { &program };
    let Ok(output) = Command::new(program).args(arguments).current_dir(folder).output() else {
        eprintln!("promtool is not installed: {arguments:?} did not run");
        return false;
    };
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
    true
}

#[test]
fn rules_and_dashboard_use_exported_metrics() {
    let exported = exported();
    let texts = [
        read("rules.yml"),
        read("rules.test.yml"),
        dashboard_queries().join("\n"),
    ];
    for (name, labels) in texts.iter().flat_map(|text| metrics_in(text)) {
        let known = exported.get(family_of(name));
        let known = known.unwrap_or_else(|| panic!("`{name}` is not exported"));
        for label in labels {
            let is_known = known.is_empty() || known.contains(label) || COLLECTOR_LABELS.contains(&label);
            assert!(is_known, "`{name}` has no label `{label}`; it has {known:?}");
        }
    }
}

#[test]
fn alert_rules_fire_as_their_tests_say() {
    promtool(&["check", "rules", "rules.yml"], &folder());
    promtool(&["test", "rules", "rules.test.yml"], &folder());
}

#[test]
fn dashboard_queries_are_valid() {
    let rules = dashboard_queries().into_iter().enumerate();
    let rules =
        rules.map(|(index, query)| serde_json::json!({ "record": format!("query:{index}"), "expr": query }));
    let groups =
        serde_json::json!({ "groups": [{ "name": "dashboard", "rules": rules.collect::<Vec<_>>() }] });
    let folder = TempDir::new().unwrap();
    // JSON is YAML.
    std::fs::write(folder.path().join("queries.yml"), groups.to_string()).unwrap();
    promtool(&["check", "rules", "queries.yml"], folder.path());
}

#[test]
fn alerts_are_in_the_guide() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operate-the-gateway.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let rules = read("rules.yml");
    let alerts = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    let missing: Vec<&str> = alerts
        .filter(|alert| !guide.contains(&format!("`{alert}`")))
        .collect();
    assert_eq!(
        missing, [""; 0],
        "alerts without a line in docs/operate-the-gateway.md"
    );
}
