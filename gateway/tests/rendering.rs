//! Rendering on the server: what a release does wrong costs its own page its server HTML, and nobody anything else.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Response, SCRIPT};

/// A shell that renders what a section gives it.
const RENDER: &str = r#"
export async function render(section, { path, page, site }) {
  if (page && !section) throw new Error("the section's module exports none");
  const html = section ? await section.page(path, site) : "no page";
  const head = { title: `${path} & <title>`, description: "d\"d", canonical: path };
  return { status: section && html !== "nothing" ? 200 : 404, head, view: { kind: "page", data: { path } }, html, readsToday: false };
}
"#;

const SOUND: &str = "export default { page: (path) => `<p>page ${path}</p>` };";

/// Rendering as it is when nothing more is said.
const ON: &str = "[render]\nenabled = true\n";

/// Settings under which what fails fails soon.
const SETTINGS: &str = "[render]\nenabled = true\nworkers = 2\ncpu_ms = 200\ndeadline_ms = 3000\nmemory_mib = 16\nfailures = 1000\n";

fn shell(version: &str) -> Release {
    Release::shell(version)
        .bytes("server/index.js", SCRIPT, RENDER)
        .with("modules", json!({ "shell": "server/index.js" }))
}

fn section(name: &str, version: &str, pattern: &str, module: &str) -> Release {
    Release::section(name, version, &[pattern])
        .bytes("server/index.js", SCRIPT, module)
        .with("modules", json!({ "section": "server/index.js" }))
}

/// A gateway with a sound section at `/sound/:x`, and another one at `/attack/:x`.
fn gateway(settings: &str, attack: &str) -> Gateway {
    let gateway = Gateway::start_with(settings, &[]);
    gateway.publish(&shell("1.0.0"));
    gateway.publish(&section("sound", "1.0.0", "/sound/:x", SOUND));
    gateway.publish(&section("attack", "1.0.0", "/attack/:x", attack));
    gateway.deploy(&json!({ "shell": "1.0.0", "sound": "1.0.0", "attack": "1.0.0" }));
    gateway
}

fn is_rendered(answer: &Response) -> bool {
    !answer.text().contains("<div id=\"root\"></div>")
}

