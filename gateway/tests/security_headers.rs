//! Security headers of each kind of response.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::support::{Gateway, Request, Response, configuration, wait_until};

const DENY_ALL: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The policy of the gateway's own pages, which contain one inline stylesheet.
const GATEWAY_PAGE: &str = "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
                          frame-ancestors 'none'";
/// The policy of workers.
const WORKER: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), \
                           geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), \
                           payment=(), picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), \
                           sync-xhr=(), usb=(), xr-spatial-tracking=()";
const PARTNER: &str = "[partners.example]\nname = \"Example\"\nurl = \"https://partner.example/join\"\n";

/// What a response is to a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A page of the shell, which runs scripts.
    Document,
    /// A page of the gateway itself, which loads and runs nothing.
    GatewayPage,
    /// A script of a release, which can run as a worker.
    Script,
    /// Neither a page nor a script.
    Other,
    /// A 304 for a document that the browser has cached.
    NotModified,
}

fn check(what: &str, response: &Response, status: u16, kind: Kind) {
    assert_eq!(response.status, status, "{what}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
        ("strict-transport-security", "max-age=31536000"),
    ] {
        assert_eq!(response.header(name), value, "{what}");
    }
    let referrer = if what == "/go/example" {
        "no-referrer"
    } else {
        "same-origin"
    };
    assert_eq!(response.header("referrer-policy"), referrer, "{what}");
    let policy = response.header("content-security-policy");
    if matches!(kind, Kind::Document | Kind::NotModified) {
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"),
            "{what}: {policy}"
        );
        assert!(
            policy.ends_with("; require-trusted-types-for 'script'; trusted-types default"),
            "{what}"
        );
        assert!(!policy.contains("unsafe"), "{what}: {policy}");
    } else {
        let expected = match kind {
            Kind::GatewayPage => GATEWAY_PAGE.replace("{hash}", &style_hash(&response.text())),
            Kind::Script => WORKER.to_owned(),
            _ => DENY_ALL.to_owned(),
        };
        assert_eq!(policy, expected, "{what}");
    }
    assert!(!response.has("reporting-endpoints"), "{what}");
    let is_page = matches!(kind, Kind::Document | Kind::GatewayPage);
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", PERMISSIONS),
    ] {
        assert_eq!(response.has(name), is_page, "{what}: {name}");
        assert!(!is_page || response.header(name) == value, "{what}: {name}");
    }
    for name in ["access-control-allow-origin", "server", "x-powered-by"] {
        assert!(!response.has(name), "{what}: {name}");
    }
}

/// The CSP hash of the one inline stylesheet of a page.
fn style_hash(html: &str) -> String {
    let (_, rest) = html.split_once("<style>").expect("a stylesheet");
    let (style, rest) = rest.split_once("</style>").expect("its end");
    assert!(!rest.contains("<style") && !html.contains("<script"), "{html}");
    STANDARD.encode(Sha256::digest(style))
}

#[test]
fn security_headers_match_response_kind() {
    let gateway = Gateway::start_live(PARTNER, &[]);
    let get = |target: &'static str| (Request::new("GET", target), target);
    let post = |target: &'static str| (Request::new("POST", target), target);
    let with = |(request, what): (Request, _), name: &str, value: &str| (request.header(name, value), what);
    let asset = "/assets/shell/1.0.0/main.js";
    let tag = gateway.get("/").header("etag").to_owned();
    let rows = [
        (get("/"), 200, Kind::Document),
        (with(get("/"), "accept-encoding", "br"), 200, Kind::Document),
        ((Request::new("HEAD", "/"), "HEAD /"), 200, Kind::Document),
        (with(get("/"), "if-none-match", &tag), 304, Kind::NotModified),
        (get("/nowhere"), 404, Kind::Document),
        (get("/go/unknown"), 404, Kind::Document),
        (get("/state/Texas/"), 308, Kind::Other),
        (get("/state/%2F"), 400, Kind::GatewayPage),
        (post("/"), 405, Kind::GatewayPage),
        (get("/_preview/none"), 403, Kind::GatewayPage),
        (get("/go/example"), 302, Kind::Other),
        (get(asset), 200, Kind::Script),
        (get("/assets/shell/1.0.0/icon.svg"), 200, Kind::Other),
        (with(get(asset), "range", "bytes=0-1"), 206, Kind::Script),
        (with(get(asset), "range", "bytes=999999-"), 416, Kind::Other),
        (with(get(asset), "if-none-match", "*"), 304, Kind::Script),
        (with(get(asset), "if-match", "\"other\""), 412, Kind::Other),
        (get("/assets/shell/1.0.0/none.js"), 404, Kind::Other),
        (get("/_page/1?path=/"), 200, Kind::Other),
        (get("/_page/9?path=/"), 410, Kind::Other),
        (get("/robots.txt"), 200, Kind::Other),
        (get("/sitemap.xml"), 200, Kind::Other),
        (get("/manifest.webmanifest"), 200, Kind::Other),
        (get("/healthz"), 200, Kind::Other),
        (get("/_remotes/1"), 200, Kind::Other),
        (get("/_remotes/9"), 410, Kind::Other),
        (post("/functions/v1/other"), 405, Kind::Other),
        (post("/_report"), 403, Kind::Other),
    ];
    for ((request, what), status, kind) in rows {
        check(what, &gateway.site.send(request), status, kind);
    }
    let empty = Gateway::start();
    check("before anything is live", &empty.get("/"), 503, Kind::GatewayPage);
}

#[test]
fn admin_responses_carry_security_headers_except_hsts() {
    let gateway = Gateway::start();
    for target in ["/healthz", "/metrics", "/api/v1/sections"] {
        let response = gateway.admin.get(target);
        assert_eq!(response.header("content-security-policy"), DENY_ALL);
        assert_eq!(response.header("x-content-type-options"), "nosniff");
        assert!(!response.has("strict-transport-security"));
    }
}

#[test]
fn reload_changes_hsts() {
    let gateway = Gateway::start();
    let hsts = || gateway.get("/").header("strict-transport-security").to_owned();
    assert_eq!(hsts(), "max-age=31536000");
    for (keys, expected) in [
        ("max_age_seconds = 0", "max-age=0"),
        ("include_subdomains = true", "max-age=31536000; includeSubDomains"),
        (
            "max_age_seconds = 63072000\ninclude_subdomains = true\npreload = true",
            "max-age=63072000; includeSubDomains; preload",
        ),
    ] {
        gateway.reload(&configuration(&format!("[listen.hsts]\n{keys}\n")));
        wait_until(expected, || hsts() == expected);
    }
    gateway.configure(&configuration("[listen.hsts]\npreload = true\n"));
    let problems = String::from_utf8(gateway.run("check").stderr).unwrap();
    assert!(
        problems.contains("listen.hsts.preload: preload lists reject the site"),
        "{problems}"
    );
}
