//! Examples in releases: a deploy is rejected if a page or an extension fails with the results that its section gives.

use serde_json::{Value, json};

use crate::support::{
    CLOSED_ORIGIN, Gateway, Release, extending_section, extensible_shell, query_shell, rendered_section,
    upstream_table,
};

const EXAMPLES: &str = "server/examples.json";

/// A page that fails with the value 1.
const PAGE: &str = r#"
export default {
  queries: () => ({ a: "/api/events/a" }),
  data: (key, { a }) => { if (a.value === 1) throw new Error("one"); return a; },
};
"#;

/// An extension that fails with the value 1.
const EXTENSION: &str = "{ queries: () => ({ a: '/api/events/a' }), show(props, { results: { a } }) { \
    if (a.value === 1) throw new Error(`one in ${props.city}`); return { extension: null, readsToday: false }; } }";

fn with_examples(release: Release, examples: &Value) -> Release {
    release
        .bytes(EXAMPLES, "application/json", examples.to_string())
        .with("examples", json!(EXAMPLES))
}

fn page(version: &str, value: u8) -> Release {
    let results = json!({ "a": { "ok": true, "value": value } });
    let example = json!({ "pattern": "/live/:key", "path": "/live/x", "results": results, "source": "src/live.tsx:4:3" });
    let page = rendered_section("live", version, "/live/:key", PAGE);
    with_examples(page, &json!({ "pages": [example], "extensions": [] }))
}

fn extension(version: &str, value: u8) -> Release {
    let results = json!({ "a": { "ok": true, "value": value } });
    let example = json!({ "point": "page/aside@1", "props": { "city": "Nome" }, "results": results, "source": "src/aside.tsx:6:1" });
    let section = extending_section("events", version, "page/aside@1", EXTENSION);
    with_examples(section, &json!({ "pages": [], "extensions": [example] }))
}

/// Deploys releases whose examples succeed, then another one whose example does not. Its problem is also a warning of the
/// publish.
fn assert_rejected(good: &[Release], bad: &Release, problem: &str) {
    // Upstreams do not decide.
    let gateway = Gateway::start_with(&upstream_table(&[CLOSED_ORIGIN], ""), &[]);
    let mut live = json!({});
    for release in good {
        gateway.publish(release);
        live[&release.name] = json!(release.version);
    }
    gateway.deploy(&live);
    let published = gateway.put_release(&bad.name, &bad.version, bad.archive());
    let response = gateway.post_deployment(&json!({ "releases": { &bad.name: bad.version } }));
    assert_eq!(response.status, 422, "{}", response.text());
    let problems = response.json()["problems"].take();
    let found = problems[0].as_str().unwrap();
    assert!(found.starts_with(problem), "{problems}");
    let warnings = published.json()["warnings"].take();
    let warning = json!(format!("a deploy now would be rejected: {found}"));
    assert!(warnings.as_array().unwrap().contains(&warning), "{warnings}");
}

#[test]
fn page_that_fails_with_its_example_rejects_deploy() {
    let problem = "rendering /live/x (page /live/:key of live@2.0.0) with the results of its example (src/live.tsx:4:3) failed: one\n  at data";
    assert_rejected(&[query_shell(), page("1.0.0", 2)], &page("2.0.0", 1), problem);
}

#[test]
fn extension_that_fails_with_own_example_rejects_deploy() {
    let problem = "rendering `page/aside@1` (extension of events@2.0.0) with its own example (src/aside.tsx:6:1) failed: one in Nome\n  at show";
    let live = [extensible_shell(), extension("1.0.0", 2)];
    assert_rejected(&live, &extension("2.0.0", 1), problem);
}

#[test]
fn problem_names_source_of_example_of_point() {
    const SHOWS_NO_NOME: &str = "{ show({ city }) { if (city === 'Nome') throw new Error('no events'); \
        return { extension: null, readsToday: false }; } }";
    let opens = |version: &str, cities: &[&str]| {
        let module = "export default { page: (key) => ({ html: key, points: {} }) };";
        let mut page = rendered_section("page", version, "/page/:key", module).opens("page/aside", 1, 1);
        let examples: Value = cities.iter().map(|city| json!({ "city": city })).collect();
        page.fields["extensionPoints"][0]["examples"] = examples;
        let points =
            json!([{ "point": "page/aside@1", "sources": ["src/points.ts:4:14", "src/points.ts:5:5"] }]);
        with_examples(page, &json!({ "pages": [], "extensions": [], "points": points }))
    };
    let events = extending_section("events", "1.0.0", "page/aside@1", SHOWS_NO_NOME);
    assert_rejected(
        &[extensible_shell(), opens("1.0.0", &["Austin"]), events],
        &opens("2.0.0", &["Austin", "Nome"]),
        "rendering `page/aside@1` (extension of events@1.0.0) with example 2 of page@2.0.0 (src/points.ts:5:5), \
         `{\"city\":\"Nome\"}`, failed: no events\n",
    );
}

#[test]
fn examples_of_other_pages_reject_publish() {
    let gateway = Gateway::start_with("[render]\nenabled = false\n", &[]);
    let results = json!({});
    let examples = json!({
        "pages": [{ "pattern": "/live/:key", "path": "/other/x", "results": results }],
        "extensions": [{ "point": "page/aside@1", "props": {}, "results": results, "source": "a\nb" }],
        "points": [{ "point": "live/aside@1", "sources": [] }],
    });
    let live = || rendered_section("live", "1.0.0", "/live/:key", PAGE);
    let problems = |release: Release| {
        let response = gateway.put_release("live", "1.0.0", release.archive());
        assert_eq!(response.status, 422, "{}", response.text());
        response.json()["problems"].take()
    };
    assert_eq!(
        problems(with_examples(live(), &examples)),
        json!([
            "the example `/other/x` is not one of page `/live/:key`",
            "an example is of `page/aside@1`, which the release does not fill",
            "sources are of examples of `live/aside@1`, which the release does not open",
            "the source of an example is not a line of 1 to 256 characters"
        ])
    );
    assert_eq!(
        problems(live().with("examples", json!("client/entry.js"))),
        json!(["examples refers to `client/entry.js`, which is not a listed file below server/"])
    );
    let unknown = problems(with_examples(
        live(),
        &json!({ "pages": [], "extensions": [], "forms": [] }),
    ));
    let unknown = unknown[0].as_str().unwrap();
    assert!(
        unknown.starts_with("`server/examples.json`: unknown field `forms`"),
        "{unknown}"
    );
}
