//! What the operator permits documents in addition to the strict default.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, configuration};

const STRICT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const TRUSTED_TYPES: &str = "require-trusted-types-for 'script'; trusted-types default";

/// A gateway whose section `shop` shows an extension of the section `ads`.
fn gateway() -> Gateway {
    let gateway = Gateway::start();
    gateway.publish(&Release::shell("1.0.0"));
    gateway.publish(&Release::section("shop", "1.0.0", &["/shop"]).opens("shop/aside", 1, 1));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.publish(&Release::section("ads", "1.0.0", &["/ads"]).fills("shop/aside@1", 0));
    gateway.deploy(&json!({ "shell": "1.0.0", "shop": "1.0.0", "legal": "1.0.0", "ads": "1.0.0" }));
    gateway
}

/// The strict policy with these hosts of images, and what the document and `/_page` say about it.
fn images(gateway: &Gateway, path: &str) -> (String, Value) {
    let document = gateway.get(path);
    let header = document.header("content-security-policy").to_owned();
    let listed = header
        .split("img-src 'self'")
        .nth(1)
        .unwrap()
        .split(';')
        .next()
        .unwrap();
    let strict = format!("{STRICT}; {TRUSTED_TYPES}");
    assert_eq!(
        header,
        strict.replace("img-src 'self'", &format!("img-src 'self'{listed}"))
    );
    let (boot, set) = (document.boot(), document.set());
    let page = gateway.get(&format!("/_page/{set}?path={path}"));
    assert_eq!(page.json()["policy"], boot["policy"]);
    (listed.to_owned(), boot["policy"].clone())
}

#[test]
fn document_has_policy_of_its_sections() {
    let gateway = gateway();
    for path in ["/shop", "/terms", "/ads"] {
        assert_eq!(images(&gateway, path), (String::new(), Value::Null));
    }
    let shop = gateway.get("/shop");
    let policy = "[policy]\nimages = [\"all.example\"]\n[policy.sections.shop]\nimages = [\"*.shop.example\"]\n\
                  [policy.sections.ads]\nimages = [\"ads.example\", \"localhost:3000\"]\n\
                  [policy.sections.legal]\nimages = [\"www.shop.example\"]\n";
    gateway.reload_and_wait(&configuration(policy));
    let all = "images all.example";
    let (ads, local, own, legal) = (
        "images ads.example",
        "images localhost:3000",
        "images *.shop.example",
        "images www.shop.example",
    );
    assert_eq!(
        images(&gateway, "/shop"),
        (
            " https://*.shop.example https://ads.example https://all.example http://localhost:3000"
                .to_owned(),
            // The shell compares texts, so it also has what a wildcard includes.
            json!([own, ads, all, local, legal])
        )
    );
    assert_eq!(
        images(&gateway, "/ads"),
        (
            " https://ads.example https://all.example http://localhost:3000".to_owned(),
            json!([ads, all, local])
        )
    );
    assert_eq!(
        images(&gateway, "/terms"),
        (
            " https://all.example https://www.shop.example".to_owned(),
            json!([all, legal])
        )
    );
    let page = gateway.get("/_page/1?path=/terms");
    assert_eq!(page.header("cache-control"), "no-cache");
    // Browsers do not take a policy from a 304.
    let cached = Request::new("GET", "/shop").header("if-none-match", shop.header("etag"));
    assert_eq!(gateway.site.send(cached).status, 200);
    let not_found = gateway.get("/nowhere");
    assert!(
        not_found
            .header("content-security-policy")
            .contains("img-src 'self' https://all.example;")
    );

    gateway.reload_and_wait(&configuration(""));
    assert_eq!(images(&gateway, "/shop"), (String::new(), Value::Null));
    assert_eq!(gateway.get("/shop").header("etag"), shop.header("etag"));

    // Each document shows the extensions of the shell's points.
    gateway.publish(&Release::shell("1.1.0").opens("shell/banner", 1, 1));
    gateway.publish(&Release::section("news", "1.0.0", &["/news"]).fills("shell/banner@1", 0));
    gateway.deploy(&json!({ "shell": "1.1.0", "news": "1.0.0" }));
    gateway.reload_and_wait(&configuration(
        "[policy.sections.news]\nimages = [\"news.example\"]\n",
    ));
    let news = (" https://news.example".to_owned(), json!(["images news.example"]));
    assert_eq!(images(&gateway, "/terms"), news);
    assert_eq!(gateway.get("/nowhere").boot()["policy"], news.1);
}

