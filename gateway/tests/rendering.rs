//! Rendering on the server: what documents of rendered pages hold, and what is kept of them.

use serde_json::json;

use crate::support::{
    Gateway, Request, SCRIPT, SOUND, is_rendered, rendered_section, rendering_gateway, rendering_shell,
    renders, until,
};

#[test]
fn a_document_holds_the_page_its_head_and_what_the_shell_goes_on_from() {
    let gateway = rendering_gateway("", SOUND);
    let answer = gateway.get("/sound/a%20b");
    let html = answer.text();
    assert_eq!(answer.status, 200);
    assert!(
        html.contains("<div id=\"root\"><p>page /sound/a%20b</p></div>"),
        "{html}"
    );
    assert!(html.contains("<title>/sound/a%20b &amp; &lt;title&gt;</title>"));
    assert!(html.contains("<meta data-head=\"\" name=\"description\" content=\"d&quot;d\">"));
    assert!(
        html.contains("<link data-head=\"\" rel=\"canonical\" href=\"https://site.example/sound/a%20b\">")
    );
    assert!(!html.contains("<noscript>"));
    assert_eq!(
        answer.boot()["view"],
        json!({ "kind": "page", "data": { "path": "/sound/a%20b" } })
    );
    let missing = gateway.get("/nowhere");
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("<div id=\"root\">no page</div>"));
}

#[test]
fn a_page_that_may_be_shared_names_the_shells_picture_and_others_do_not() {
    const RENDER: &str = "export async function render(section, { path }) {
        const social = { title: 's', description: 'd', type: 'article', url: path };
        const head = { title: 't', description: 'd', canonical: path, ...(path === '/sound/shared' && { social }) };
        return { status: 200, head, view: { kind: 'page', data: {} }, html: '<p></p>', readsToday: false };
    }";
    let gateway = Gateway::start_with("", &[]);
    let image = json!({ "file": "client/social.png", "width": 1200, "height": 630, "alt": "A \"temple\"" });
    let shell = rendering_shell("1.0.0")
        .bytes("server/index.js", SCRIPT, RENDER)
        .file("client/social.png", "image/png");
    gateway.publish(&shell.with("socialImage", image));
    gateway.publish(&rendered_section("sound", "1.0.0", "/sound/:x", SOUND));
    gateway.deploy(&json!({ "shell": "1.0.0", "sound": "1.0.0" }));
    let shared = gateway.get("/sound/shared");
    let html = shared.text();
    for tag in [
        "property=\"og:image\" content=\"https://site.example/assets/shell/1.0.0/social.png\"",
        "property=\"og:image:width\" content=\"1200\"",
        "property=\"og:image:height\" content=\"630\"",
        "property=\"og:image:alt\" content=\"A &quot;temple&quot;\"",
        "name=\"twitter:card\" content=\"summary_large_image\"",
    ] {
        let tag = format!("<meta data-head=\"\" {tag}>");
        assert_eq!(html.matches(&tag).count(), 1, "{tag}\n{html}");
    }
    let file = "/assets/shell/1.0.0/social.png";
    assert_eq!(
        shared.boot()["socialImage"],
        json!({ "file": file, "width": 1200, "height": 630, "alt": "A \"temple\"" })
    );
    assert_eq!(gateway.get(file).status, 200);
    let private = gateway.get("/sound/private").text();
    assert!(
        !private.contains("og:") && !private.contains("twitter:card"),
        "{private}"
    );
}

#[test]
fn a_page_that_says_it_is_not_found_is_a_404_without_a_validator() {
    let gateway = rendering_gateway("", "export default { page: () => 'nothing' };");
    let answer = gateway.get("/attack/x");
    assert_eq!(answer.status, 404);
    assert!(!answer.has("etag"));
    assert!(
        !answer.text().contains("/assets/attack/1.0.0/page.js\" integrity"),
        "nothing of it is drawn"
    );
}

#[test]
fn one_path_written_in_two_ways_is_one_page() {
    let gateway = rendering_gateway("", SOUND);
    assert_eq!(gateway.get("/sound/%41").text(), gateway.get("/sound/A").text());
}

#[test]
fn a_deploy_of_one_section_renders_that_section_alone() {
    let gateway = rendering_gateway("", SOUND);
    let before = gateway.get("/sound/x");
    assert!(is_rendered(&gateway.get("/attack/x")));
    gateway.publish(&rendered_section(
        "attack",
        "1.1.0",
        "/attack/:x",
        "export default { page: () => 'the new one' };",
    ));
    gateway.deploy(&json!({ "attack": "1.1.0" }));
    let after = gateway.get("/sound/x");
    assert_ne!(
        before.header("etag"),
        after.header("etag"),
        "the deployment is another"
    );
    assert!(gateway.get("/attack/x").text().contains("the new one"));
    assert_eq!(renders(&gateway, "sound", "rendered"), 1);
    assert_eq!(renders(&gateway, "attack", "rendered"), 2);
}

