//! Server-rendered extensions: each is rendered on its own, and a document without those that fail is complete.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::preview::{create_preview_of, viewer};
use crate::support::workers::{ticks, workers};
use crate::support::{
    Browser, Gateway, QueryUpstream, Release, Request, Response, STYLE, extending_section, extensible_shell,
    rendered_section, rollout_cookie, wait_until,
};

/// The point of the pages of `page`.
const ASIDE: &str = "page/aside@1";

/// The page at `/page/:key` passes the first letter of the key.
const PAGE: &str = r#"export default { page: (key) => ({
  html: `<p>${key}</p><div data-extension-point="page/aside@1"></div><div data-extension-point="page/aside@1"></div>`,
  points: { 'page/aside@1': { key: key[0] }, 'shell/banner@1': {}, 'other/aside@1': {}, nonsense: {} },
}) };"#;

/// An extension that shows its props.
const SHOWS: &str =
    "{ show: (props) => ({ extension: { html: JSON.stringify(props), data: props }, readsToday: false }) }";

fn page(module: &str) -> Release {
    rendered_section("page", "1.0.0", "/page/:key", module).opens("page/aside", 1, 16)
}

fn extension(name: &str, module: &str) -> Release {
    extending_section(name, "1.0.0", ASIDE, module)
}

/// Deploys a page with a point and these sections.
fn deploy(gateway: &Gateway, page: Release, sections: &[Release]) {
    let releases = [&[extensible_shell(), page], sections].concat();
    let mut named = json!({});
    for release in &releases {
        gateway.publish(release);
        named[&release.name] = json!(release.version);
    }
    gateway.deploy(&named);
}

/// A gateway that renders nothing, with a page with a point and these sections: a trial render would reject extensions that fail.
fn deployed(page: Release, sections: &[Release]) -> Gateway {
    let gateway = Gateway::start_with("[render]\nenabled = false\n", &[]);
    deploy(&gateway, page, sections);
    gateway
}

/// A gateway that has rendered nothing of these sections, and does so only for visitors.
fn untried(settings: &str, page: Release, sections: &[Release]) -> Gateway {
    let settings = settings.replace("[render]\n", "[render]\nwarm_cache = false\n");
    deployed(page, sections).start_another_with(&settings)
}

fn count(gateway: &Gateway, section: &str, outcome: &str) -> u64 {
    gateway.metric(&format!(
        "colonnade_renders_total{{section=\"{section}\",extension_point=\"{ASIDE}\",outcome=\"{outcome}\"}}"
    ))
}

fn misses(gateway: &Gateway) -> u64 {
    gateway.metric("colonnade_document_cache_misses_total")
}

/// What a document has in the places of the points of its page, as HTML.
fn aside(document: &Response) -> String {
    let text = document.text();
    let (_, rest) = text
        .split_once("<div data-extension-point=\"page/aside@1\">")
        .unwrap();
    let (inside, _) = rest
        .split_once("</div><div data-extension-point=\"page/aside@1\"></div></div><script")
        .unwrap_or_else(|| panic!("one place is filled: {text}"));
    inside.to_owned()
}

/// The extensions of the page in the boot payload, those that the document leaves out, or the others.
fn of_page(document: &Response, is_left_out: bool) -> Vec<Value> {
    let list = document.boot()["page"]["extensions"][ASIDE].clone();
    let mut list = list.as_array().expect("a list of extensions").clone();
    list.retain(|extension| (extension["leftOut"] == true) == is_left_out);
    list
}

/// The names of the sections of extensions in the document, with their data.
fn listed(document: &Response) -> Value {
    let named = |extension: &Value| json!([extension["section"]["name"], extension["data"]]);
    of_page(document, false).iter().map(named).collect()
}

/// The names of the sections of extensions that the document leaves out.
fn left_out(document: &Response) -> Vec<String> {
    let list = of_page(document, true);
    let names = list.iter().map(|extension| extension["section"]["name"].as_str());
    names.map(|name| name.unwrap().to_owned()).collect()
}

