//! What pages read of the configuration: facts, the configuration of their section, and the language.

use serde_json::json;

use crate::support::{
    Gateway, Release, Request, Response, configuration, rendered_section, rendering_shell, wait_until,
};

/// A section that shows what it reads.
const MODULE: &str = "export default { \
    page: (path, site, form, config) => `<p>${site.brand}|${site.facts.city}|${config?.currency}|${site.language}</p>` \
};";

/// A page in a language of its own.
const HEBREW: &str = "export default { language: 'he', page: (path) => '<p>שלום</p>', alternates: [ \
    { language: 'he', path: '/guide' }, { language: 'en\"', path: '/en/a%20guide' }, { language: 'x', path: '//evil' }, \
] };";

/// The configuration with other values, and these settings of sections.
fn with(replacements: &[(&str, &str)], sections: &str) -> String {
    let text = configuration(sections);
    replacements.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn gateway() -> Gateway {
    let gateway = Gateway::start_with("[sections.shop.config]\ncurrency = \"EUR\"\n", &[]);
    gateway.publish(&rendering_shell("1.0.0").opens("shell/search", 1, 1));
    gateway.publish(&rendered_section("shop", "1.0.0", "/shop/:x", MODULE).with_paths(&["/shop/a"]));
    gateway.publish(&rendered_section("guide", "1.0.0", "/guide", HEBREW));
    gateway.publish(&Release::section("search", "1.0.0", &["/search"]).fills("shell/search@1", 0));
    gateway.deploy(&json!({ "shell": "1.0.0", "shop": "1.0.0", "guide": "1.0.0", "search": "1.0.0" }));
    gateway
}

/// What contains values of the configuration, each with its entity tag.
fn responses(gateway: &Gateway) -> [Response; 8] {
    [
        "/shop/a",
        "/shop/b",
        "/nowhere",
        "/_page/1?path=%2Fshop%2Fa",
        "/_remotes/1?section=shop",
        "/_remotes/1?section=search",
        "/manifest.webmanifest",
        "/state/%zz",
    ]
    .map(|target| gateway.get(target))
}

#[test]
fn reload_shows_new_values_in_each_response() {
    let gateway = gateway();
    let before = responses(&gateway);
    let [named, unnamed, not_found, page, shop, search, manifest, error] = &before;
    for document in [named, unnamed] {
        assert!(
            document.text().contains("<p>Test & Brand|Vienna|EUR|en</p>"),
            "{}",
            document.text()
        );
        assert_eq!(
            document.boot()["configs"],
            json!({ "shop": { "currency": "EUR" } })
        );
    }
    assert_eq!(not_found.boot()["configs"], json!({}));
    assert_eq!(page.json()["config"], json!({ "currency": "EUR" }));
    assert_eq!(page.header("cache-control"), "no-cache");
    assert_eq!(shop.json()["config"], json!({ "currency": "EUR" }));
    assert!(search.json().get("config").is_none());
    assert_eq!(page.json()["section"]["name"], "shop");
    assert!(
        gateway
            .get("/_page/1?path=%2Fguide")
            .json()
            .get("config")
            .is_none()
    );
    assert_eq!(
        (&manifest.json()["name"], &manifest.json()["lang"]),
        (&json!("Test & Brand"), &json!("en"))
    );
    assert!(
        error
            .text()
            .contains("<a class=\"brand\" href=\"/\">Test &amp; Brand</a>")
    );

    // A reload without changes keeps what is cached.
    let sections = "[sections.shop.config]\ncurrency = \"EUR\"\n";
    let renders = || gateway.metric("colonnade_renders_total{section=\"shop\",outcome=\"rendered\"}");
    let rendered = renders();
    gateway.reload_and_wait(&with(&[], sections));
    assert_eq!(gateway.get("/shop/a").header("etag"), named.header("etag"));
    assert_eq!(renders(), rendered);

    let changes = [
        ("Test & Brand", "Other"),
        ("city = \"Vienna\"", "city = \"Graz\""),
        (
            "contact@site.example\"",
            "new@site.example\"\nlanguage = \"ar-EG\"",
        ),
        ("label = \"Terms\"", "label = \"شروط\""),
    ];
    let sections = "[sections.search.config]\nlimit = 5\n[sections.shop.config]\ncurrency = \"CHF\"\n";
    let composed = || gateway.metric("colonnade_document_cache_misses_total");
    let before_reload = composed();
    gateway.reload_and_wait(&with(&changes, sections));
    wait_until("the listed page is composed ahead", || composed() > before_reload);
    let after = responses(&gateway);
    let [named, unnamed, not_found, page, shop, search, manifest, error] = &after;
    for document in [named, unnamed] {
        let html = document.text();
        assert!(
            html.starts_with("<!doctype html><html lang=\"ar-EG\" dir=\"rtl\"><head>"),
            "{html}"
        );
        assert!(html.contains("<p>Other|Graz|CHF|ar-EG</p>"), "{html}");
        let configs = json!({ "search": { "limit": 5 }, "shop": { "currency": "CHF" } });
        assert_eq!(document.boot()["configs"], configs);
        let site = &document.boot()["site"];
        assert_eq!(site["facts"], json!({ "city": "Graz" }));
        assert_eq!(
            (
                &site["brand"],
                &site["contact"],
                &site["navigation"]["footer"][0]["label"]
            ),
            (&json!("Other"), &json!("new@site.example"), &json!("شروط"))
        );
    }
    assert!(not_found.text().contains("<title>/ &amp; &lt;title&gt;</title>"));
    assert_eq!(not_found.boot()["configs"], json!({ "search": { "limit": 5 } }));
    assert_eq!(page.json()["config"], json!({ "currency": "CHF" }));
    assert_eq!(shop.json()["config"], json!({ "currency": "CHF" }));
    assert_eq!(search.json()["config"], json!({ "limit": 5 }));
    assert_eq!(
        (&manifest.json()["name"], &manifest.json()["lang"]),
        (&json!("Other"), &json!("ar-EG"))
    );
    // The gateway's own texts stay English.
    let error = error.text();
    for part in [
        "<html lang=\"en\">",
        "<a class=\"brand\" href=\"/\" lang=\"ar-EG\" dir=\"rtl\">Other</a>",
        "<nav aria-label=\"Footer\"><ul lang=\"ar-EG\" dir=\"rtl\"><li><a href=\"/terms\">شروط</a>",
    ] {
        assert!(error.contains(part), "{part}\n{error}");
    }
    // A browser that has the old one gets the new one.
    for (target, old) in [("/shop/a", &before[0]), ("/_page/1?path=%2Fshop%2Fa", &before[3])] {
        let request = Request::new("GET", target).header("if-none-match", old.header("etag"));
        assert_eq!(gateway.site.send(request).status, 200, "{target}");
    }
}

#[test]
fn invalid_values_change_nothing_at_a_reload() {
    let gateway = gateway();
    let sections = "[sections.shop.config]\ncurrency = \"CHF\"\n";
    let valid = with(&[("Test & Brand", "Other")], sections);
    let line = |text: &str, wanted: &str| text.lines().position(|line| line == wanted).unwrap() + 1;
    for (from, to, problem) in [
        (
            "city = \"Vienna\"",
            "city = 2026-11-28",
            "site.facts.city: is of type datetime; expected a string, a number, a boolean or a list of these",
        ),
        (
            "city = \"Vienna\"",
            "main-city = 1",
            "site.facts.main-city: `main-city` is not the name of a value; expected a name that matches [a-zA-Z][a-zA-Z0-9_]{0,63}",
        ),
        (
            "currency = \"CHF\"",
            "currency = { code = \"CHF\" }",
            "sections.shop.config.currency: is of type table; expected a string, a number, a boolean or a list of these",
        ),
        (
            "origin = \"https://site.example\"",
            "language = \"Deutsch\"",
            "site.language: `Deutsch` is not a language tag; expected a language tag (BCP 47), such as en, de-AT or zh-Hant",
        ),
    ] {
        let text = valid.replace(from, to);
        gateway.reload(&text);
        let problem = format!(".toml:{}: {problem}", line(&text, to));
        gateway.wait_for_event(|line| {
            let error = line["error"].as_str().unwrap_or_default();
            line["event"] == "config_reload_failed" && error.contains(&problem)
        });
    }
    let document = gateway.get("/shop/a");
    assert!(
        document.text().contains("<p>Test & Brand|Vienna|EUR|en</p>"),
        "{}",
        document.text()
    );
}

#[test]
fn page_has_its_own_language_and_direction() {
    let gateway = gateway();
    let html = gateway.get("/guide").text();
    assert!(
        html.starts_with("<!doctype html><html lang=\"he\" dir=\"rtl\"><head>"),
        "{html}"
    );
    // Alternates that are no paths of this site are left out.
    let links = "<link data-head=\"\" rel=\"canonical\" href=\"https://site.example/guide\">\
                 <link data-head=\"\" rel=\"alternate\" hreflang=\"he\" href=\"https://site.example/guide\">\
                 <link data-head=\"\" rel=\"alternate\" hreflang=\"en&quot;\" href=\"https://site.example/en/a%20guide\">";
    assert!(html.contains(links), "{html}");
    assert_eq!(html.matches("hreflang").count(), 2);
    // A page in English of a site in another language, and one that only the browser renders.
    gateway.publish(&rendered_section(
        "guide",
        "2.0.0",
        "/guide",
        &HEBREW.replace("he", "en-GB"),
    ));
    gateway.deploy(&json!({ "guide": "2.0.0" }));
    gateway.reload_and_wait(&with(&[("brand =", "language = \"fa\"\nbrand =")], ""));
    assert!(
        gateway
            .get("/guide")
            .text()
            .starts_with("<!doctype html><html lang=\"en-GB\"><head>")
    );
    let html = gateway.get("/search").text();
    assert!(
        html.starts_with("<!doctype html><html lang=\"fa\" dir=\"rtl\"><head>"),
        "{html}"
    );
    assert!(html.contains("<noscript lang=\"en\" dir=\"ltr\">"), "{html}");
    // An invalid one fails the trial render of a deploy.
    let release = rendered_section(
        "guide",
        "3.0.0",
        "/guide",
        &HEBREW.replace("'he'", "'x\" onload=\"'"),
    );
    gateway.publish(&release.with_paths(&["/guide"]));
    let rejected = gateway.post_deployment(&json!({ "releases": { "guide": "3.0.0" } }));
    assert_eq!(rejected.status, 422);
    let problem = rejected.json()["problems"][0].clone();
    assert!(
        problem
            .as_str()
            .unwrap()
            .contains("is not a language tag; expected"),
        "{problem}"
    );
}
