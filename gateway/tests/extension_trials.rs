//! Trial renders of extensions: a deploy is rejected if an extension newly fails with an example of its point.

use serde_json::{Value, json};

use crate::support::{
    CLOSED_ORIGIN, Gateway, QueryUpstream, Release, extending_section, extensible_shell, rendered_section,
    upstream_table,
};

const ASIDE: &str = "page/aside@1";

/// An extension that fails for Nome.
const FAILS_FOR_NOME: &str = "{ show({ city }) { if (city.startsWith('Nome')) throw new Error('no events'); \
    return { extension: { html: city, data: {} }, readsToday: false }; } }";

const ALWAYS_FAILS: &str = "{ show() { throw new Error('broken'); } }";

/// A section whose point has an example for each city.
fn page(version: &str, cities: &[&str]) -> Release {
    let examples: Value = cities.iter().map(|city| json!({ "city": city })).collect();
    let module = "export default { page: (key) => ({ html: key, points: {} }) };";
    let mut page = rendered_section("page", version, "/page/:key", module).opens("page/aside", 1, 1);
    page.fields["extensionPoints"][0]["examples"] = examples;
    page
}

fn events(version: &str, extension: &str) -> Release {
    extending_section("events", version, ASIDE, extension)
}

/// Deploys releases with a shell.
fn deploy(gateway: &Gateway, releases: &[Release]) {
    let mut named = json!({ "shell": "1.0.0" });
    gateway.publish(&extensible_shell());
    for release in releases {
        gateway.publish(release);
        named[&release.name] = json!(release.version);
    }
    gateway.deploy(&named);
}

/// What the extension points of a release break, before it is published.
fn tried(gateway: &Gateway, release: &Release) -> Value {
    let target = format!("/api/v1/sections/{}/trial", release.name);
    let points = release.fields["extensionPoints"].clone();
    let body = json!({ "version": release.version, "extensionPoints": points });
    let response = gateway.admin_post(&target, &body);
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["problems"].take()
}

/// Publishes a release and deploys it. The warnings of the publish are the problems of the deploy, which are returned; none if
/// the deploy is accepted. A trial of the extension points finds the same.
fn problems(gateway: &Gateway, release: &Release) -> Value {
    let (name, version) = (&release.name, &release.version);
    let trial = (name == "page").then(|| tried(gateway, release));
    let published = gateway.put_release(name, version, release.archive());
    assert_eq!(published.status, 201, "{}", published.text());
    let response = gateway.post_deployment(&json!({ "releases": { name: version } }));
    if response.status == 201 {
        assert_eq!(published.json()["warnings"], json!([]));
        assert!(trial.is_none_or(|trial| trial == json!([])));
        return json!([]);
    }
    assert_eq!(response.status, 422, "{}", response.text());
    let problems = response.json()["problems"].take();
    let rejected = |problem: &Value| format!("a deploy now would be rejected: {}", problem.as_str().unwrap());
    let rejected: Vec<_> = problems.as_array().unwrap().iter().map(rejected).collect();
    assert_eq!(published.json()["warnings"], json!(rejected));
    assert!(trial.is_none_or(|trial| trial == problems), "{problems}");
    problems
}

/// The problem of an extension that fails for an example of the page.
fn problem(events: &str, (number, city): (u8, &str), page: &str, message: &str) -> Value {
    json!([format!(
        "rendering `page/aside@1` (extension of events@{events}) with example {number} of page@{page}, `{{\"city\":\"{city}\"}}`, \
         failed: {message}"
    )])
}

#[test]
fn extension_that_fails_with_example_rejects_deploy() {
    let down = upstream_table(&[CLOSED_ORIGIN], "");
    let gateway = Gateway::start_with(&down, &[]);
    deploy(&gateway, &[page("1.0.0", &["Austin", "Nome"])]);
    let at_show = "no events\n  at show (section:1:106)";
    assert_eq!(
        problems(&gateway, &events("1.0.0", FAILS_FOR_NOME)),
        problem("1.0.0", (2, "Nome"), "1.0.0", at_show)
    );
    let logs = |section: &str| gateway.admin_get(&format!("/api/v1/sections/{section}/logs"));
    let failed = |logs: &Value| logs.to_string().contains("trial-failed");
    assert!(failed(&logs("events")));
    assert!(!failed(&logs("page")), "it only lends its examples");
    // Nothing to show is no failure.
    let null = "{ show: () => ({ extension: null, readsToday: false }) }";
    assert_eq!(problems(&gateway, &events("2.0.0", null)), json!([]));
    // Upstreams do not decide.
    let strict = "{ queries: () => ({ item: '/api/x/a' }), show(props, { results }) { throw new Error('no result'); } }";
    let strict = strict.replace("/api/x/", "/api/events/");
    assert_eq!(problems(&gateway, &events("3.0.0", &strict)), json!([]));
}

#[test]
fn example_with_which_live_extension_fails_rejects_deploy() {
    let gateway = Gateway::start_with("", &[]);
    deploy(
        &gateway,
        &[page("1.0.0", &["Austin"]), events("1.0.0", FAILS_FOR_NOME)],
    );
    let at_show = "no events\n  at show (section:1:106)";
    assert_eq!(
        problems(&gateway, &page("2.0.0", &["Austin", "Nome"])),
        problem("1.0.0", (2, "Nome"), "2.0.0", at_show)
    );
    for section in ["page", "events"] {
        let logs = gateway.admin_get(&format!("/api/v1/sections/{section}/logs"));
        assert!(logs.to_string().contains("trial-failed"), "{section}");
    }
    // Of the examples of a set, those of the release that is deployed count.
    let releases = json!({ "releases": { "page": "2.0.0", "events": "1.1.0" } });
    gateway.publish(&events(
        "1.1.0",
        "{ show: () => ({ extension: null, readsToday: false }) }",
    ));
    let both = gateway.post_deployment(&releases);
    assert_eq!(both.status, 201, "{}", both.text());
}