/// Name, extension and counted outcome of each attack.
const ATTACKS: &[(&str, &str, &str)] = &[
    ("throws", "{ show() { throw new Error('x'); } }", "exception"),
    ("loops", "{ show() { for (;;); } }", "cpu_limit"),
    (
        "allocates",
        "{ show() { const list = []; for (;;) list.push(new Array(1000).fill(1.5)); } }",
        "memory_limit",
    ),
    (
        "never-settles",
        "{ show: () => new Promise(() => {}) }",
        "exception",
    ),
    ("is-missing", "null", "exception"),
    (
        "returns-open-html",
        "{ show: () => ({ extension: { html: '<textarea>', data: {} }, readsToday: false }) }",
        "exception",
    ),
    (
        "returns-no-text",
        "{ show: () => ({ extension: { html: 5, data: {} }, readsToday: false }) }",
        "exception",
    ),
    (
        "returns-a-page",
        "{ show: () => ({ status: 200, head: { title: '' }, view: {}, html: 'a page', readsToday: false }) }",
        "exception",
    ),
    (
        "returns-too-much",
        "{ show: () => ({ extension: { html: 'x'.repeat(300_000), data: {} }, readsToday: false }) }",
        "memory_limit",
    ),
    (
        "queries-elsewhere",
        "{ queries: () => ({ a: 'https://evil.example/api/x' }) }",
        "exception",
    ),
    (
        "queries-without-end",
        "{ show: () => ({ queries: {}, readsToday: false }), queries: () => ({}) }",
        "exception",
    ),
];

/// Extensions that are shown beside them. One changes the globals of its engine, and one makes a place for others.
const SHOWN: &[(&str, &str)] = &[
    ("a-first", SHOWS),
    (
        "modifies-globals",
        "(Array.prototype.map = JSON.stringify = null, globalThis.Promise = null, { show: () => \
          ({ extension: { html: 'modified', data: 1 }, readsToday: false }) })",
    ),
    (
        "makes-a-place",
        "{ show: () => ({ extension: { html: '<div data-extension-point=\"shell/banner@1\"></div>', data: 2 }, readsToday: false }) }",
    ),
    (
        "shows-nothing",
        "{ show: () => ({ extension: null, readsToday: false }) }",
    ),
    ("z-last", SHOWS),
];

#[test]
fn failing_extension_is_left_out_of_its_page() {
    // An extension has a fifth of the time: 200 ms of CPU time, and 12 s.
    let settings = "[render]\nworkers = 2\ncpu_limit_ms = 1000\ndeadline_ms = 60000\nmemory_limit_mib = 16\n\
                    breaker_failure_threshold = 1000\n";
    let attacks = ATTACKS.iter().map(|(name, module, _)| extension(name, module));
    let shown = SHOWN.iter().map(|(name, module)| extension(name, module));
    let banner = extending_section("banner", "1.0.0", "shell/banner@1", SHOWS);
    let sections: Vec<_> = attacks.chain(shown).chain([banner]).collect();
    let gateway = untried(settings, page(PAGE), &sections);
    for (number, key) in [(0, "texas"), (1, "tonga")] {
        let document = gateway.get(&format!("/page/{key}"));
        let part = |(name, html): (&str, &str)| format!("<div data-extension=\"{name}\">{html}</div>");
        let parts = [
            ("a-first", "{\"key\":\"t\"}"),
            (
                "makes-a-place",
                "<div data-extension-point=\"shell/banner@1\"></div>",
            ),
            ("modifies-globals", "modified"),
            ("z-last", "{\"key\":\"t\"}"),
        ];
        assert_eq!(aside(&document), parts.map(part).concat());
        let data = json!([
            ["a-first", { "key": "t" }], ["makes-a-place", 2], ["modifies-globals", 1], ["z-last", { "key": "t" }],
        ]);
        assert_eq!(listed(&document), data);
        // The browser shows these with other props, and on later pages.
        let mut names: Vec<_> = ATTACKS.iter().map(|(name, ..)| *name).collect();
        names.push("shows-nothing");
        names.sort_unstable();
        assert_eq!(left_out(&document), names);
        // The browser shows that of the shell on pages that have a place for it.
        let banner = &document.boot()["extensions"]["shell/banner@1"][0];
        assert_eq!(
            (
                &banner["section"]["name"],
                banner.get("data"),
                banner.get("leftOut")
            ),
            (&json!("banner"), None, None)
        );
        // The first one does not wait until those that loop have failed.
        let caching = ["no-store, no-transform", "no-cache, no-transform"][number];
        assert_eq!(document.header("cache-control"), caching);
        for (name, _, outcome) in ATTACKS {
            wait_until("it has failed", || count(&gateway, name, outcome) == 1);
            // Nothing renders it again with the same props.
            let again = count(&gateway, name, "circuit_open");
            assert_eq!(again, u64::try_from(number).unwrap(), "{name}");
        }
    }
    // Pages that pass the same props share what was rendered.
    for (name, _) in SHOWN {
        assert_eq!(count(&gateway, name, "rendered"), 1, "{name}");
    }
    let failed =
        gateway.wait_for_event(|line| line["event"] == "render_failed" && line["release"] == "throws@1.0.0");
    assert_eq!(failed["extension_point"], ASIDE);
    let errors = gateway.admin_get("/api/v1/sections/throws/errors");
    let error = &errors["errors"][0];
    assert_eq!(
        (&error["page"], &error["extensionPoint"], &error["count"]),
        (&Value::Null, &json!(ASIDE), &json!(1))
    );
    let of_page = gateway.admin_get("/api/v1/sections/page/errors");
    assert_eq!(of_page["errors"], json!([]));
}