#[test]
fn a_document_holds_the_page_its_head_and_what_the_shell_goes_on_from() {
    let gateway = gateway(ON, SOUND);
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
fn a_page_that_says_it_is_not_found_is_a_404_without_a_validator() {
    let gateway = gateway(ON, "export default { page: () => 'nothing' };");
    let answer = gateway.get("/attack/x");
    assert_eq!(answer.status, 404);
    assert!(!answer.has("etag"));
}

#[test]
fn one_path_written_in_two_ways_is_one_page() {
    let gateway = gateway(ON, SOUND);
    assert_eq!(gateway.get("/sound/%41").text(), gateway.get("/sound/A").text());
}

#[test]
fn a_deploy_of_one_section_renders_that_section_alone() {
    const COUNTING: &str = "export default { page: (path) => `<p>${path}</p>` };";
    let gateway = gateway(ON, COUNTING);
    let before = gateway.get("/sound/x");
    gateway.publish(&section("attack", "1.1.0", "/attack/:x", SOUND));
    gateway.deploy(&json!({ "attack": "1.1.0" }));
    let after = gateway.get("/sound/x");
    assert_ne!(
        before.header("etag"),
        after.header("etag"),
        "the deployment is another"
    );
    assert!(gateway.get("/attack/x").text().contains("<p>page /attack/x</p>"));
}

/// What attack sections do, and the cause that is logged.
const ATTACKS: &[(&str, &str, &str)] = &[
    (
        "throws",
        "export default { page: () => { throw new Error('x'); } };",
        "Threw",
    ),
    ("throws while it is loaded", "throw new Error('x');", "Threw"),
    ("is no JavaScript", "export default {", "Threw"),
    ("exports nothing", "export {};", "Threw"),
    ("returns no text", "export default { page: () => ({}) };", "Threw"),
    (
        "never answers",
        "export default { page: () => new Promise(() => {}) };",
        "Threw",
    ),
    ("loops", "export default { page: () => { for (;;); } };", "Time"),
    (
        "loops and catches",
        "export default { page: () => { for (;;) { try { for (;;); } catch {} finally { continue; } } } };",
        "Time",
    ),
    (
        "loops in promises",
        "export default { page: async () => { for (;;) await 0; } };",
        "Time",
    ),
    (
        "takes all memory",
        "export default { page: () => { const kept = []; for (;;) kept.push(new Array(1000).fill(1.5)); } };",
        "Memory",
    ),
    (
        "recurses",
        "export default { page: () => { const f = (n) => f(n + 1) + 1; return f(0); } };",
        "Threw",
    ),
    (
        "imports what is not its own",
        "import 'node:fs'; export default { page: () => 'x' };",
        "Threw",
    ),
    (
        "asks for the time",
        "export default { page: () => String(Date.now()) };",
        "Threw",
    ),
    (
        "asks for chance",
        "export default { page: () => String(Math.random()) };",
        "Threw",
    ),
    (
        "asks for the locale",
        "export default { page: () => (1234.5).toLocaleString() };",
        "Threw",
    ),
];

#[test]
fn whatever_a_section_does_its_document_goes_out_and_others_are_rendered() {
    for (what, module, cause) in ATTACKS {
        let gateway = gateway(SETTINGS, module);
        for _ in 0..2 {
            let answer = gateway.get("/attack/x");
            assert_eq!(answer.status, 200, "{what}");
            assert!(!is_rendered(&answer), "{what}: {}", answer.text());
            assert_eq!(answer.boot().get("view"), None, "{what}");
            assert_eq!(answer.boot()["page"]["section"]["name"], "attack", "{what}");
            let sound = gateway.get("/sound/x");
            assert!(is_rendered(&sound), "{what}: {}", sound.text());
        }
        let failed = gateway.wait_for(|line| line["event"] == "render_failed");
        assert_eq!(
            (&failed["release"], &failed["cause"]),
            (&json!("attack@1.0.0"), &json!(cause)),
            "{what}"
        );
    }
}

#[test]
fn what_the_engine_cannot_interrupt_is_killed_at_the_deadline() {
    const NATIVE: &str =
        "export default { page: () => Array.prototype.indexOf.call({ length: 2 ** 40 }, 99) };";
    let gateway = gateway(
        "[render]\nenabled = true\nworkers = 1\ncpu_ms = 60000\ndeadline_ms = 500\nfailures = 1000\n",
        NATIVE,
    );
    assert!(!is_rendered(&gateway.get("/attack/x")));
    gateway.wait_for(|line| line["event"] == "render_worker_replaced");
    // The only worker there is has been replaced.
    assert!(until_rendered(&gateway, "/sound/x"));
}

/// Asks until a page is rendered; every question is answered.
fn until_rendered(gateway: &Gateway, path: &str) -> bool {
    (0..1000).any(|number| is_rendered(&gateway.get(&format!("{path}{number}"))))
}

#[test]
fn a_section_cannot_poison_what_others_render_with() {
    const POISON: &str = "
        Array.prototype.map = String.prototype.includes = JSON.stringify = () => { throw new Error('poisoned'); };
        globalThis.Promise = null;
        export default { page: () => 'poisoned' };";
    let gateway = gateway("[render]\nenabled = true\nworkers = 1\nfailures = 1000\n", POISON);
    for number in 0..5 {
        gateway.get(&format!("/attack/{number}"));
        let sound = gateway.get(&format!("/sound/{number}"));
        assert!(
            sound.text().contains(&format!("<p>page /sound/{number}</p>")),
            "{}",
            sound.text()
        );
    }
}

#[test]
fn a_section_sees_no_environment_and_no_other_section() {
    const CURIOUS: &str = "export default { page: async () => {
        const names = ['process', 'require', 'std', 'os', 'scriptArgs', 'fetch', 'WebAssembly', 'Worker', '__parseUrl'];
        const there = names.filter((name) => typeof globalThis[name] !== 'undefined' && name !== 'fetch');
        const tried = await Promise.all(['sound', 'os', 'std', 'file:///etc/passwd', './index.js'].map((name) =>
            import(name).then(() => name, () => '')));
        return `<p>${there.join()}|${tried.join('')}</p>`;
    } };";
    let gateway = gateway(ON, CURIOUS);
    let html = gateway.get("/attack/x").text();
    assert!(html.contains("<div id=\"root\"><p>|</p></div>"), "{html}");
}

#[test]
fn a_section_that_fails_again_and_again_is_left_alone_for_a_while() {
    let gateway = gateway(
        "[render]\nenabled = true\nfailures = 3\nrest_seconds = 3600\n",
        "export default { page: () => { throw new Error('x'); } };",
    );
    for number in 0..4 {
        assert!(!is_rendered(&gateway.get(&format!("/attack/{number}"))));
    }
    let resting = gateway.wait_for(|line| line["event"] == "render_failed" && line["rests"] == true);
    assert_eq!(resting["count"], 3);
    assert!(is_rendered(&gateway.get("/sound/x")));
    let again = gateway.get("/attack/5");
    assert_eq!((again.status, is_rendered(&again)), (200, false));
}

#[test]
fn a_deployment_whose_example_page_cannot_be_rendered_is_refused() {
    let gateway = gateway(ON, SOUND);
    let pages = json!([{ "pattern": "/attack/:x", "assets": [], "paths": [{ "path": "/attack/example", "indexable": true }] }]);
    let broken = section(
        "attack",
        "2.0.0",
        "/attack/:x",
        "export default { page: (path) => { throw new Error(`${path} is broken`); } };",
    )
    .with("pages", pages);
    gateway.publish(&broken);
    let answer = gateway.post_deployment(&json!({ "releases": { "attack": "2.0.0" } }));
    assert_eq!(answer.status, 422);
    assert_eq!(
        answer.json()["problems"],
        json!([
            "the page /attack/:x of attack@2.0.0 cannot be rendered at /attack/example: /attack/example is broken"
        ])
    );
    let live: Value = gateway.get("/attack/x").boot()["deployment"].clone();
    assert_eq!(live, 1);
}

#[test]
fn pages_are_rendered_unless_that_is_switched_off() {
    assert!(is_rendered(&gateway("", SOUND).get("/sound/x")));
    let off = gateway("[render]\nenabled = false\n", SOUND);
    assert!(!is_rendered(&off.get("/sound/x")));
}
