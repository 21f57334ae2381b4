//! Query parameters that pages declare: which document a visitor gets, and what shares a cache entry.

use serde_json::{Value, json};

use crate::support::{
    Gateway, HEALTHY_MODULE, Release, Request, Response, SCRIPT, attack_rendering, is_rendered, render_count,
    rendered_section, rendering_shell,
};

/// The server module of a shell whose pages get `search`.
const RENDER: &str = r#"
export async function render(section, { path, search = "", page }) {
  if (!section) return { status: 404, head: { title: "t" }, view: { kind: "notFound" }, html: "no page", readsToday: false };
  const data = section.page(path, search);
  if (data.location) return { status: 307, location: data.location, readsToday: false };
  const { html = `<p>${path}[${search.replaceAll("&", ",")}]</p>`, canonical = path } = data;
  const alternates = [{ language: "de", path: canonical }];
  return { status: 200, head: { title: "t", description: "d", canonical, alternates }, view: { kind: "page", data: {} }, html, readsToday: false };
}
"#;

const MODULE: &str = "export default { page: () => ({}) };";

fn shell() -> Release {
    rendering_shell("1.0.0").bytes("server/index.js", SCRIPT, RENDER)
}

/// A section with the page `/list`, which declares these parameters.
fn list(version: &str, names: &[&str], module: &str) -> Release {
    let mut release = rendered_section("list", version, "/list", module);
    release.fields["pages"][0]["search"] = json!(names);
    release
}

/// A gateway whose page `/list` declares `sort` and `page`.
fn start(settings: &str, module: &str) -> Gateway {
    let gateway = Gateway::start_with(settings, &[]);
    gateway.publish(&shell());
    gateway.publish(&list("1.0.0", &["sort", "page"], module));
    gateway.publish(&rendered_section(
        "healthy",
        "1.0.0",
        "/healthy/:x",
        HEALTHY_MODULE,
    ));
    gateway.deploy(&json!({ "shell": "1.0.0", "list": "1.0.0", "healthy": "1.0.0" }));
    gateway
}

/// The content of a rendered page.
fn content(response: &Response) -> String {
    let text = response.text();
    let (_, rest) = text.split_once("<div id=\"root\">").expect("a root element");
    rest.split_once("</div>").expect("its end").0.to_owned()
}

#[test]
fn page_gets_declared_parameters_in_canonical_form() {
    let gateway = start("", MODULE);
    for (query, search) in [
        ("", ""),
        ("?page=2", "page=2"),
        ("?sort=a+b&page=%32", "page=2,sort=a%20b"),
        ("?utm_source=x&page=2&fbclid=y", "page=2"),
        ("?utm_source=x", ""),
        ("?page", ""),
        ("?page=", "page="),
    ] {
        let response = gateway.get(&format!("/list{query}"));
        assert_eq!(response.status, 200, "{query}");
        assert_eq!(content(&response), format!("<p>/list[{search}]</p>"), "{query}");
        assert_eq!(response.boot()["page"]["search"], json!(["sort", "page"]));
        assert!(!response.text().contains("utm_source"));
    }
    let page = gateway.get("/_page/1?path=%2Flist").json();
    assert_eq!(page["search"], json!(["sort", "page"]));
}

#[test]
fn equal_queries_share_one_render_and_document() {
    let gateway = start("", MODULE);
    attack_rendering(&gateway, || share_one_render(&gateway));
}

fn share_one_render(gateway: &Gateway) {
    let renders = || render_count(gateway, "list", "rendered");
    let etag = |path: &str| gateway.get(path).header("etag").to_owned();
    let plain = etag("/list");
    let before = renders();
    assert_eq!(etag("/list?utm_source=x"), plain);
    assert_eq!(renders(), before);
    let second = etag("/list?page=2&sort=a");
    assert_ne!(second, plain);
    for query in ["sort=a&page=2", "utm=1&sort=a&x&page=2", "sort=%61&page=2"] {
        assert_eq!(etag(&format!("/list?{query}")), second, "{query}");
    }
    assert_eq!(renders(), before + 1);
    let unchanged = Request::new("GET", "/list?page=2&sort=a&utm_source=y").header("if-none-match", &second);
    assert_eq!(gateway.site.send(unchanged).status, 304);
}

