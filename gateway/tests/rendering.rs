//! Server rendering: the content and caching of documents.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::workers::{has_exited, workers};
use crate::support::{
    Gateway, HEALTHY_MODULE, Request, SCRIPT, is_rendered, render_count, rendered_section, rendering_gateway,
    rendering_shell, wait_until,
};

#[test]
fn document_contains_page_head_and_hydration_data() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    let response = gateway.get("/healthy/a%20b");
    let html = response.text();
    assert_eq!(response.status, 200);
    assert!(
        html.contains("<div id=\"root\"><p>page /healthy/a%20b</p></div>"),
        "{html}"
    );
    assert!(html.contains("<title>/healthy/a%20b &amp; &lt;title&gt;</title>"));
    assert!(html.contains("<meta data-head=\"\" name=\"description\" content=\"d&quot;d\">"));
    assert!(
        html.contains("<link data-head=\"\" rel=\"canonical\" href=\"https://site.example/healthy/a%20b\">")
    );
    assert!(!html.contains("<noscript>"));
    assert_eq!(
        response.boot()["view"],
        json!({ "kind": "page", "data": { "path": "/healthy/a%20b" } })
    );
    let missing = gateway.get("/nowhere");
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("<div id=\"root\">no page</div>"));
}

#[test]
fn shareable_page_names_social_image() {
    const RENDER: &str = "export async function render(section, { path }) {
        const social = { title: 's', description: 'd', type: 'article', url: path };
        const head = { title: 't', description: 'd', canonical: path, ...(path === '/healthy/shared' && { social }) };
        return { status: 200, head, view: { kind: 'page', data: {} }, html: '<p></p>', readsToday: false };
    }";
    let gateway = Gateway::start_with("", &[]);
    let image = json!({ "file": "client/social.png", "width": 1200, "height": 630, "alt": "A \"bridge\"" });
    let shell = rendering_shell("1.0.0")
        .bytes("server/index.js", SCRIPT, RENDER)
        .file("client/social.png", "image/png");
    gateway.publish(&shell.with("socialImage", image));
    gateway.publish(&rendered_section(
        "healthy",
        "1.0.0",
        "/healthy/:x",
        HEALTHY_MODULE,
    ));
    gateway.deploy(&json!({ "shell": "1.0.0", "healthy": "1.0.0" }));
    let shared = gateway.get("/healthy/shared");
    let html = shared.text();
    for tag in [
        "property=\"og:site_name\" content=\"Test &amp; Brand\"",
        "property=\"og:image\" content=\"https://site.example/assets/shell/1.0.0/social.png\"",
        "property=\"og:image:width\" content=\"1200\"",
        "property=\"og:image:height\" content=\"630\"",
        "property=\"og:image:alt\" content=\"A &quot;bridge&quot;\"",
        "name=\"twitter:card\" content=\"summary_large_image\"",
    ] {
        let tag = format!("<meta data-head=\"\" {tag}>");
        assert_eq!(html.matches(&tag).count(), 1, "{tag}\n{html}");
    }
    let file = "/assets/shell/1.0.0/social.png";
    assert_eq!(
        shared.boot()["socialImage"],
        json!({ "file": file, "width": 1200, "height": 630, "alt": "A \"bridge\"" })
    );
    assert_eq!(gateway.get(file).status, 200);
    let private = gateway.get("/healthy/private").text();
    assert!(
        !private.contains("og:") && !private.contains("twitter:card"),
        "{private}"
    );
}