/// Takes minutes in a single call of the engine's own code, which does not look at the clock.
const NATIVE: &str = "{ show: () => Array.prototype.reverse.call({ length: 2 ** 31 }) }";

#[test]
fn no_document_waits_for_memory_or_native_code() {
    for (module, sections, cpu_limit_ms, outcome) in [
        // Its memory is full long before the engine looks at the clock.
        (ATTACKS[2].1, ["allocates"].as_slice(), 10_000, "memory_limit"),
        // No document waits for the worker that replaces the one with the first of them.
        (NATIVE, &["native-1", "native-2"], 500, "cpu_limit"),
    ] {
        let settings = format!(
            "[render]\nworkers = 1\ncpu_limit_ms = {cpu_limit_ms}\ndeadline_ms = 300000\nmemory_limit_mib = 16\n"
        );
        let extensions: Vec<_> = sections.iter().map(|name| extension(name, module)).collect();
        let gateway = untried(&settings, page(PAGE), &extensions);
        let document = gateway.get("/page/a");
        assert_eq!((aside(&document), listed(&document)), (String::new(), json!([])));
        let postponed: u64 = sections
            .iter()
            .map(|name| count(&gateway, name, "postponed"))
            .sum();
        assert_eq!(postponed, 1, "{outcome}");
        for name in sections {
            wait_until("it has failed", || count(&gateway, name, outcome) == 1);
        }
    }
}

#[test]
fn extensions_are_tried_before_the_first_request() {
    const ASKS: &str = "{ queries: () => ({ item: '/api/x/now' }), show: (props, { results: { item } }) => \
        ({ extension: { html: `${item.value}`, data: {} }, readsToday: false }) }";
    let upstream = QueryUpstream::start();
    upstream.respond("/now", "max-age=1000", "1");
    let settings = format!(
        "[render]\nworkers = 2\ndeadline_ms = 60000\nbreaker_open_seconds = 3600\n{}",
        upstream.table()
    );
    let [throws, loops, ..] = ATTACKS else {
        unreachable!()
    };
    let broken = [throws, loops];
    let sections = broken.map(|(name, module, _)| extension(name, module));
    let other = deployed(
        page(PAGE),
        &[&sections, [extension("asks", ASKS)].as_slice()].concat(),
    );
    let gateway = other.start_another_with(&settings);
    let tried = |name: &str, outcome: &str, times: u64| {
        wait_until("it is tried", || count(&gateway, name, outcome) == times);
    };
    for (name, _, outcome) in broken {
        tried(name, outcome, 1);
    }
    tried("asks", "rendered", 1);
    // What another gateway deploys is tried, too, and what is known is not.
    other.publish(&extension("shows", SHOWS));
    other.deploy(&json!({ "shows": "1.0.0" }));
    tried("shows", "rendered", 1);
    tried("asks", "rendered", 1);
    let document = gateway.get("/page/a");
    assert_eq!(
        listed(&document),
        json!([["asks", {}], ["shows", { "key": "a" }]])
    );
    // No document waits for one that has not been rendered yet, except that of a preview.
    for (name, ..) in broken {
        assert_eq!(count(&gateway, name, "postponed"), 1, "{name}");
    }
    other.publish(&extending_section("shows", "2.0.0", ASIDE, SHOWS));
    let preview = create_preview_of(&other, &json!({ "shows": "2.0.0" }));
    let document = viewer(&gateway, &preview).get("/page/b");
    assert_eq!(
        listed(&document),
        json!([["asks", {}], ["shows", { "key": "b" }]])
    );
}

#[test]
fn extensions_that_loop_delay_no_first_try_of_others() {
    // An extension has 20 s of CPU time.
    let settings = "[render]\nworkers = 2\ndeadline_ms = 300000\ncpu_limit_ms = 100000\n";
    let loops = ["a-loops", "b-loops"];
    let sections = loops.map(|name| extension(name, ATTACKS[1].1));
    let sections = [&sections, [extension("shows", SHOWS)].as_slice()].concat();
    let gateway = deployed(page(PAGE), &sections).start_another_with(settings);
    wait_until("it is tried", || count(&gateway, "shows", "rendered") == 1);
    assert_eq!(
        listed(&gateway.get("/page/a")),
        json!([["shows", { "key": "a" }]])
    );
    assert_eq!(loops.map(|name| count(&gateway, name, "cpu_limit")), [0, 0]);
}