#[test]
fn a_page_that_many_ask_for_at_once_is_rendered_once() {
    let gateway = rendering_gateway("", SOUND);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert!(is_rendered(&gateway.get("/sound/x"))));
        }
    });
    assert_eq!(renders(&gateway, "sound", "rendered"), 1);
}

#[test]
fn head_answers_as_get_does_and_what_is_unchanged_is_not_sent_again() {
    let gateway = rendering_gateway("", SOUND);
    for coding in ["identity", "gzip", "br"] {
        let ask = |method, tag: &str| {
            let request = Request::new(method, "/sound/x").header("accept-encoding", coding);
            gateway.site.send(request.header("if-none-match", tag))
        };
        let whole = ask("GET", "\"other\"");
        let tag = whole.header("etag");
        assert!(tag.starts_with('"'), "a strong validator: {tag}");
        let head = ask("HEAD", "\"other\"");
        assert_eq!((head.status, head.header("etag"), head.body.len()), (200, tag, 0));
        assert_eq!(head.header("content-length"), whole.body.len().to_string());
        let same = ask("GET", tag);
        assert_eq!((same.status, same.header("etag"), same.body.len()), (304, tag, 0));
        assert_eq!(same.header("vary"), "Accept-Encoding");
    }
}

#[test]
fn a_page_is_rendered_with_the_day_that_its_document_names() {
    const DAY: &str = "export default { page: (path, site) => `<p>${site.today}</p>` };";
    let gateway = rendering_gateway("", DAY);
    let answer = gateway.get("/attack/x");
    let boot = answer.boot();
    let today = boot["site"]["today"].as_str().unwrap();
    assert!(
        answer.text().contains(&format!("<p>{today}</p>")),
        "{}",
        answer.text()
    );
}

#[test]
fn a_document_whose_render_failed_is_kept_by_nobody() {
    let gateway = rendering_gateway(
        "[render]\nfailures = 1000\n",
        "export default { page: () => { throw new Error('x'); } };",
    );
    for count in 1..=3 {
        let answer = gateway.get("/attack/x");
        assert_eq!((answer.status, is_rendered(&answer)), (200, false));
        assert_eq!(answer.header("cache-control"), "no-store");
        assert!(!answer.has("etag"));
        assert!(answer.text().contains("<noscript>"));
        assert_eq!(renders(&gateway, "attack", "threw"), count, "it is tried again");
    }
}

#[test]
fn rendering_is_left_to_the_browser_where_it_is_switched_off() {
    let gateway = rendering_gateway("[render]\nenabled = false\n", SOUND);
    let answer = gateway.get("/sound/x");
    assert!(!is_rendered(&answer));
    assert_eq!(
        answer.header("cache-control"),
        "no-cache",
        "it is as good as it gets"
    );
}

#[test]
fn rendering_is_left_to_the_browser_where_releases_bring_nothing_to_render_with() {
    let gateway = Gateway::start_live("", &[]);
    assert!(!is_rendered(&gateway.get("/")));
    assert_eq!(gateway.get("/nowhere").status, 404);
}

#[test]
fn a_form_that_was_refused_is_rendered_with_its_answer_and_kept_nowhere() {
    const FORM: &str = "export default { page: (path, site, form) => form ? `<p>${form.error} ${form.email}</p>` : '<p>empty</p>' };";
    let signup =
        "[signup]\nbackend = \"http://127.0.0.1:9\"\nkey = { env = \"KEY\" }\naffiliate_subid = \"tag\"\n";
    let gateway = Gateway::start_with(signup, &[("KEY", "the-key")]);
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&rendered_section("signup", "1.0.0", "/signup", FORM));
    gateway.deploy(&json!({ "shell": "1.0.0", "signup": "1.0.0" }));
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded");
    let answer = gateway
        .site
        .send(request.body("email=marked%40example.com&password=short&age=30"));
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(
        answer.text().contains("marked@example.com</p>"),
        "{}",
        answer.text()
    );
    assert!(!answer.text().contains("short"));
    assert!(gateway.get("/signup").text().contains("<p>empty</p>"));
    assert!(!gateway.output().contains("marked"));
}