#[test]
fn urls_of_head_stay_on_the_site() {
    const RENDER: &str = "export async function render(section, { path }) {
        const url = section ? await section.page(path) : path;
        const social = { title: 's', description: 'd', type: 'article', url };
        const breadcrumbs = [{ label: 'Home', path: '/' }, { label: 'Here', path: url }];
        const head = { title: 't', description: 'd', canonical: url, social, breadcrumbs };
        return { status: 200, head, view: { kind: 'page', data: {} }, html: '<p></p>', readsToday: false };
    }";
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/paths.json");
    let table: Value = serde_json::from_str(&std::fs::read_to_string(table).unwrap()).unwrap();
    let cases = table["sitePaths"].as_array().unwrap();
    assert!(cases.len() > 20);
    let list: Value = cases.iter().map(|case| case["text"].clone()).collect();
    let module = format!("export default {{ page: (path) => {list}[path.split('/').at(-1)] }};");
    let gateway = Gateway::start_with("", &[]);
    let shell = rendering_shell("1.0.0").bytes("server/index.js", SCRIPT, RENDER);
    gateway.publish(&shell);
    gateway.publish(&rendered_section("attack", "1.0.0", "/attack/:x", &module));
    gateway.deploy(&json!({ "shell": "1.0.0", "attack": "1.0.0" }));
    for (index, case) in cases.iter().enumerate() {
        let (url, is_path) = (case["text"].as_str().unwrap(), case["valid"] == true);
        let response = gateway.get(&format!("/attack/{index}"));
        assert!(is_rendered(&response), "{url:?}");
        let html = response.text();
        let absolute = format!("https://site.example{url}");
        let escaped = absolute.replace('&', "&amp;").replace('\'', "&#39;");
        let canonical = format!("<link data-head=\"\" rel=\"canonical\" href=\"{escaped}\">");
        let shared = format!("<meta data-head=\"\" property=\"og:url\" content=\"{escaped}\">");
        assert_eq!(html.contains(&canonical), is_path, "{url:?}: {html}");
        assert_eq!(html.contains(&shared), is_path, "{url:?}: {html}");
        let (_, data) = html.split_once("application/ld+json\">").unwrap();
        let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        let mut expected = vec![json!("https://site.example/")];
        expected.extend(is_path.then(|| json!(absolute)));
        let steps = data["itemListElement"].as_array().unwrap().iter();
        assert_eq!(
            steps.map(|step| step["item"].clone()).collect::<Vec<_>>(),
            expected
        );
        if !is_path {
            assert!(
                !html.contains("rel=\"canonical\"") && !html.contains("og:url"),
                "{html}"
            );
        }
    }
}

#[test]
fn not_found_page_returns_404_without_etag() {
    let gateway = rendering_gateway("", "export default { page: () => 'nothing' };");
    let response = gateway.get("/attack/x");
    assert_eq!(response.status, 404);
    assert!(!response.has("etag"));
    assert!(
        !response
            .text()
            .contains("/assets/attack/1.0.0/page.js\" integrity"),
        "a 404 loads no assets of the page"
    );
}

#[test]
fn equivalent_path_encodings_share_one_page() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    assert_eq!(
        gateway.get("/healthy/%41").text(),
        gateway.get("/healthy/A").text()
    );
}

#[test]
fn deploy_of_one_section_rerenders_only_that_section() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    let before = gateway.get("/healthy/x");
    assert!(is_rendered(&gateway.get("/attack/x")));
    gateway.publish(&rendered_section(
        "attack",
        "1.1.0",
        "/attack/:x",
        "export default { page: () => 'new version' };",
    ));
    gateway.deploy(&json!({ "attack": "1.1.0" }));
    let after = gateway.get("/healthy/x");
    assert_ne!(
        before.header("etag"),
        after.header("etag"),
        "the document names another deployment"
    );
    assert!(gateway.get("/attack/x").text().contains("new version"));
    assert_eq!(render_count(&gateway, "healthy", "rendered"), 1);
    assert_eq!(render_count(&gateway, "attack", "rendered"), 2);
}

#[test]
fn concurrent_requests_render_page_once() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert!(is_rendered(&gateway.get("/healthy/x"))));
        }
    });
    assert_eq!(render_count(&gateway, "healthy", "rendered"), 1);
}

#[test]
fn head_matches_get_and_unchanged_page_returns_304() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    let (mut tags, mut bodies) = (HashSet::new(), HashSet::new());
    for coding in ["identity", "gzip", "br"] {
        let send = |method, tag: &str| {
            let request = Request::new(method, "/healthy/x").header("accept-encoding", coding);
            gateway.site.send(request.header("if-none-match", tag))
        };
        let full = send("GET", "\"other\"");
        let tag = full.header("etag");
        assert!(tag.starts_with('"'), "not a strong validator: {tag}");
        assert!(tags.insert(tag.to_owned()), "{coding}: {tag}");
        bodies.insert(full.decoded());
        for response in [&full, &send("GET", tag)] {
            assert_eq!(response.header("vary"), "Accept-Encoding", "{coding}");
        }
        let head = send("HEAD", "\"other\"");
        assert_eq!((head.status, head.header("etag"), head.body.len()), (200, tag, 0));
        assert_eq!(head.header("content-length"), full.body.len().to_string());
        let same = send("GET", tag);
        assert_eq!((same.status, same.header("etag"), same.body.len()), (304, tag, 0));
    }
    assert_eq!(bodies.len(), 1, "the codings have the same document");
}

