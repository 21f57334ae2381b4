//! Trial renders of the paths that visitors request most: a deploy is rejected if one newly fails.

use serde_json::{Value, json};

use crate::support::{
    Gateway, HEALTHY_MODULE, QueryUpstream, Release, Response, extending_section, extensible_shell,
    query_shell, rendered_section, rendering_shell,
};

/// Publishes releases, and deploys them in one deployment.
fn deploy(gateway: &Gateway, releases: &[Release]) -> Response {
    let mut named = json!({});
    for release in releases {
        gateway.publish(release);
        named[&release.name] = json!(release.version);
    }
    gateway.post_deployment(&json!({ "releases": named }))
}

/// Deploys releases for a site that visitors use.
fn serve(gateway: &Gateway, releases: &[Release], requested: &[&str]) {
    let deployed = deploy(gateway, releases);
    assert_eq!(deployed.status, 201, "{}", deployed.text());
    assert!(deployed.json().get("requestedPaths").is_none());
    for path in requested.iter().cycle().take(3 * requested.len()) {
        assert_eq!(gateway.get(path).status, 200, "{path}");
    }
}

/// The problems of a rejected deploy, each up to the place in the code.
fn problems(rejected: &Response) -> Vec<String> {
    assert_eq!(rejected.status, 422, "{}", rejected.text());
    let problems = rejected.json()["problems"].take();
    let first_line = |problem: &Value| problem.as_str().unwrap().lines().next().unwrap().to_owned();
    problems.as_array().unwrap().iter().map(first_line).collect()
}

/// The requested paths in the response to a deploy that is accepted.
fn requested(accepted: &Response) -> Value {
    assert_eq!(accepted.status, 201, "{}", accepted.text());
    accepted.json()["requestedPaths"].take()
}

#[test]
fn requested_path_that_newly_fails_rejects_deploy() {
    let gateway = Gateway::start();
    let listed = ["/shop/good", "/shop/listed-bad"].map(|path| json!({ "path": path, "indexable": false }));
    let page = json!([{ "pattern": "/shop/:x", "assets": [], "paths": listed }]);
    let shop =
        |version, module| rendered_section("shop", version, "/shop/:x", module).with("pages", page.clone());
    serve(
        &gateway,
        &[rendering_shell("1.0.0"), shop("1.0.0", HEALTHY_MODULE)],
        &["/shop/good", "/shop/bad", "/shop/worse-bad", "/shop/listed-bad"],
    );
    let fails = "export default { page: (path) => { if (path.endsWith('bad')) throw new Error('bad'); return ''; } };";
    assert_eq!(
        problems(&deploy(&gateway, &[shop("2.0.0", fails)])),
        // One for both paths that no release lists.
        [
            "rendering a requested path (page /shop/:x of shop@2.0.0) failed: bad",
            "rendering /shop/listed-bad (page /shop/:x of shop@2.0.0) failed: bad"
        ]
    );
    let logs = gateway.admin_get("/api/v1/sections/shop/logs");
    let logs = logs.to_string();
    assert!(logs.contains("trial-failed") && !logs.contains("bad"), "{logs}");
    // Without requests, nothing else is rendered than examples.
    let unused = gateway.start_another();
    let accepted = unused.post_deployment(&json!({ "releases": { "shop": "2.0.0" } }));
    assert_eq!(requested(&accepted), Value::Null);
}

/// A page whose key is the name of a query, if it begins with a q.
fn live(version: &str, data: &str) -> Release {
    let module = format!(
        "export default {{ queries: (key) => (key[0] === 'q' ? {{ item: `/api/x/${{key}}` }} : undefined), data: {data} }};"
    );
    rendered_section("live", version, "/live/:key", &module)
}

#[test]
fn requested_paths_are_tried_with_cached_results() {
    let upstream = QueryUpstream::start();
    upstream.respond("/q-cached", "max-age=1000", "1");
    upstream.respond("/q-private", "no-store", "1");
    let gateway = Gateway::start_with(&upstream.table(), &[]);
    serve(
        &gateway,
        &[
            query_shell(),
            live("1.0.0", "(key, results) => ({ key, results })"),
        ],
        &["/live/same", "/live/gone", "/live/q-cached", "/live/q-private"],
    );
    let asked = upstream.received().len();
    assert_eq!(
        problems(&deploy(
            &gateway,
            &[live("2.0.0", "(key) => ({ isMissing: key === 'gone' })")]
        )),
        [new_status(
            "a requested path (page /live/:key)",
            404,
            "live@2.0.0"
        )]
    );
    let data = "(key, results) => (key === 'gone' ? { location: '/' } : { key: key === 'same' ? key : 'other', results })";
    assert_eq!(
        problems(&deploy(&gateway, &[live("3.0.0", data)])),
        [new_status(
            "a requested path (page /live/:key)",
            307,
            "live@3.0.0"
        )]
    );
    // A redirect that is accepted, and other HTML, are changes.
    let accepted =
        gateway.post_deployment(&json!({ "releases": { "live": "3.0.0" }, "acceptStatusChanges": true }));
    assert_eq!(requested(&accepted), json!({ "rendered": 3, "changed": 2 }));
    assert_eq!(upstream.received().len(), asked);
}

/// The problem of a path that visitors get with the status 200.
fn new_status(path: &str, status: u16, release: &str) -> String {
    format!(
        "{path} has the status {status} with {release}, and 200 with the live releases; `acceptStatusChanges` accepts this \
         (`colonnade deploy --accept-status-changes`)"
    )
}

