//! Download size budgets of releases.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, SCRIPT, STYLE, configuration};

const BUDGET: &str =
    "[budget]\npage_script_kib = 2\npage_style_kib = 1\nshell_script_kib = 3\nshell_style_kib = 1\n";
const ADVICE: &str = "the operator can raise it with `[budget.sections.directory]` in `site.toml`";

/// Text that Brotli compresses to about three quarters.
fn noise(count: usize, seed: u32) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(alphabet[usize::from(state.to_be_bytes()[0] % 64)])
    };
    format!("/*{}*/", (0..count).map(|_| next()).collect::<String>())
}

fn kib(bytes: u64) -> String {
    let tenths = (bytes * 10 + 512) / 1024;
    format!("{}.{} KiB", tenths / 10, tenths % 10)
}

fn problems(gateway: &Gateway, release: &Release) -> Vec<String> {
    let response = gateway.put_release(&release.name, &release.version, release.archive());
    assert_eq!(response.status, 422, "{}", response.text());
    assert_eq!(
        gateway.object_names(&format!("releases/{}", release.name)),
        [""; 0]
    );
    let problems = response.json()["problems"].take();
    let text = |problem: &Value| problem.as_str().unwrap().to_owned();
    problems.as_array().unwrap().iter().map(text).collect()
}

/// The size of a stored file's Brotli variant.
fn brotli_size(gateway: &Gateway, release: &Release, path: &str) -> u64 {
    let id = format!("{}/{}", release.name, release.version);
    let variant = gateway.object(&id, &format!("compressed/{path}.br"));
    std::fs::metadata(variant).unwrap().len()
}

#[test]
fn budget_excess_names_part_and_largest_files() {
    let release = Release::section("directory", "1.0.0", &["/", "/small"])
        .bytes("client/entry.js", SCRIPT, noise(500, 1))
        .bytes("client/common.js", SCRIPT, noise(1_000, 2))
        .bytes("client/page.js", SCRIPT, noise(2_000, 3))
        .bytes("client/page.css", STYLE, noise(2_000, 4))
        .bytes("client/tiny.js", SCRIPT, noise(10, 5));
    let assets = json!([
        "client/page.js",
        "client/tiny.js",
        "client/page.css",
        "client/page.js"
    ]);
    let pages = json!([
        { "pattern": "/", "assets": assets, "paths": [] },
        { "pattern": "/small", "assets": ["client/tiny.js"], "paths": [] },
    ]);
    let extension = json!({ "point": "shell/banner@1", "order": 0, "assets": ["client/page.js"] });
    let release = release
        .with("pages", pages)
        .with("extensions", json!([extension]));

    // A gateway without a budget stores the release, which yields the size of each file.
    let unlimited = Gateway::start();
    unlimited.publish(&release);
    let size_of = |name: &str| brotli_size(&unlimited, &release, &format!("client/{name}"));
    let (entry, common, page) = (size_of("entry.js"), size_of("common.js"), size_of("page.js"));
    // Files this short are stored uncompressed.
    let tiny = release.contents("client/tiny.js").len() as u64;
    let largest = format!(
        "the largest: `client/page.js` {}, `client/common.js` {}, `client/entry.js` {}; {ADVICE}",
        kib(page),
        kib(common),
        kib(entry)
    );
    let limit = "more than its budget of 2.0 KiB";
    let style = size_of("page.css");
    // A section can have its own budget.
    let own = format!("{BUDGET}[budget.sections.roomy]\npage_script_kib = 8\n");
    let limited = Gateway::start_with(&own, &[]);
    let roomy = Release::section("roomy", "1.0.0", &["/"]);
    limited.publish(&roomy.bytes("client/page.js", SCRIPT, noise(5_000, 1)));
    // A stored release stays accepted.
    let again = unlimited.start_another_with(BUDGET);
    let again = again.put_release("directory", "1.0.0", release.archive());
    assert_eq!(again.status, 200, "{}", again.text());
    assert_eq!(
        problems(&limited, &release),
        [
            format!(
                "page `/` loads {} of scripts (Brotli), {limit}; {largest}",
                kib(entry + common + page + tiny)
            ),
            format!(
                "page `/` loads {0} of stylesheets (Brotli), more than its budget of 1.0 KiB; \
                 the largest: `client/page.css` {0}; {ADVICE}",
                kib(style)
            ),
            format!(
                "the extension of `shell/banner@1` loads {} of scripts (Brotli), {limit}; {largest}",
                kib(entry + common + page)
            ),
        ]
    );
}

#[test]
fn reloaded_rules_apply_and_teams_can_read_them() {
    let gateway = Gateway::start_with(BUDGET, &[]);
    let release =
        Release::section("directory", "1.0.0", &["/"]).bytes("client/page.js", SCRIPT, noise(3_000, 6));
    assert!(problems(&gateway, &release)[0].contains("its budget of 2.0 KiB"));
    let targets = |section: &str| {
        let site = gateway.get(&format!("/_build-target/{section}")).json();
        assert_eq!(
            gateway.admin_get(&format!("/api/v1/sections/{section}/build-target")),
            site
        );
        site
    };
    let all = json!({ "scriptKib": 2, "styleKib": 1, "extensionPoints": {}, "shared": {}, "policy": {} });
    assert_eq!(targets("directory"), all);
    gateway.publish(&Release::shell("1.0.0"));
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    let raised = "[budget.sections.directory]\npage_script_kib = 8\n[extension_points.\"page/aside\"]\nmax_script_kib = 3\n\
                  [policy]\nworkers = true\n[policy.sections.directory]\nimages = [\"cdn.example\"]\n";
    gateway.reload_and_wait(&configuration(&format!("{BUDGET}{raised}")));
    let own = json!({
        "scriptKib": 8,
        "styleKib": 1,
        "extensionPoints": { "page/aside": 3 },
        "shared": { "react": "19.1.0" },
        "policy": { "images": ["cdn.example"], "workers": true },
    });
    assert_eq!(targets("directory"), own);
    let legal = targets("legal");
    assert_eq!(
        (&legal["scriptKib"], &legal["policy"]),
        (&json!(2), &json!({ "workers": true }))
    );
    gateway.publish(&release);
    assert_eq!(gateway.get("/_build-target/No").status, 404);
}
