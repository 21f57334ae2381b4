//! Extension points: which sections fill those of a page and of the shell, in documents and in `/_page`.

use serde_json::{Value, json};

use crate::support::{Browser, Gateway, Release, rollout_cookie};

/// The point of the pages of `directory`.
pub(crate) const ASIDE: &str = "directory/aside@1";

/// The point of the shell.
pub(crate) const BANNER: &str = "shell/banner@1";

pub(crate) fn directory(version: &str, max: u8) -> Release {
    Release::section("directory", version, &["/", "/state/:state"]).opens("directory/aside", 1, max)
}

/// A section with one page, at its name.
pub(crate) fn section(name: &str, version: &str) -> Release {
    Release::section(name, version, &[&format!("/{name}")])
}

/// Publishes releases and deploys them.
fn deploy(gateway: &Gateway, releases: &[Release]) {
    for release in releases {
        gateway.publish(release);
    }
    let named = releases
        .iter()
        .map(|release| (release.name.clone(), json!(release.version)));
    gateway.deploy(&Value::Object(named.collect()));
}

/// A gateway whose pages of `directory` show one extension, and its shell two.
pub(crate) fn gateway(extra: &str, sections: &[Release]) -> Gateway {
    let gateway = Gateway::start_with(extra, &[]);
    let own = [
        Release::shell("1.0.0").opens("shell/banner", 1, 2),
        directory("1.0.0", 1),
    ];
    deploy(&gateway, &[&own, sections].concat());
    gateway
}