#[test]
fn release_that_needs_more_is_refused_with_the_line() {
    let gateway = gateway();
    let policy = "[policy]\nfonts = [\"fonts.example\"]\n[policy.sections.shop]\nimages = [\"a.example\"]\n";
    gateway.reload_and_wait(&configuration(policy));
    let needs = json!({ "images": ["b.example"], "fonts": ["fonts.example"], "styleAttributes": true, "trustedTypes": "report" });
    let release = Release::section("shop", "1.1.0", &["/shop"])
        .opens("shop/aside", 1, 1)
        .with("policy", needs);
    let published = gateway.put_release("shop", "1.1.0", release.archive());
    let problem = |needed: &str, line: &str| {
        format!(
            "shop@1.1.0 needs the policy `{needed}`, which the site does not permit; the operator sets `{line}` in \
             `[policy.sections.shop]` of site.toml, and reloads the gateway"
        )
    };
    let problems = [
        problem(
            "images = [\"b.example\"]",
            "images = [\"a.example\", \"b.example\"]",
        ),
        problem("style_attributes = true", "style_attributes = true"),
        problem("trusted_types = \"report\"", "trusted_types = \"report\""),
    ];
    let warnings = problems
        .clone()
        .map(|problem| format!("a deploy now would be rejected: {problem}"));
    assert_eq!(published.json()["warnings"], json!(warnings));
    let releases = json!({ "shop": "1.1.0" });
    for (target, body) in [
        ("deployments", json!({ "releases": releases })),
        ("deployments", json!({ "releases": releases, "percent": 5 })),
        ("previews", json!({ "releases": releases, "path": "/shop" })),
    ] {
        let refused = gateway.admin_post(&format!("/api/v1/{target}"), &body);
        assert_eq!(
            (refused.status, &refused.json()["problems"]),
            (422, &json!(problems))
        );
    }
    let permitted = policy.replace(
        "[\"a.example\"]",
        "[\"a.example\", \"b.example\"]\nstyle_attributes = true\ntrusted_types = \"report\"",
    );
    gateway.reload_and_wait(&configuration(&permitted));
    gateway.deploy(&releases);
    assert_eq!(gateway.get("/readyz").text(), "ready\n");

    // A live release is served without a permission.
    gateway.reload_and_wait(&configuration(policy));
    let event = gateway.wait_for_event(|line| line["event"] == "setting_missing_or_mistyped");
    assert_eq!(event["key"], "policy.sections.shop.images");
    assert_eq!(event["expected"], "images = [\"b.example\"]");
    let named = "missing or mistyped settings: policy.sections.shop.images of shop, policy.sections.shop.style_attributes of shop, \
                 policy.sections.shop.trusted_types of shop";
    assert!(gateway.get("/readyz").text().contains(named));
    assert_eq!(gateway.get("/shop").status, 200);

    // The shell needs what all documents may do.
    let shell = Release::shell("2.0.0").with("policy", json!({ "connections": ["sentry.example"] }));
    let published = gateway.put_release("shell", "2.0.0", shell.archive());
    let line = "`connections = [\"sentry.example\"]` in `[policy]` of site.toml";
    assert!(published.json()["warnings"][0].as_str().unwrap().contains(line));
}

#[test]
fn trusted_types_are_reported_only_where_permitted() {
    let extra = "[policy.sections.shop]\ntrusted_types = \"report\"\n[telemetry]\ncsp_report_url = \"https://reports.example/csp\"\n";
    let gateway = Gateway::start_live(extra, &[]);
    gateway.publish(&Release::section("shop", "1.0.0", &["/shop"]));
    gateway.deploy(&json!({ "shop": "1.0.0" }));
    let reporting = "; report-uri https://reports.example/csp; report-to csp";
    let shop = gateway.get("/shop");
    assert_eq!(
        shop.header("content-security-policy"),
        format!("{STRICT}{reporting}")
    );
    assert_eq!(
        shop.header("content-security-policy-report-only"),
        format!("{TRUSTED_TYPES}{reporting}")
    );
    let home = gateway.get("/");
    assert_eq!(
        home.header("content-security-policy"),
        format!("{STRICT}; {TRUSTED_TYPES}{reporting}")
    );
    assert!(!home.has("content-security-policy-report-only"));
}

#[test]
fn features_are_permitted_where_a_section_has_them() {
    let gateway = gateway();
    let strict = gateway.get("/terms").header("permissions-policy").to_owned();
    let tag = gateway.get("/shop").header("etag").to_owned();
    gateway.reload_and_wait(&configuration(
        "[policy]\nfeatures = [\"fullscreen\"]\n[policy.sections.ads]\nfeatures = [\"geolocation\", \"usb\"]\n",
    ));
    let permitting = |features: &[&str]| {
        let permit = |header: String, feature: &&str| {
            header.replace(&format!("{feature}=()"), &format!("{feature}=(self)"))
        };
        features.iter().fold(strict.clone(), permit)
    };
    let header = |path: &str| gateway.get(path).header("permissions-policy").to_owned();
    assert_eq!(header("/terms"), permitting(&["fullscreen"]));
    let all = ["fullscreen", "geolocation", "usb"];
    assert_eq!(header("/shop"), permitting(&all));
    let page = gateway.get("/_page/1?path=/shop").json();
    assert_eq!(
        page["policy"],
        json!(all.map(|feature| format!("features {feature}")))
    );
    // Browsers do not take a policy from a 304.
    let cached = Request::new("GET", "/shop").header("if-none-match", &tag);
    assert_eq!(gateway.site.send(cached).status, 200);
    gateway.reload_and_wait(&configuration(""));
    assert_eq!(header("/shop"), strict);
}