#[test]
fn extension_that_fails_already_rejects_no_deploy() {
    // No trial render has rejected the extension.
    let gateway = Gateway::start_with("[render]\nenabled = false\n", &[]);
    let live = [page("1.0.0", &["Austin", "Nome"]), events("1.0.0", ALWAYS_FAILS)];
    deploy(&gateway, &live);
    let gateway = gateway.start_another_with("");
    let broken = |message: &str| format!("{{ show() {{ throw new Error('{message}'); }} }}");
    for release in [
        page("2.0.0", &["Nome"]),
        page("3.0.0", &["Boston", "Austin"]),
        events("2.0.0", &broken("another one")),
        events("3.0.0", FAILS_FOR_NOME),
    ] {
        assert_eq!(
            problems(&gateway, &release),
            json!([]),
            "{}@{}",
            release.name,
            release.version
        );
    }
    // Now it fails with no example of the live point.
    let long = format!("Nome{}", "x".repeat(300));
    let rejected = problems(&gateway, &page("4.0.0", &["Boston", &long]));
    let example = format!(
        "with example 2 of page@4.0.0, `{}…`, failed: no events",
        &format!("{{\"city\":\"{long}")[..200]
    );
    assert!(rejected[0].as_str().unwrap().contains(&example), "{rejected}");
    assert_eq!(
        problems(&gateway, &events("4.0.0", &broken("broken again"))),
        problem(
            "4.0.0",
            (1, "Boston"),
            "3.0.0",
            "broken again\n  at show (section:1:69)"
        )
    );
    // The point is full, but could have a place for it once another section is removed.
    let news = extending_section("news", "1.0.0", ASIDE, ALWAYS_FAILS);
    let published = gateway.put_release("news", "1.0.0", news.archive());
    let warnings = published.json()["warnings"].to_string();
    assert!(
        warnings.contains("(extension of news@1.0.0) with example 1 of page@3.0.0"),
        "{warnings}"
    );
}

#[test]
fn extension_at_limit_is_tried_once_per_trial() {
    let settings = "[render]\nwarm_cache = false\nworkers = 1\ncpu_limit_ms = 500\n";
    let gateway = Gateway::start_with("[render]\nenabled = false\n", &[]);
    let loops = "{ show() { for (;;); } }";
    deploy(
        &gateway,
        &[page("1.0.0", &["Austin", "Nome"]), events("1.0.0", loops)],
    );
    let gateway = gateway.start_another_with(settings);
    assert_eq!(
        tried(&gateway, &page("2.0.0", &["Nome", "Boston", "Austin"])),
        json!([])
    );
    let restarts = gateway.metric("colonnade_render_worker_restarts_total");
    assert!((1..=2).contains(&restarts), "{restarts}");
}

#[test]
fn trial_beside_another_one_is_refused() {
    let asks = "{ queries: () => ({ item: '/api/x/now' }), \
        show: () => ({ extension: null, readsToday: false }) }";
    let upstream = QueryUpstream::start();
    let settings = format!("[render]\nenabled = false\n{}", upstream.table());
    let gateway = Gateway::start_with(&settings, &[]);
    deploy(&gateway, &[page("1.0.0", &["Austin"]), events("1.0.0", asks)]);
    let gateway = gateway.start_another_with(&format!(
        "[render]\nwarm_cache = false\nquery_deadline_ms = 60000\n{}",
        upstream.table()
    ));
    let new = page("2.0.0", &["Boston"]);
    upstream.hold();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| tried(&gateway, &new));
        upstream.wait_for_requests(1);
        let body = json!({ "version": "3.0.0", "extensionPoints": [] });
        let second = gateway.admin_post("/api/v1/sections/page/trial", &body);
        assert_eq!(second.status, 503, "{}", second.text());
        assert!(second.text().contains("too busy to render the extensions"));
        assert!(!second.header("retry-after").is_empty());
        upstream.release();
        assert_eq!(first.join().unwrap(), json!([]));
    });
    assert_eq!(tried(&gateway, &new), json!([]));
}

#[test]
fn trial_of_invalid_points_is_refused() {
    let gateway = Gateway::start_with("", &[]);
    let tried = |point: Value| {
        let body = json!({ "version": "1.0.0", "extensionPoints": [point] });
        gateway.admin_post("/api/v1/sections/page/trial", &body)
    };
    let point = |id: &str| json!({ "id": id, "version": 1, "max": 1, "examples": [{}] });
    let large = "x".repeat(65_400);
    let mut as_large_as_permitted = point("page/aside");
    as_large_as_permitted["examples"] = json!([{ "text": large }]);
    assert_eq!(tried(as_large_as_permitted).status, 200);
    // Nothing is live.
    assert_eq!(tried(point("page/aside")).json(), json!({ "problems": [] }));
    for (point, problem) in [
        (
            point("shop/aside"),
            "extension point `shop/aside`: expected `page/`",
        ),
        (json!({}), "extensionPoints[0]: missing field `id`"),
    ] {
        let response = tried(point);
        assert_eq!(response.status, 422);
        let refused = response.json();
        let problems = refused["problems"].to_string();
        assert!(problems.contains(problem), "{problems}");
        // There is nothing to publish.
        let detail =
            "the extension points are invalid; the team of the section corrects them as `problems` says";
        assert_eq!(refused["detail"], detail);
    }
}