/// The releases that fill the points of an object, by point.
fn filled(extensions: &Value) -> Value {
    let name = |extension: &Value| {
        let section = &extension["section"];
        json!(format!(
            "{}@{}",
            section["name"].as_str().unwrap(),
            section["version"].as_str().unwrap()
        ))
    };
    let points = extensions.as_object().into_iter().flatten();
    let names = |list: &Value| -> Value { list.as_array().unwrap().iter().map(name).collect() };
    points
        .map(|(point, list)| (point.clone(), names(list)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// What a visitor's document and the data of its page name: for the page, and for the shell.
pub(crate) fn shown(visitor: &mut Browser, path: &str) -> [Value; 2] {
    let document = visitor.get(path);
    let boot = document.boot();
    let encoded = path.replace('/', "%2F");
    for set in [document.set(), boot["deployment"].as_str().unwrap().to_owned()] {
        let page = visitor.get(&format!("/_page/{set}?path={encoded}"));
        assert_eq!(page.json(), boot["page"], "{set}");
    }
    [filled(&boot["page"]["extensions"]), filled(&boot["extensions"])]
}

#[test]
fn boot_payload_and_page_list_extensions_of_points() {
    let events = section("events", "1.0.0").fills(ASIDE, 1);
    let search = section("search", "1.0.0").fills(BANNER, 0);
    let settings = "[sections.events.config]\nlimit = 5\n[sections.search.config]\nlimit = 6\n[sections.legal.config]\nlimit = 7\n";
    let gateway = gateway(settings, &[events.clone(), search, section("legal", "1.0.0")]);
    let boot = gateway.get("/state/Ohio").boot();
    let asset = |path: &str, kind: &str| {
        let integrity = events.integrity(&format!("client/{path}"));
        json!({ "href": format!("/assets/events/1.0.0/{path}"), "name": path, "integrity": integrity, "type": kind })
    };
    let section = gateway.get("/events").boot()["page"]["section"].take();
    let files = [
        "client/entry.js",
        "client/common.js",
        "client/page.js",
        "client/page.css",
    ];
    let bytes: usize = files.iter().map(|path| events.contents(path).len()).sum();
    let mut extension = json!({
        "section": section, "assets": [asset("page.js", "script"), asset("page.css", "style")], "bytes": bytes,
    });
    assert_eq!(boot["page"]["extensions"], json!({ ASIDE: [extension] }));
    assert_eq!(filled(&boot["extensions"]), json!({ BANNER: ["search@1.0.0"] }));
    assert_eq!(
        boot["configs"],
        json!({ "events": { "limit": 5 }, "search": { "limit": 6 } })
    );

    let page = gateway.get("/_page/1?path=%2Fstate%2FOhio");
    assert_eq!(page.header("cache-control"), "no-cache");
    extension["config"] = json!({ "limit": 5 });
    assert_eq!(page.json()["extensions"], json!({ ASIDE: [extension] }));
    // A page without points, and the document of no page.
    let other = gateway.get("/legal").boot();
    assert!(other["page"].get("extensions").is_none(), "{other}");
    let not_found = gateway.get("/nowhere").boot();
    assert_eq!(
        filled(&not_found["extensions"]),
        json!({ BANNER: ["search@1.0.0"] })
    );
    assert_eq!(not_found["configs"], json!({ "search": { "limit": 6 } }));
}

#[test]
fn description_of_release_names_points_and_extensions() {
    let gateway = gateway("", &[section("events", "1.0.0").fills(ASIDE, -1)]);
    let described = |name: &str| {
        let mut release = gateway.admin_get(&format!("/api/v1/sections/{name}/releases/1.0.0"));
        (release["extensionPoints"].take(), release["extensions"].take())
    };
    assert_eq!(
        described("directory"),
        (json!([{ "point": ASIDE, "max": 1 }]), json!([]))
    );
    let files = [
        "client/common.js",
        "client/entry.js",
        "client/page.css",
        "client/page.js",
    ];
    let extension = json!({ "point": ASIDE, "order": -1, "files": files });
    assert_eq!(described("events"), (json!([]), json!([extension])));
}

#[test]
fn point_that_is_full_or_missing_leaves_extensions_out() {
    let fills = |name: &str, order| section(name, "1.0.0").fills(ASIDE, order);
    let other_version = section("news", "1.0.0")
        .fills("directory/aside@2", 0)
        .fills("nowhere/aside@1", 0);
    let gateway = gateway(
        "",
        &[
            fills("events", 5),
            fills("legal", -5),
            fills("zoo", -5),
            other_version,
        ],
    );
    let mut visitor = Browser::new(gateway.site);
    let nothing = json!({});
    assert_eq!(
        shown(&mut visitor, "/"),
        [json!({ ASIDE: ["legal@1.0.0"] }), nothing.clone()]
    );
    deploy(&gateway, &[directory("2.0.0", 2)]);
    assert_eq!(
        shown(&mut visitor, "/"),
        [json!({ ASIDE: ["legal@1.0.0", "zoo@1.0.0"] }), nothing.clone()]
    );
    let renamed = Release::section("directory", "3.0.0", &["/"]).opens("directory/aside", 2, 1);
    deploy(&gateway, &[renamed]);
    assert_eq!(
        shown(&mut visitor, "/"),
        [json!({ "directory/aside@2": ["news@1.0.0"] }), nothing]
    );
}

#[test]
fn release_with_invalid_points_is_rejected_by_name() {
    let gateway = Gateway::start_with("", &[]);
    let mut release = directory("1.0.0", 17).fills(ASIDE, 0).fills(ASIDE, 1);
    release.fields["pages"][1]["extensionPoints"] = json!(["directory/other@1"]);
    let response = gateway.put_release("directory", "1.0.0", release.archive());
    assert_eq!(
        response.json()["problems"],
        json!([
            "extension point `directory/aside`: max 17 must be from 1 to 16",
            "page `/state/:state` has the extension point `directory/other@1`, which is not in the release's `extensionPoints`",
            "extension point `directory/aside@1` is filled twice",
        ])
    );
}

#[test]
fn candidate_that_fills_a_point_decides_pages_that_have_it() {
    let candidates = ["events", "search", "legal"];
    let gateway = gateway(
        "",
        &[
            section("events", "1.0.0").fills(ASIDE, 0),
            section("legal", "1.0.0"),
        ],
    );
    gateway.publish(&section("events", "2.0.0"));
    gateway.publish(&section("search", "2.0.0").fills(BANNER, 0));
    gateway.publish(&section("legal", "2.0.0").fills(ASIDE, 0));
    for name in candidates {
        let body = json!({ "releases": { name: "2.0.0" }, "percent": 50 });
        let response = gateway.post_deployment(&body);
        assert_eq!(response.status, 201, "{}", response.text());
    }
    let visitor = |chosen: [bool; 3]| {
        let mut visitor = Browser::new(gateway.site);
        visitor.set_cookie("__Host-colonnade-rollout", &rollout_cookie(&gateway, &chosen));
        visitor
    };
    let set = |visitor: &mut Browser, path: &str| {
        visitor.get(path).boot()["deployment"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let sets = |chosen| {
        let mut visitor = visitor(chosen);
        ["/", "/events", "/legal", "/nowhere"].map(|path| set(&mut visitor, path))
    };
    // Without its extension, `events` decides the pages with the point, too; `search` decides all.
    assert_eq!(sets([true, false, false]), ["1.2", "1.2", "1", "1"]);
    assert_eq!(sets([false, true, false]), ["1.3", "1.3", "1.3", "1.3"]);
    assert_eq!(sets([false, false, true]), ["1.4", "1", "1.4", "1"]);
    assert_eq!(sets([true, true, true]), ["1.2.3.4", "1.2.3", "1.3.4", "1.3"]);
    for (chosen, expected) in [
        ([false, false, false], json!({ ASIDE: ["events@1.0.0"] })),
        ([true, false, false], json!({})),
        ([false, false, true], json!({ ASIDE: ["events@1.0.0"] })),
        ([true, true, true], json!({ ASIDE: ["legal@2.0.0"] })),
    ] {
        let banner = if chosen[1] {
            json!({ BANNER: ["search@2.0.0"] })
        } else {
            json!({})
        };
        assert_eq!(
            shown(&mut visitor(chosen), "/state/Ohio"),
            [expected, banner],
            "{chosen:?}"
        );
    }
}