#[test]
fn page_renders_with_date_of_boot_payload() {
    const DAY: &str = "export default { page: (path, site) => `<p>${site.today}</p>` };";
    let gateway = rendering_gateway("", DAY);
    let response = gateway.get("/attack/x");
    let boot = response.boot();
    let today = boot["site"]["today"].as_str().unwrap();
    assert!(
        response.text().contains(&format!("<p>{today}</p>")),
        "{}",
        response.text()
    );
}

#[test]
fn document_with_failed_render_is_not_cached() {
    let gateway = rendering_gateway(
        "[render]\nbreaker_failure_threshold = 1000\n",
        "export default { page: () => { throw new Error('x'); } };",
    );
    for count in 1..=3 {
        let response = gateway.get("/attack/x");
        assert_eq!((response.status, is_rendered(&response)), (200, false));
        assert_eq!(response.header("cache-control"), "no-store, no-transform");
        assert!(!response.has("etag"));
        assert!(response.text().contains("<noscript>"));
        assert_eq!(
            render_count(&gateway, "attack", "exception"),
            count,
            "each request retries the render"
        );
    }
}

#[test]
fn disabled_rendering_leaves_page_to_client() {
    let gateway = rendering_gateway("[render]\nenabled = false\n", HEALTHY_MODULE);
    let response = gateway.get("/healthy/x");
    assert!(!is_rendered(&response));
    assert_eq!(
        response.header("cache-control"),
        "no-cache, no-transform",
        "the document is final, so it is cacheable"
    );
}

#[test]
fn release_without_server_module_leaves_page_to_client() {
    let gateway = Gateway::start_live("", &[]);
    assert!(!is_rendered(&gateway.get("/")));
    assert_eq!(gateway.get("/nowhere").status, 404);
}

#[test]
fn rejected_form_is_rendered_with_error_and_not_cached() {
    const FORM: &str = "export default { page: (path, site, form) => form ? `<p>${form.message} ${form.values.email}</p>` : '<p>empty</p>' };";
    let signup = "[signup]\nbackend = \"http://127.0.0.1:9\"\nbackend_api_key = { env = \"KEY\" }\naffiliate_subid = \"tag\"\n[render]\nworkers = 1\n";
    let gateway = Gateway::start_with(signup, &[("KEY", "the-key")]);
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&rendered_section("signup", "1.0.0", "/signup", FORM));
    gateway.deploy(&json!({ "shell": "1.0.0", "signup": "1.0.0" }));
    wait_until("the worker is idle", || workers(&gateway).len() == 1);
    let worker = workers(&gateway)[0];
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded");
    let response = gateway
        .site
        .send(request.body("email=secret%40example.com&password=short&age=30"));
    assert_eq!(response.status, 422, "{}", response.text());
    assert!(
        response.text().contains("secret@example.com</p>"),
        "{}",
        response.text()
    );
    assert!(!response.text().contains("short"));
    assert!(gateway.get("/signup").text().contains("<p>empty</p>"));
    assert!(!gateway.output().contains("secret"));
    wait_until("the memory with the e-mail address is gone", || {
        has_exited(worker)
    });
}

#[test]
fn page_data_is_preserved_byte_for_byte() {
    // Unsorted keys, and a number that other languages format differently.
    const SHELL: &str = r#"
export async function render(section, { path }) {
  const data = { zeta: 1e21, alpha: { b: 1, a: 2 }, "</script>": "</script>" };
  return { status: 200, head: { title: path }, view: { kind: "page", data }, html: "<p></p>", readsToday: false };
}
"#;
    let gateway = Gateway::start();
    gateway.publish(&rendering_shell("1.0.0").bytes("server/index.js", SCRIPT, SHELL));
    gateway.publish(&rendered_section(
        "healthy",
        "1.0.0",
        "/healthy/:x",
        HEALTHY_MODULE,
    ));
    gateway.deploy(&json!({ "shell": "1.0.0", "healthy": "1.0.0" }));
    let html = gateway.get("/healthy/x").text();
    let data = r#""data":{"zeta":1e+21,"alpha":{"b":1,"a":2},"\u003c/script>":"\u003c/script>"}"#;
    assert!(html.contains(data), "{html}");
}

