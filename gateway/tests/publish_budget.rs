//! Download size budgets of releases.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, SCRIPT, STYLE};

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
    assert!(!gateway.store().join("releases").join(&release.name).exists());
    let problems = response.json()["problems"].take();
    let text = |problem: &Value| problem.as_str().unwrap().to_owned();
    problems.as_array().unwrap().iter().map(text).collect()
}

/// The size of a stored file's Brotli variant.
fn brotli_size(gateway: &Gateway, release: &Release, path: &str) -> u64 {
    let folder = gateway
        .store()
        .join("releases")
        .join(&release.name)
        .join(&release.version);
    let variant = folder.join(format!("compressed/{path}.br"));
    std::fs::metadata(variant).unwrap().len()
}

#[test]
fn budget_excess_names_page_slot_and_largest_files() {
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
    let release = release.with("pages", pages).slot("join");

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
    assert_eq!(
        problems(&Gateway::start_with(BUDGET, &[]), &release),
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
                "slot `join` loads {} of scripts (Brotli), {limit}; {largest}",
                kib(entry + common + page)
            ),
        ]
    );
}

#[test]
fn shell_has_its_own_budget() {
    let gateway = Gateway::start_with(BUDGET, &[]);
    let heavy = Release::shell("1.0.0")
        .bytes("client/main.js", SCRIPT, noise(5_000, 1))
        .bytes("client/frame.css", STYLE, noise(2_000, 2));
    let problems = problems(&gateway, &heavy);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("the shell loads "), "{problems:?}");
    assert!(problems[0].ends_with(&format!(
        "`client/main.js` {}",
        kib(brotli_size_of(&heavy, "client/main.js"))
    )));
    assert!(problems[1].contains(" of stylesheets (Brotli), more than its budget of 1.0 KiB"));
    gateway.publish(&Release::shell("1.0.0").bytes("client/main.js", SCRIPT, noise(3_000, 1)));
}

/// The Brotli size of a file of a release.
fn brotli_size_of(release: &Release, path: &str) -> u64 {
    let unlimited = Gateway::start();
    unlimited.publish(release);
    brotli_size(&unlimited, release, path)
}

#[test]
fn section_can_have_its_own_budget() {
    let own = "[budget.sections.directory]\npage_script_kib = 8\n";
    let gateway = Gateway::start_with(&format!("{BUDGET}{own}"), &[]);
    let section = |name: &str, style: usize| {
        Release::section(name, "1.0.0", &["/"])
            .bytes("client/page.js", SCRIPT, noise(5_000, 1))
            .bytes("client/page.css", STYLE, noise(style, 2))
    };
    let found = problems(&gateway, &section("legal", 10));
    assert!(
        found.len() == 1 && found[0].contains(" of scripts (Brotli), more than its budget of 2.0 KiB"),
        "{found:?}"
    );
    // The limit of all sections applies to a key that the table of the section lacks.
    let found = problems(&gateway, &section("directory", 2_000));
    assert!(
        found.len() == 1 && found[0].contains(" of stylesheets (Brotli), more than its budget of 1.0 KiB"),
        "{found:?}"
    );
    gateway.publish(&section("directory", 10));
}

#[test]
fn stored_release_ignores_new_budget() {
    let unlimited = Gateway::start();
    let release =
        Release::section("directory", "1.0.0", &["/"]).bytes("client/page.js", SCRIPT, noise(9_000, 1));
    unlimited.publish(&release);
    let limited = unlimited.start_another_with(BUDGET);
    let again = limited.put_release("directory", "1.0.0", release.archive());
    assert_eq!(again.status, 200, "{}", again.text());
}