#[test]
fn a_pages_data_arrives_byte_for_byte() {
    // Keys in an order of their own, and a number that other languages would write differently.
    const SHELL: &str = r#"
export async function render(section, { path }) {
  const data = { zeta: 1e21, alpha: { b: 1, a: 2 }, "</script>": "</script>" };
  return { status: 200, head: { title: path }, view: { kind: "page", data }, html: "<p></p>", readsToday: false };
}
"#;
    let gateway = Gateway::start();
    gateway.publish(&rendering_shell("1.0.0").bytes("server/index.js", SCRIPT, SHELL));
    gateway.publish(&rendered_section("sound", "1.0.0", "/sound/:x", SOUND));
    gateway.deploy(&json!({ "shell": "1.0.0", "sound": "1.0.0" }));
    let html = gateway.get("/sound/x").text();
    let data = r#""data":{"zeta":1e+21,"alpha":{"b":1,"a":2},"\u003c/script>":"\u003c/script>"}"#;
    assert!(html.contains(data), "{html}");
}

#[test]
fn a_page_that_was_not_rendered_is_for_search_engines_only_if_it_is_listed() {
    let gateway = rendering_gateway("[render]\nenabled = false\n", SOUND);
    let listed = json!([{ "pattern": "/sound/:x", "assets": [], "paths": [{ "path": "/sound/listed", "indexable": true }] }]);
    gateway.publish(&rendered_section("sound", "2.0.0", "/sound/:x", SOUND).with("pages", listed));
    gateway.deploy(&json!({ "sound": "2.0.0" }));
    let noindex = "<meta data-head=\"\" name=\"robots\" content=\"noindex\">";
    assert!(!gateway.get("/sound/listed").text().contains(noindex));
    assert!(gateway.get("/sound/other").text().contains(noindex));
}

#[test]
fn modules_that_cannot_be_read_cost_a_page_its_html_for_as_long_as_they_cannot() {
    let gateway = rendering_gateway("", SOUND);
    let module = gateway.store().join("releases/attack/1.0.0/server/index.js");
    let aside = module.with_extension("aside");
    std::fs::rename(&module, &aside).unwrap();
    let answer = gateway.get("/attack/x");
    assert_eq!((answer.status, is_rendered(&answer)), (200, false));
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(renders(&gateway, "attack", "store"), 1);
    std::fs::rename(&aside, &module).unwrap();
    assert!(is_rendered(&gateway.get("/attack/x")));
}

#[test]
fn another_sites_form_post_is_not_worth_a_render() {
    let signup =
        "[signup]\nbackend = \"http://127.0.0.1:9\"\nkey = { env = \"KEY\" }\naffiliate_subid = \"tag\"\n";
    let gateway = Gateway::start_with(signup, &[("KEY", "the-key")]);
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&rendered_section("signup", "1.0.0", "/signup", SOUND));
    gateway.deploy(&json!({ "shell": "1.0.0", "signup": "1.0.0" }));
    let before = renders(&gateway, "signup", "rendered");
    let request = Request::new("POST", "/functions/v1/signup")
        .header("origin", "https://elsewhere.example")
        .header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(gateway.site.send(request.body("email=a%40b.c")).status, 403);
    assert_eq!(renders(&gateway, "signup", "rendered"), before);
}

#[test]
fn what_pages_name_is_there_before_anybody_asks() {
    let gateway = rendering_gateway("", SOUND);
    let composed = || gateway.count("colonnade_documents_composed_total");
    gateway
        .publish(&rendered_section("named", "1.0.0", "/named/:x", SOUND).naming(&["/named/a", "/named/b"]));
    let before = composed();
    gateway.deploy(&json!({ "named": "1.0.0" }));
    until("both are composed", || composed() == before + 2);
    assert!(is_rendered(&gateway.get("/named/a")) && is_rendered(&gateway.get("/named/b")));
    assert_eq!(composed(), before + 2);
    gateway.get("/named/c");
    assert_eq!(composed(), before + 3);
    // Every document names its deployment, so another one makes them all anew.
    gateway.publish(&rendered_section("other", "1.0.0", "/other/:x", SOUND));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    until("both are composed again", || composed() == before + 5);
    assert_eq!(
        renders(&gateway, "named", "rendered"),
        3,
        "no page is rendered anew"
    );
}

#[test]
fn nothing_is_made_ahead_where_that_is_switched_off() {
    let gateway = rendering_gateway("[render]\nwarm = false\n", SOUND);
    gateway
        .publish(&rendered_section("named", "1.0.0", "/named/:x", SOUND).naming(&["/named/a", "/named/b"]));
    gateway.deploy(&json!({ "named": "1.0.0" }));
    // Only the example has been rendered, to see whether it can be.
    assert_eq!(renders(&gateway, "named", "rendered"), 1);
    gateway.get("/named/b");
    assert_eq!(gateway.count("colonnade_documents_composed_total"), 1);
}