#[test]
fn unrendered_page_is_noindex_unless_listed() {
    let gateway = rendering_gateway("[render]\nenabled = false\n", HEALTHY_MODULE);
    let listed = json!([{ "pattern": "/healthy/:x", "assets": [], "paths": [{ "path": "/healthy/listed", "indexable": true }] }]);
    gateway
        .publish(&rendered_section("healthy", "2.0.0", "/healthy/:x", HEALTHY_MODULE).with("pages", listed));
    gateway.deploy(&json!({ "healthy": "2.0.0" }));
    let noindex = "<meta data-head=\"\" name=\"robots\" content=\"noindex\">";
    assert!(!gateway.get("/healthy/listed").text().contains(noindex));
    assert!(gateway.get("/healthy/other").text().contains(noindex));
}

#[test]
fn unreadable_module_costs_html_until_readable() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    let module = gateway.object("attack/1.0.0", "server/index.js");
    let backup = module.with_extension("backup");
    std::fs::rename(&module, &backup).unwrap();
    let response = gateway.get("/attack/x");
    assert_eq!((response.status, is_rendered(&response)), (200, false));
    assert_eq!(response.header("cache-control"), "no-store, no-transform");
    assert_eq!(render_count(&gateway, "attack", "store_error"), 1);
    std::fs::rename(&backup, &module).unwrap();
    assert!(is_rendered(&gateway.get("/attack/x")));
}

#[test]
fn cross_origin_form_post_is_not_rendered() {
    let signup = "[signup]\nbackend = \"http://127.0.0.1:9\"\nbackend_api_key = { env = \"KEY\" }\naffiliate_subid = \"tag\"\n";
    let gateway = Gateway::start_with(signup, &[("KEY", "the-key")]);
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&rendered_section("signup", "1.0.0", "/signup", HEALTHY_MODULE));
    gateway.deploy(&json!({ "shell": "1.0.0", "signup": "1.0.0" }));
    let before = render_count(&gateway, "signup", "rendered");
    let request = Request::new("POST", "/functions/v1/signup")
        .header("origin", "https://elsewhere.example")
        .header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(gateway.site.send(request.body("email=a%40b.c")).status, 403);
    assert_eq!(render_count(&gateway, "signup", "rendered"), before);
}

#[test]
fn deploy_composes_listed_documents_ahead() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    let composed = || gateway.metric("colonnade_document_cache_misses_total");
    gateway.publish(
        &rendered_section("named", "1.0.0", "/named/:x", HEALTHY_MODULE)
            .with_paths(&["/named/a", "/named/b"]),
    );
    let before = composed();
    gateway.deploy(&json!({ "named": "1.0.0" }));
    wait_until("both documents are composed", || composed() == before + 2);
    assert!(is_rendered(&gateway.get("/named/a")) && is_rendered(&gateway.get("/named/b")));
    assert_eq!(composed(), before + 2);
    gateway.get("/named/c");
    assert_eq!(composed(), before + 3);
    // Documents name their deployment, so a new deployment composes all of them again.
    gateway.publish(&rendered_section("other", "1.0.0", "/other/:x", HEALTHY_MODULE));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    wait_until("both documents are composed again", || composed() == before + 5);
    assert_eq!(
        render_count(&gateway, "named", "rendered"),
        3,
        "the deploy must not render pages again"
    );
}

#[test]
fn disabled_warmup_renders_only_example_page() {
    let gateway = rendering_gateway("[render]\nwarm_cache = false\n", HEALTHY_MODULE);
    gateway.publish(
        &rendered_section("named", "1.0.0", "/named/:x", HEALTHY_MODULE)
            .with_paths(&["/named/a", "/named/b"]),
    );
    gateway.deploy(&json!({ "named": "1.0.0" }));
    // Only the example page is rendered, to check the deploy.
    assert_eq!(render_count(&gateway, "named", "rendered"), 1);
    gateway.get("/named/b");
    assert_eq!(gateway.metric("colonnade_document_cache_misses_total"), 1);
}