#[test]
fn point_without_place_lists_its_extensions() {
    const TABS: &str =
        "export default { page: () => ({ html: '<p>The first of two tabs</p>', points: {} }) };";
    let gateway = Gateway::start_with("", &[]);
    deploy(&gateway, page(TABS), &[extension("shows", SHOWS)]);
    let document = gateway.get("/page/a");
    assert_eq!(listed(&document), json!([["shows", null]]));
}

#[test]
fn slow_extension_is_shown_once_it_is_rendered() {
    const SLOW: &str = "{ show({ key }) { let n = 0; for (let i = 0; i < (key === 'a' ? 1e7 : 3e6); i++) n += i; \
        return { extension: { html: 'slow', data: n }, readsToday: false }; } }";
    let settings = "[render]\nworkers = 1\ncpu_limit_ms = 300000\ndeadline_ms = 300000\n";
    let gateway = untried(settings, page(PAGE), &[extension("slow", SLOW)]);
    let document = gateway.get("/page/a");
    assert_eq!((aside(&document), listed(&document)), (String::new(), json!([])));
    assert_eq!(document.header("cache-control"), "no-store, no-transform");
    assert_eq!(count(&gateway, "slow", "postponed"), 1);
    wait_until("it is rendered", || count(&gateway, "slow", "rendered") == 1);
    // Documents wait for it as long as it took.
    for path in ["/page/a", "/page/b"] {
        let document = gateway.get(path);
        assert_eq!(aside(&document), "<div data-extension=\"slow\">slow</div>");
        assert_eq!(document.header("cache-control"), "no-cache, no-transform");
    }
    let errors = gateway.admin_get("/api/v1/sections/slow/errors");
    assert_eq!(errors["errors"], json!([]));
}

#[test]
fn document_is_cached_while_circuit_of_extension_is_open() {
    let settings =
        "[render]\ndeadline_ms = 60000\nbreaker_failure_threshold = 1\nbreaker_open_seconds = 3600\n";
    let sections = [extension("throws", ATTACKS[0].1), extension("shows", SHOWS)];
    let gateway = untried(settings, page(PAGE), &sections);
    for key in ["a", "b"] {
        let path = format!("/page/{key}");
        let first = gateway.get(&path);
        assert_eq!(first.header("cache-control"), "no-cache, no-transform");
        assert_eq!(listed(&first), json!([["shows", { "key": key }]]));
        let composed = misses(&gateway);
        assert_eq!(gateway.get(&path).text(), first.text());
        assert_eq!(misses(&gateway), composed);
    }
    assert_eq!(count(&gateway, "throws", "exception"), 1);
    let is_open =
        |labels: &str| gateway.metric(&format!("colonnade_render_circuit_open{{section={labels}}}"));
    assert_eq!(is_open(&format!("\"throws\",extension_point=\"{ASIDE}\"")), 1);
}

/// Fails with keys after `m`.
const FAILS_AFTER_M: &str = "{ show({ key }) { if (key > 'm') throw new Error('x'); \
    return { extension: { html: key, data: key }, readsToday: false }; } }";

#[test]
fn failure_with_some_props_costs_no_others() {
    let settings =
        "[render]\ndeadline_ms = 60000\nbreaker_failure_threshold = 2\nbreaker_open_seconds = 3600\n";
    let gateway = untried(settings, page(PAGE), &[extension("fails", FAILS_AFTER_M)]);
    let shown = |path: &str| {
        let document = gateway.get(path);
        assert_eq!(
            document.header("cache-control"),
            "no-cache, no-transform",
            "{path}"
        );
        listed(&document)
    };
    let rendered = |key: &str| json!([["fails", key]]);
    for path in ["/page/x1", "/page/x2", "/page/x3"] {
        assert_eq!(shown(path), json!([]));
    }
    assert_eq!(shown("/page/a"), rendered("a"));
    assert_eq!([shown("/page/x4"), shown("/page/y")], [json!([]), json!([])]);
    assert_eq!(shown("/page/b"), rendered("b"));
    let outcomes = ["exception", "circuit_open", "rendered"];
    assert_eq!(
        outcomes.map(|outcome| count(&gateway, "fails", outcome)),
        [2, 3, 2]
    );
}

/// Loops with keys after `m`.
const LOOPS_AFTER_M: &str = "{ show({ key }) { while (key > 'm'); \
    return { extension: { html: key, data: key }, readsToday: false }; } }";