#[test]
fn repeated_or_long_parameter_is_not_found() {
    let gateway = start("", MODULE);
    let renders = render_count(&gateway, "list", "rendered");
    for query in [
        "page=2&page=3".to_owned(),
        "page=2&x=1&page=2".to_owned(),
        format!("sort={}", "a".repeat(201)),
    ] {
        let response = gateway.get(&format!("/list?{query}"));
        assert_eq!(response.status, 404, "{query}");
        assert_eq!(content(&response), "no page");
    }
    assert_eq!(render_count(&gateway, "list", "rendered"), renders);
    let longest = format!("/list?sort={}&x=1&x=2", "a".repeat(200));
    assert_eq!(gateway.get(&longest).status, 200);
}

#[test]
fn redirect_keeps_declared_parameters_only() {
    const MODULE: &str =
        "export default { page: (path, search) => (search === 'page=1' ? { location: '/list' } : {}) };";
    let gateway = start("", MODULE);
    for (target, status, location) in [
        ("/list/?utm_source=x&sort=b&page=2", 308, "/list?page=2&sort=b"),
        ("/list/?utm_source=x", 308, "/list"),
        ("/nowhere/?page=2", 308, "/nowhere"),
        ("/list?page=1&utm_source=x", 307, "/list"),
    ] {
        let response = gateway.get(target);
        let found = (response.status, response.header("location"));
        assert_eq!(found, (status, location), "{target}");
    }
}

#[test]
fn links_to_page_have_declared_parameters_only() {
    const MODULE: &str =
        "export default { page: (path, search) => ({ canonical: decodeURIComponent(search.slice(5)) }) };";
    let gateway = start("", MODULE);
    for (canonical, is_written) in [
        ("/list?page=2&sort=a", true),
        ("/list", true),
        ("/list?page=2&utm_source=x", false),
        ("/list?sort=a&page=2", false),
        ("//evil.example?page=2", false),
    ] {
        let encoded = canonical
            .replace('&', "%26")
            .replace('?', "%3F")
            .replace('=', "%3D");
        let html = gateway.get(&format!("/list?sort={encoded}")).text();
        let url = format!("https://site.example{canonical}").replace('&', "&amp;");
        for rel in ["rel=\"canonical\"", "rel=\"alternate\" hreflang=\"de\""] {
            let link = format!("<link data-head=\"\" {rel} href=\"{url}\">");
            assert_eq!(html.contains(&link), is_written, "{html}");
            assert_eq!(html.contains(rel), is_written, "{html}");
        }
    }
}

#[test]
fn failures_of_made_up_queries_open_no_circuit() {
    const MODULE: &str = "export default { page: (path, search) => { if (search.includes('bad')) throw new Error(search); return {}; } };";
    let gateway = start(
        "[render]\nworkers = 1\nwarm_cache = false\nbreaker_failure_threshold = 1\nbreaker_open_seconds = 3600\n",
        MODULE,
    );
    attack_rendering(&gateway, || {
        for query in ["sort=bad1", "sort=bad2"] {
            assert!(!is_rendered(&gateway.get(&format!("/list?{query}"))));
        }
        assert_eq!(render_count(&gateway, "list", "circuit_open"), 1);
        assert!(is_rendered(&gateway.get("/list")));
    });
}

