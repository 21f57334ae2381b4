//! Releases that would make a visitor download too much.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, SCRIPT, STYLE};

const BUDGET: &str =
    "[budget]\npage_script_kib = 2\npage_style_kib = 1\nshell_script_kib = 3\nshell_style_kib = 1\n";

/// Text of which Brotli makes about three quarters.
fn noise(count: usize, seed: u32) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(alphabet[usize::from(state.to_be_bytes()[0] % 64)])
    };
    format!("/*{}*/", (0..count).map(|_| next()).collect::<String>())
}

fn problems(gateway: &Gateway, release: &Release) -> Vec<String> {
    let answer = gateway.put(&release.name, &release.version, release.archive());
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(!gateway.store().join("releases").join(&release.name).exists());
    let problems = answer.json()["problems"].take();
    let text = |problem: &Value| problem.as_str().unwrap().to_owned();
    problems.as_array().unwrap().iter().map(text).collect()
}

/// The bytes of a file as the store keeps them for browsers that know Brotli.
fn kept(gateway: &Gateway, release: &Release, path: &str) -> u64 {
    let folder = gateway
        .store()
        .join("releases")
        .join(&release.name)
        .join(&release.version);
    let variant = folder.join(format!("compressed/{path}.br"));
    std::fs::metadata(variant).unwrap().len()
}

#[test]
fn a_page_and_a_slot_over_the_budget_are_named_with_their_heaviest_files() {
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

    // Without a budget it is kept, which tells what each file weighs.
    let free = Gateway::start();
    free.publish(&release);
    let weigh = |name: &str| kept(&free, &release, &format!("client/{name}"));
    let (entry, common, page) = (weigh("entry.js"), weigh("common.js"), weigh("page.js"));
    // So short a file is not smaller when compressed.
    let tiny = release.contents("client/tiny.js").len() as u64;
    let heaviest = format!(
        "the heaviest: `client/page.js` {page}, `client/common.js` {common}, `client/entry.js` {entry}"
    );
    let limit = "but the budget is 2048 bytes (2 KiB)";
    let style = weigh("page.css");
    assert_eq!(
        problems(&Gateway::start_with(BUDGET, &[]), &release),
        [
            format!(
                "page `/` loads {} bytes of scripts (Brotli), {limit}; {heaviest}",
                entry + common + page + tiny
            ),
            format!(
                "page `/` loads {style} bytes of stylesheets (Brotli), but the budget is 1024 bytes (1 KiB); \
                 the heaviest: `client/page.css` {style}"
            ),
            format!(
                "slot `join` loads {} bytes of scripts (Brotli), {limit}; {heaviest}",
                entry + common + page
            ),
        ]
    );
}

#[test]
fn the_shell_is_weighed_by_a_budget_of_its_own() {
    let gateway = Gateway::start_with(BUDGET, &[]);
    let heavy = Release::shell("1.0.0")
        .bytes("client/main.js", SCRIPT, noise(5_000, 1))
        .bytes("client/frame.css", STYLE, noise(2_000, 2));
    let problems = problems(&gateway, &heavy);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("the shell loads "), "{problems:?}");
    assert!(problems[0].ends_with(&format!("`client/main.js` {}", weight(&heavy, "client/main.js"))));
    assert!(problems[1].contains(" bytes of stylesheets (Brotli), but the budget is 1024 bytes (1 KiB)"));
    gateway.publish(&Release::shell("1.0.0").bytes("client/main.js", SCRIPT, noise(3_000, 1)));
}

/// What a file of a release weighs once it is kept.
fn weight(release: &Release, path: &str) -> u64 {
    let free = Gateway::start();
    free.publish(release);
    kept(&free, release, path)
}

#[test]
fn what_is_kept_already_stays_whatever_the_budget_says() {
    let free = Gateway::start();
    let release =
        Release::section("directory", "1.0.0", &["/"]).bytes("client/page.js", SCRIPT, noise(9_000, 1));
    free.publish(&release);
    let strict = free.beside_with(BUDGET);
    let again = strict.put("directory", "1.0.0", release.archive());
    assert_eq!(again.status, 200, "{}", again.text());
}