#[test]
fn extension_that_loops_is_rendered_once_for_many_pages() {
    // An extension has 500 ms of CPU time.
    let settings =
        "[render]\nworkers = 2\ncpu_limit_ms = 2500\ndeadline_ms = 60000\nbreaker_open_seconds = 3600\n";
    let gateway = untried(settings, page(PAGE), &[extension("loops", LOOPS_AFTER_M)]);
    let visit = |key: &str, number: u64| gateway.get(&format!("/page/{key}{number}"));
    let counts = || ["postponed", "cpu_limit"].map(|outcome| count(&gateway, "loops", outcome));
    for number in 1..=5 {
        assert_eq!(listed(&visit("x", number)), json!([]));
        assert_eq!(counts(), [number, 0]);
    }
    // A job of other props is behind those of the first.
    let mut visits = 0..;
    wait_until("it has failed", || {
        visit("y", visits.next().unwrap());
        count(&gateway, "loops", "circuit_open") > 0
    });
    assert_eq!(counts()[1], 2);
}

#[test]
fn no_visitor_waits_for_extension_that_is_suspect() {
    const QUERIES: &str = "queries: () => ({ item: '/api/x/now' }), show(";
    const LOOPING_QUERIES: &str = "queries: ({ key }) => { while (key > 'm'); return { item: '/api/x/now' }; }, \
        show: ({ key }) => ({ extension: { html: key, data: key }, readsToday: false }) }";
    let upstream = QueryUpstream::start();
    upstream.respond("/now", "max-age=1000", "1");
    let settings = format!(
        "[render]\nworkers = 2\ndeadline_ms = 60000\nbreaker_open_seconds = 3600\n{}",
        upstream.table()
    );
    // It uses up its CPU time once: for its content, or for its queries.
    for (module, job, jobs) in [
        (LOOPS_AFTER_M.to_owned(), "rendered", 1),
        (LOOPS_AFTER_M.replace("show(", QUERIES), "queries", 2),
        (format!("{{ {LOOPING_QUERIES}"), "queries", 1),
    ] {
        let gateway = untried(&settings, page(PAGE), &[extension("fails", &module)]);
        for (path, postponed) in [("/page/x", 1), ("/page/a", 2)] {
            let document = gateway.get(path);
            assert_eq!((aside(&document), listed(&document)), (String::new(), json!([])));
            assert_eq!(document.header("cache-control"), "no-store, no-transform");
            assert_eq!(count(&gateway, "fails", "postponed"), postponed);
            wait_until("it has failed", || count(&gateway, "fails", "cpu_limit") == 1);
        }
        wait_until("the job succeeds", || count(&gateway, "fails", job) == jobs);
        for key in ["a", "b"] {
            let document = gateway.get(&format!("/page/{key}"));
            assert_eq!(listed(&document), json!([["fails", key]]));
        }
        assert_eq!(count(&gateway, "fails", "deadline_exceeded"), 0);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn looping_extension_takes_no_neighbor_from_documents() {
    const ASKS: &str = "{ queries: () => ({ item: '/api/x/now' }), show: () => \
        ({ extension: { html: 'asks', data: {} }, readsToday: false }) }";
    let upstream = QueryUpstream::start();
    upstream.respond("/now", "max-age=1000", "1");
    // An extension has a minute of CPU time.
    let settings = format!(
        "[render]\nworkers = 2\ndeadline_ms = 300000\ncpu_limit_ms = 300000\nbreaker_open_seconds = 3600\n{}",
        upstream.table()
    );
    let sections = [
        extension("asks", ASKS),
        extension("loops", ATTACKS[1].1),
        extension("loops-later", LOOPS_AFTER_M),
        extension("shows", SHOWS),
    ];
    let gateway = untried(&settings, page(PAGE), &sections);
    let visit = |key: &str| {
        let document = gateway.get(&format!("/page/{key}"));
        let is_shown = |section: &Value| section[0] != "loops-later";
        let shown = listed(&document).as_array().unwrap().clone();
        let neighbors: Vec<_> = shown.into_iter().filter(is_shown).collect();
        assert_eq!(json!(neighbors), json!([["asks", {}], ["shows", { "key": key }]]));
        left_out(&document)
    };
    // Each document goes out while an extension of it loops.
    assert_eq!(visit("a"), ["loops"]);
    for key in ["x", "y", "z"] {
        assert_eq!(visit(key), ["loops", "loops-later"]);
    }
    assert_eq!(visit("b").first().unwrap(), "loops");
    let outcomes = ["postponed", "cpu_limit", "deadline_exceeded", "queue_full"];
    for (name, postponed) in [("loops", 5), ("loops-later", 3)] {
        let counts = outcomes.map(|outcome| count(&gateway, name, outcome));
        assert_eq!(counts[1..], [0; 3], "{name}");
        assert!(counts[0] >= postponed, "{name}: {counts:?}");
    }
    // One worker is busy with them, for the next documents.
    let used = || workers(&gateway).into_iter().map(ticks).collect::<Vec<_>>();
    let before = used();
    let since = || used().into_iter().zip(&before).map(|(now, before)| now - before);
    wait_until("a worker loops", || since().any(|used| used > 50));
    assert_eq!(since().filter(|used| *used > 25).count(), 1);
    for name in ["asks", "shows"] {
        for outcome in outcomes {
            assert_eq!(count(&gateway, name, outcome), 0, "{name}: {outcome}");
        }
        let errors = gateway.admin_get(&format!("/api/v1/sections/{name}/errors"));
        assert_eq!(errors["errors"], json!([]));
    }
}

#[test]
fn deploy_of_extension_renders_no_page_again() {
    let gateway = Gateway::start_with("", &[]);
    deploy(&gateway, page(PAGE), &[extension("shows", SHOWS)]);
    let before = gateway.get("/page/a");
    assert_eq!(
        aside(&before),
        "<div data-extension=\"shows\">{\"key\":\"a\"}</div>"
    );
    let links = |document: &Response| {
        let text = document.text();
        text.matches("data-part=\"page/aside@1 shows\"").count()
    };
    assert_eq!(links(&before), 1);
    let rendered = || gateway.metric("colonnade_renders_total{section=\"page\",outcome=\"rendered\"}");
    let pages = rendered();
    let reads_today =
        "{ show: (_, { site }) => ({ extension: { html: site.today, data: {} }, readsToday: true }) }";
    gateway.publish(&extending_section("shows", "2.0.0", ASIDE, reads_today));
    gateway.deploy(&json!({ "shows": "2.0.0" }));
    let after = gateway.get("/page/a");
    // A day may end between two documents.
    let today = after.boot()["site"]["today"].clone();
    let html = format!("<div data-extension=\"shows\">{}</div>", today.as_str().unwrap());
    assert_eq!(aside(&after), html);
    // Each release is rendered for its deploy, and for the page.
    assert_eq!((count(&gateway, "shows", "rendered"), rendered()), (4, pages));
    // Its modules are only for the browser: nothing to hydrate, but something to load.
    gateway.publish(&Release::section("shows", "3.0.0", &["/shows"]).fills(ASIDE, 0));
    gateway.deploy(&json!({ "shows": "3.0.0" }));
    let document = gateway.get("/page/a");
    assert_eq!((aside(&document), links(&document)), (String::new(), 0));
    assert_eq!(listed(&document), json!([["shows", null]]));
    assert_eq!(document.header("cache-control"), "no-cache, no-transform");
}

#[test]
fn fifty_extensions_of_a_point_cost_as_much_as_max() {
    let gateway = Gateway::start_with("", &[]);
    let names: Vec<String> = (0..50).map(|number| format!("s{number:02}")).collect();
    let sections: Vec<_> = names.iter().map(|name| extension(name, SHOWS)).collect();
    let opens = rendered_section("page", "1.0.0", "/page/:key", PAGE).opens("page/aside", 1, 4);
    deploy(&gateway, opens, &sections[..4]);
    let renders = || -> u64 {
        let metrics = gateway.admin.get("/metrics");
        let text = metrics.text();
        let of_point = text.lines().filter(|line| {
            line.starts_with("colonnade_renders_total{")
                && line.contains(&format!("extension_point=\"{ASIDE}\""))
        });
        of_point
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap())
            .sum()
    };
    let visit = |path: &str| {
        let before = renders();
        let document = gateway.get(path);
        let data = listed(&document);
        (
            document.text().len(),
            renders() - before,
            data.as_array().unwrap().len(),
        )
    };
    let of_four = visit("/page/a");
    assert_eq!((of_four.1, of_four.2), (4, 4));
    for section in &sections[4..] {
        gateway.publish(section);
    }
    gateway.deploy(
        &names[4..]
            .iter()
            .map(|name| (name.clone(), json!("1.0.0")))
            .collect(),
    );
    assert_eq!(visit("/page/b"), of_four);
}

#[test]
fn stylesheets_of_extensions_are_inlined_if_small() {
    let styled = |name: &str, css: &str| {
        let file = format!("client/{name}.css");
        let mut release = extension(name, SHOWS).bytes(&file, STYLE, css);
        release.fields["extensions"][0]["assets"] = json!([file]);
        release
    };
    let (large, small) = (".large_a{color:red}".repeat(1000), ".small_a{color:red}");
    let sections = [
        styled("large", &large),
        // Its stylesheet has the name of the page's.
        extension("other", SHOWS),
        styled("small", small),
    ];
    let gateway = Gateway::start_with("", &[]);
    deploy(&gateway, page(PAGE), &sections);
    let document = gateway.get("/page/a");
    let text = document.text();
    for linked in ["large/1.0.0/large", "other/1.0.0/page"] {
        let link = format!("<link rel=\"stylesheet\" href=\"/assets/{linked}.css\"");
        assert!(text.contains(&link), "{linked}: {text}");
    }
    let inlined = format!("<style data-href=\"small.css\" data-part=\"page/aside@1 small\">{small}</style>");
    assert!(text.contains(&inlined), "{text}");
    let hash = format!("'sha256-{}'", STANDARD.encode(Sha256::digest(small)));
    let policy = document.header("content-security-policy");
    assert!(policy.contains(&hash), "{policy}");
}

#[test]
fn document_is_as_fresh_as_results_of_its_extensions() {
    const FRESH: &str = "max-age=1000, stale-while-revalidate=1000";
    const EVENTS: &str = "{ queries: ({ key }) => ({ item: `/api/x/${key}` }), show: (props, { results: { item } }) => \
        ({ extension: { html: `${item.value ?? item.status}`, data: {} }, readsToday: false }) }";
    let upstream = QueryUpstream::start();
    for key in ["a", "b"] {
        upstream.respond(&format!("/{key}"), FRESH, "1");
    }
    let settings = format!("[render]\ndeadline_ms = 60000\n{}", upstream.table());
    let gateway = Gateway::start_with(&settings, &[]);
    deploy(&gateway, page(PAGE), &[extension("events", EVENTS)]);
    let shown = |path: &str| {
        let document = gateway.get(path);
        let html = aside(&document).replace("<div data-extension=\"events\">", "");
        (
            html.replace("</div>", ""),
            document.header("cache-control").to_owned(),
        )
    };
    let [cached, once] = ["no-cache, no-transform", "no-store, no-transform"];
    let expected = |value: &str, caching: &str| (value.to_owned(), caching.to_owned());
    assert_eq!(shown("/page/a"), expected("1", cached));
    assert_eq!(shown("/page/b"), expected("1", cached));
    upstream.respond("/a", FRESH, "2");
    assert_eq!(shown("/page/a"), expected("1", cached));
    let purge = |prefix: &str| gateway.admin_change("/api/v1/upstreams/purge", &json!({ "prefix": prefix }));
    let composed = misses(&gateway);
    purge("/api/x/a");
    assert_eq!(shown("/page/a"), expected("2", cached));
    assert_eq!(shown("/page/b"), expected("1", cached));
    assert_eq!(misses(&gateway), composed + 1);
    // One for the trial render of the deploy.
    assert_eq!(upstream.received().len(), 1 + 3);
    // A failed or late query is a result for the extension.
    assert_eq!(shown("/page/missing"), expected("404", once));
    upstream.hold();
    purge("/api/x/a");
    assert_eq!(shown("/page/a"), expected("504", once));
    upstream.release();
    wait_until("the late result is cached", || {
        shown("/page/a") == expected("2", cached)
    });
}

#[test]
fn failing_extension_is_not_tried_with_other_results() {
    const THROWS: &str = "{ queries: () => ({ item: '/api/x/now' }), show() { throw new Error('x'); } }";
    let upstream = QueryUpstream::start();
    let settings = format!(
        "[render]\ndeadline_ms = 60000\nbreaker_open_seconds = 3600\n{}",
        upstream.table()
    );
    let gateway = untried(&settings, page(PAGE), &[extension("throws", THROWS)]);
    for (number, path) in ["/page/a1", "/page/a2", "/page/a3"].into_iter().enumerate() {
        upstream.respond("/now", "no-store", &number.to_string());
        let document = gateway.get(path);
        assert_eq!(listed(&document), json!([]));
        assert_eq!(
            document.header("cache-control"),
            "no-cache, no-transform",
            "{path}"
        );
    }
    let outcomes = ["exception", "circuit_open"].map(|outcome| count(&gateway, "throws", outcome));
    assert_eq!((outcomes, upstream.received().len()), ([1, 2], 1));
}

#[test]
fn no_view_waits_again_for_late_query_of_extension() {
    const SHOWS_NOW: &str = "{ queries: () => ({ item: '/api/x/now' }), show: (props, { results: { item } }) => \
        ({ extension: { html: `${item.value ?? item.status}`, data: {} }, readsToday: false }) }";
    let upstream = QueryUpstream::start();
    upstream.respond("/now", "no-store", "1");
    let settings = format!(
        "[render]\ndeadline_ms = 60000\nbreaker_open_seconds = 3600\n{}",
        upstream.table()
    );
    let gateway = untried(&settings, page(PAGE), &[extension("events", SHOWS_NOW)]);
    let shown = |path: &str| {
        let document = gateway.get(path);
        (aside(&document), document.header("cache-control").to_owned())
    };
    let expected = |value: &str, caching: &str| {
        let html = format!("<div data-extension=\"events\">{value}</div>");
        (html, format!("{caching}, no-transform"))
    };
    upstream.hold();
    assert_eq!(shown("/page/a1"), expected("504", "no-store"));
    upstream.release();
    assert_eq!(shown("/page/a2"), expected("504", "no-store"));
    assert_eq!(upstream.received().len(), 1);
    assert_eq!(shown("/page/b"), expected("1", "no-cache"), "other props");
}

#[test]
fn listed_errors_of_extension_are_those_of_its_log() {
    let mut page = page(PAGE);
    page.fields["pages"][0]["paths"] = json!([{ "path": "/page/a", "indexable": false }]);
    let gateway = deployed(page, &[extension("throws", ATTACKS[0].1)])
        .start_another_with("[render]\ndeadline_ms = 60000\n");
    let listed = || gateway.admin_get("/api/v1/extensions")[0]["errors"].take();
    // With the example of its point, and for the listed path.
    wait_until("the document cache is warm", || {
        count(&gateway, "throws", "exception") >= 2
    });
    assert_eq!(listed(), json!(0), "no visitor requested it");
    gateway.get("/page/b");
    wait_until("the visitor's render fails", || listed() != json!(0));
    assert_eq!(listed(), json!(1));
}

#[test]
fn extensions_never_get_what_a_visitor_typed() {
    const FORM: &str = r#"export default { page: (key, form) => ({
      html: `<p>${form ? form.values.email : ''}</p><div data-extension-point="page/aside@1"></div><div data-extension-point="page/aside@1"></div>`,
      points: { 'page/aside@1': { email: form ? form.values.email : '' } },
    }) };"#;
    let signup = "[signup]\nbackend = \"http://127.0.0.1:9\"\nbackend_api_key = { env = \"KEY\" }\naffiliate_subid = \"tag\"\n";
    let gateway = Gateway::start_with(signup, &[("KEY", "the-key")]);
    let form = rendered_section("page", "1.0.0", "/signup", FORM).opens("page/aside", 1, 16);
    let banner = extending_section("banner", "1.0.0", "shell/banner@1", SHOWS);
    deploy(&gateway, form, &[extension("shows", SHOWS), banner]);
    let request = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded");
    let request = request.body("email=secret%40example.com&password=short&age=30");
    let response = gateway.site.send(request);
    assert_eq!(response.status, 422, "{}", response.text());
    assert!(response.text().contains("<p>secret@example.com</p>"));
    assert_eq!(
        aside(&response),
        "<div data-extension=\"shows\">{\"email\":\"\"}</div>"
    );
    // One is the trial render of the deploy.
    assert_eq!(count(&gateway, "shows", "rendered"), 1 + 1);
    // The not-found page has the points of the shell.
    let not_found = gateway.get("/nowhere");
    assert!(
        not_found
            .text()
            .contains("<div data-extension=\"banner\">{}</div>"),
        "{}",
        not_found.text()
    );
    let of_shell = &not_found.boot()["extensions"]["shell/banner@1"][0];
    assert_eq!(
        (&of_shell["section"]["name"], &of_shell["data"]),
        (&json!("banner"), &json!({}))
    );
}