#[test]
fn requested_page_that_is_removed_rejects_deploy() {
    let gateway = Gateway::start();
    let shop = |version, pattern| rendered_section("shop", version, pattern, HEALTHY_MODULE);
    serve(
        &gateway,
        &[rendering_shell("1.0.0"), shop("1.0.0", "/shop/:x")],
        &["/shop/a"],
    );
    assert_eq!(
        problems(&deploy(&gateway, &[shop("2.0.0", "/store/:x")])),
        [new_status("a requested path (page /shop/:x)", 404, "shop@2.0.0")]
    );
    // The page may move to another section.
    let moved = rendered_section("mall", "1.0.0", "/shop/:x", HEALTHY_MODULE);
    gateway.publish(&moved);
    let body = json!({ "releases": { "shop": "2.0.0", "mall": "1.0.0" } });
    assert_eq!(
        requested(&gateway.post_deployment(&body)),
        json!({ "rendered": 1, "changed": 0 })
    );
    // A section that is removed by name takes its pages along, also if a page of another one has the path.
    gateway.publish(&shop("3.0.0", "/store/:y"));
    gateway.publish(&not_found_pages());
    let body = json!({ "releases": { "shop": "3.0.0", "mall": null, "general": "1.0.0" } });
    assert_eq!(requested(&gateway.post_deployment(&body)), Value::Null);
}

/// A section whose page has the paths of no other section, and is not found.
fn not_found_pages() -> Release {
    let module = "export default { page: () => 'nothing' };";
    rendered_section("general", "1.0.0", "/:a/:b", module)
}

/// Whether the last trial of a section failed, by its log.
fn last_trial_failed(gateway: &Gateway, section: &str) -> bool {
    let logs = gateway.admin_get(&format!("/api/v1/sections/{section}/logs"));
    logs["entries"].as_array().unwrap().last().unwrap()["kind"] == "trial-failed"
}

#[test]
fn requested_path_of_another_page_fails_for_new_release() {
    let gateway = Gateway::start();
    let shop = |version, pattern| rendered_section("shop", version, pattern, HEALTHY_MODULE);
    serve(
        &gateway,
        &[
            rendering_shell("1.0.0"),
            shop("1.0.0", "/shop/:x"),
            not_found_pages(),
        ],
        &["/shop/a"],
    );
    assert_eq!(
        problems(&deploy(&gateway, &[shop("2.0.0", "/store/:x")])),
        [new_status("a requested path (page /shop/:x)", 404, "shop@2.0.0")]
    );
    assert!(last_trial_failed(&gateway, "shop"));
}

#[test]
fn live_extension_that_fails_at_path_fails_for_new_page() {
    let gateway = Gateway::start();
    let page = |version, props: &str| {
        let module = format!(
            "export default {{ page: (key) => ({{ html: '<div data-extension-point=\"page/aside@1\"></div>', \
             points: {{ 'page/aside@1': {props} }} }}) }};"
        );
        rendered_section("page", version, "/page/:key", &module).opens("page/aside", 1, 1)
    };
    let picky = "{ show({ bad }) { if (bad) throw new Error('bad'); return { extension: null, readsToday: false }; } }";
    let picky = extending_section("picky", "1.0.0", "page/aside@1", picky);
    serve(
        &gateway,
        &[extensible_shell(), page("1.0.0", "{}"), picky],
        &["/page/a"],
    );
    assert_eq!(
        problems(&deploy(&gateway, &[page("2.0.0", "{ bad: true }")])),
        [
            "with page@2.0.0, rendering `page/aside@1` (extension of picky@1.0.0) for a requested path \
          (page /page/:key) failed: bad"
        ]
    );
    assert!(last_trial_failed(&gateway, "page"));
}

#[test]
fn requested_pages_of_others_with_new_extension_are_tried() {
    let gateway = Gateway::start();
    let page = "export default { page: (key) => ({ html: '<div data-extension-point=\"page/aside@1\"></div>', \
        points: { 'page/aside@1': { key } } }) };";
    let events = |version, html: &str| {
        let extension = format!(
            "{{ show: ({{ key }}) => ({{ extension: {{ html: {html}, data: {{}} }}, readsToday: false }}) }}"
        );
        extending_section("events", version, "page/aside@1", &extension)
    };
    serve(
        &gateway,
        &[
            extensible_shell(),
            rendered_section("page", "1.0.0", "/page/:key", page).opens("page/aside", 1, 1),
            rendered_section(
                "other",
                "1.0.0",
                "/other/:key",
                "export default { page: () => ({ html: '', points: {} }) };",
            ),
            events("1.0.0", "'1'"),
        ],
        &["/page/good", "/page/bad", "/other/a"],
    );
    assert_eq!(
        problems(&deploy(
            &gateway,
            &[events("2.0.0", "key === 'bad' ? key.x.y : '1'")]
        )),
        [
            "rendering `page/aside@1` (extension of events@2.0.0) for a requested path (page /page/:key) failed: \
            TypeError: cannot read property 'y' of undefined"
        ]
    );
    // Two requests are too few.
    for _ in 0..2 {
        gateway.get("/page/rare");
    }
    assert_eq!(
        requested(&deploy(&gateway, &[events("3.0.0", "key === 'bad' ? '2' : '1'")])),
        json!({ "rendered": 2, "changed": 1 })
    );
}