#[test]
fn made_up_queries_evict_no_other_documents() {
    // With all its codings, a document has more than 800 KB.
    const MODULE: &str =
        "export default { page: (path, search) => ({ html: `<p>${' '.repeat(search && 8e5)}</p>` }) };";
    let gateway = start("", MODULE);
    gateway.publish(&list("1.0.1", &["sort", "page"], MODULE).with_paths(&["/list", "/list?sort=a"]));
    gateway.deploy(&json!({ "list": "1.0.1" }));
    let misses = || gateway.metric("colonnade_document_cache_misses_total");
    let listed = || ["/list", "/list?sort=a"].map(|path| gateway.get(path).status);
    listed();
    attack_rendering(&gateway, || {
        for number in 0..50 {
            gateway.get(&format!("/list?page={number}"));
        }
    });
    let before = misses();
    listed();
    assert_eq!(misses(), before);
    gateway.get("/list?page=0");
    assert_eq!(misses(), before + 1);
}

#[test]
fn trial_renders_listed_path_with_its_query() {
    const MODULE: &str = "export default { page: (path, search) => { if (search === 'page=2') throw new Error('second'); return {}; } };";
    let gateway = start("", "export default { page: () => ({}) };");
    gateway.publish(&list("2.0.0", &["page"], MODULE).with_paths(&["/list?page=2", "/list"]));
    let rejected = gateway.post_deployment(&json!({ "releases": { "list": "2.0.0" } }));
    assert_eq!(rejected.status, 422);
    let problem = rejected.json()["problems"][0].take();
    let problem = problem.as_str().unwrap();
    assert!(
        problem.starts_with("rendering /list?page=2 (page /list of list@2.0.0) failed: second"),
        "{problem}"
    );
    gateway.publish(
        &list("3.0.0", &["page"], "export default { page: () => ({}) };").with_paths(&["/list?page=2"]),
    );
    gateway.deploy(&json!({ "list": "3.0.0" }));
    assert!(
        gateway
            .get("/sitemap.xml")
            .text()
            .contains("<loc>https://site.example/list?page=2</loc>")
    );
}

#[test]
fn invalid_parameters_in_manifest_reject_release() {
    let gateway = start("", MODULE);
    let many: Vec<String> = (0..9).map(|number| format!("p{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (names, paths, problem) in [
        (
            &many[..],
            &["/list"][..],
            "page `/list` has 9 query parameters; expected at most 8, each once",
        ),
        (
            &["a", "a"],
            &["/list"],
            "page `/list` has 2 query parameters; expected at most 8, each once",
        ),
        (
            &["a b"],
            &["/list"],
            "page `/list` has the query parameter \"a b\"; expected a letter",
        ),
        (
            &["a"],
            &["/list?b=1"],
            "path `/list?b=1` is not one of page `/list`",
        ),
        (
            &["a", "b"],
            &["/list?b=1&a=1"],
            "path `/list?b=1&a=1` is not one of page `/list`",
        ),
        (&["a"], &["/list?"], "path `/list?` is not one of page `/list`"),
    ] {
        let release = list("9.0.0", names, MODULE).with_paths(paths);
        let response = gateway.put_release("list", "9.0.0", release.archive());
        assert_eq!(response.status, 422, "{}", response.text());
        let problems = response.json()["problems"].take();
        let found = |text: &Value| text.as_str().unwrap().contains(problem);
        assert!(problems.as_array().unwrap().iter().any(found), "{problems}");
    }
}

#[test]
fn values_reach_no_log() {
    const MODULE: &str =
        "export default { page: (path, search) => { if (search) throw new Error(search); return {}; } };";
    let gateway = start("[render]\nwarm_cache = false\n", MODULE);
    assert!(!is_rendered(
        &gateway.get("/list?sort=se1cret&utm_source=se2cret")
    ));
    gateway.wait_for_event(|line| line["event"] == "render_failed");
    let logs = gateway.admin_get("/api/v1/sections/list/logs").to_string();
    let errors = gateway.admin_get("/api/v1/sections/list/errors").to_string();
    for text in [&gateway.output(), &logs, &errors] {
        assert!(!text.contains("se1cret") && !text.contains("se2cret"), "{text}");
    }
    assert!(errors.contains("/list"), "{errors}");
}