#[test]
fn candidate_of_extension_is_rendered_for_its_visitors() {
    let gateway = Gateway::start_with("", &[]);
    deploy(&gateway, page(PAGE), &[extension("shows", SHOWS)]);
    // Without HTML, it has its element.
    let candidate = SHOWS.replace("JSON.stringify(props)", "''");
    gateway.publish(&extending_section("shows", "2.0.0", ASIDE, &candidate));
    let body = json!({ "releases": { "shows": "2.0.0" }, "percent": 50 });
    let response = gateway.post_deployment(&body);
    assert_eq!(response.status, 201, "{}", response.text());
    for (is_included, html) in [(true, ""), (false, "{\"key\":\"a\"}")] {
        let mut visitor = Browser::new(gateway.site);
        visitor.set_cookie(
            "__Host-colonnade-rollout",
            &rollout_cookie(&gateway, &[is_included]),
        );
        let expected = format!("<div data-extension=\"shows\">{html}</div>");
        assert_eq!(aside(&visitor.get("/page/a")), expected);
    }
    // Each release is rendered for its deploy, and for the page.
    let listed = gateway.admin_get("/api/v1/extensions");
    for extension in listed.as_array().unwrap() {
        assert_eq!(extension["renders"], 2, "{extension}");
        assert!(extension["renderMs"].is_number(), "{extension}");
    }
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed}");
}
