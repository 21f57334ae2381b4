//! The alert rules, the dashboard and the runbook in docs/operate fit the metrics and the events of the gateway.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Gateway, Release, upstream_table};

/// Labels that the collector adds, and those of histogram buckets.
const COLLECTOR_LABELS: [&str; 4] = ["instance", "job", "site", "le"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/observability")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// A page of docs/operate.
fn page(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operate");
    std::fs::read_to_string(docs.join(name)).unwrap()
}

/// The entries of a page: headings of this level whose text is code, each with the text below.
fn entries<'p>(page: &'p str, level: &str) -> BTreeMap<&'p str, &'p str> {
    let heading = format!("\n{level} `");
    let entries = page.split(&heading).skip(1);
    let entries: Vec<_> = entries.map(|entry| entry.split_once("`\n").unwrap()).collect();
    let map: BTreeMap<_, _> = entries.iter().copied().collect();
    assert_eq!(map.len(), entries.len(), "an entry exists twice");
    map
}

/// The names in backticks in the first line of an entry that begins with `start`.
fn named<'e>(entry: &'e str, start: &str) -> BTreeSet<&'e str> {
    let line = entry.lines().find_map(|line| line.strip_prefix(start));
    line.unwrap_or_default().split('`').skip(1).step_by(2).collect()
}

/// The type and the label names of each exported metric family. A family without samples has no labels.
fn exported() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let upstream = upstream_table(&["http://127.0.0.1:1"], "");
    let gateway = Gateway::start_live(&upstream, &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.post_deployment(&serde_json::json!({ "releases": { "directory": "2.0.0" }, "percent": 10 }));
    assert_eq!(gateway.get("/").status, 200);
    let text = gateway.admin.get("/metrics").text();
    promtool(&["check", "metrics"], &folder(), &text);
    let mut families: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    for line in text.lines() {
        if let Some(family) = line.strip_prefix("# TYPE ") {
            let (name, kind) = family.split_once(' ').unwrap();
            families.insert(family_of(name).to_owned(), (kind.to_owned(), BTreeSet::new()));
        } else if let Some((name, labels)) = line.split_once('{').filter(|_| !line.starts_with('#')) {
            let labels = labels.split('}').next().unwrap().split("\",");
            let names = labels.filter_map(|label| Some(label.split_once('=')?.0.to_owned()));
            families
                .entry(family_of(name).to_owned())
                .or_default()
                .1
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

/// Runs promtool, which the environment variable `PROMTOOL` names, with this standard input. Returns false, and says so, if it is not installed.
#[allow(clippy::print_stderr)]
fn promtool(arguments: &[&str], folder: &Path, input: &str) -> bool {
    let program = std::env::var("PROMTOOL").unwrap_or_default();
    let program = if program.is_empty() { "promtool" } else { &program };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let Ok(mut tool) = command.spawn() else {
        eprintln!("promtool is not installed: {arguments:?} did not run");
        return false;
    };
    tool.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = tool.wait_with_output().unwrap();
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
        read("rules.day.test.yml"),
        dashboard_queries().join("\n"),
    ];
    for (name, labels) in texts.iter().flat_map(|text| metrics_in(text)) {
        let known = exported.get(family_of(name));
        let (_, known) = known.unwrap_or_else(|| panic!("`{name}` is not exported"));
        for label in labels {
            let is_known = known.is_empty() || known.contains(label) || COLLECTOR_LABELS.contains(&label);
            assert!(is_known, "`{name}` has no label `{label}`; it has {known:?}");
        }
    }
}

#[test]
fn alert_rules_fire_as_their_tests_say() {
    promtool(&["check", "rules", "rules.yml"], &folder(), "");
    promtool(
        &["test", "rules", "rules.test.yml", "rules.day.test.yml"],
        &folder(),
        "",
    );
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
    promtool(&["check", "rules", "queries.yml"], folder.path(), "");
}

#[test]
fn alerts_link_to_their_runbook_entries() {
    let (rules, page) = (read("rules.yml"), page("alerts.md"));
    let alerts = rules.split("- alert: ").skip(1);
    let alerts: BTreeMap<&str, &str> = alerts.map(|alert| alert.split_once('\n').unwrap()).collect();
    let entries = entries(&page, "##");
    assert_eq!(
        alerts.keys().collect::<Vec<_>>(),
        entries.keys().collect::<Vec<_>>(),
        "rules.yml and docs/operate/alerts.md"
    );
    for (alert, rule) in alerts {
        let url = format!("/operate/alerts#{}\n", alert.to_lowercase());
        assert!(
            rule.contains("runbook_url: https://") && rule.contains(&url),
            "{alert}"
        );
        let severity = rule
            .split_once("severity: ")
            .unwrap()
            .1
            .split(' ')
            .next()
            .unwrap();
        let text = entries[alert].trim_start();
        assert!(text.starts_with(&format!("Severity: {severity}. ")), "{alert}");
    }
}

#[test]
fn metrics_reference_matches_exported_metrics() {
    let (page, exported) = (page("metrics.md"), exported());
    let mut documented = BTreeSet::new();
    for (name, entry) in entries(&page, "###") {
        let known = exported.get(family_of(name));
        let (kind, labels) = known.unwrap_or_else(|| panic!("`{name}` is not exported"));
        assert!(
            entry.contains(&format!("\n- Type: {kind}\n")),
            "{name} is a {kind}"
        );
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
        let labels: BTreeSet<&str> = labels
            .iter()
            .map(String::as_str)
            .filter(|label| *label != "le")
            .collect();
        let mut described = named(entry, "- Labels: ");
        if !labels.contains("extension_point") {
            // Only samples of extensions have it. This gateway has rendered none.
            described.remove("extension_point");
        }
        assert!(
            labels.is_empty() || labels == described,
            "{name} has the labels {labels:?}"
        );
        for field in ["\n- Meaning: ", "\n- Action: "] {
            assert!(entry.contains(field), "{name}");
        }
        documented.insert(family_of(name));
    }
    let missing: Vec<_> = exported
        .keys()
        .filter(|name| !documented.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/operate/metrics.md has no {missing:?}");
}

/// The names of the events in the sources of the gateway.
fn events_in_code(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            events_in_code(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            // The last one is that of a line that is written as text.
            for start in ["event = \"", "event: \"", r#"\"event\":\""#] {
                let events = source.split(start).skip(1);
                found.extend(events.map(|rest| rest.split(['"', '\\']).next().unwrap().to_owned()));
            }
        }
    }
}

#[test]
fn event_reference_matches_code() {
    let gateway = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut events = BTreeSet::new();
    events_in_code(&gateway.join("src"), &mut events);
    for member in std::fs::read_dir(gateway.join("crates")).unwrap() {
        events_in_code(&member.unwrap().path().join("src"), &mut events);
    }
    let page = page("events.md");
    let entries = entries(&page, "###");
    let documented: BTreeSet<String> = entries.keys().map(|name| (*name).to_owned()).collect();
    assert!(events.len() > 50);
    assert_eq!(events, documented, "the code and docs/operate/events.md");
    for (name, entry) in entries {
        assert!(
            entry.contains("\n- Meaning: ") && entry.contains("\n- Action: "),
            "{name}"
        );
    }
}
