//! The navigation: the links that sections contribute, with what the configuration changes, in documents of all pages.

use serde_json::{Value, json};

use crate::support::{
    Browser, Gateway, Release, Response, configuration, render_count, rendered_section, rendering_shell,
    rollout_cookie,
};

/// A section whose pages show the menu.
const SHOWS_MENU: &str = "export default { \
    page: (path, site) => `<p>${site.navigation.menu.map(({ label, path }) => `${label} ${path}`).join(', ')}</p>` \
};";

/// A section with a link in the menu.
fn events(version: &str, label: &str) -> Release {
    Release::section("events", version, &["/events"]).links("shell/menu", label, "/events", 20)
}

/// A gateway with a page that shows the menu, at `/page/:x`.
fn gateway() -> Gateway {
    let gateway = Gateway::start();
    let page = rendered_section("page", "1.0.0", "/page/:x", SHOWS_MENU).with_paths(&["/page/a"]);
    let page =
        page.links("shell/menu", "Page", "/page/a", 10)
            .links("shell/footer", "About", "/page/a#about", 0);
    deploy(&gateway, &[rendering_shell("1.0.0"), page]);
    gateway
}

/// Publishes releases and deploys them.
fn deploy(gateway: &Gateway, releases: &[Release]) -> u64 {
    for release in releases {
        gateway.publish(release);
    }
    let named = releases
        .iter()
        .map(|release| (release.name.clone(), json!(release.version)));
    gateway.deploy(&Value::Object(named.collect()))
}

/// The labels of a menu or a footer in the boot payload.
fn labels(document: &Response, list: &str) -> Vec<String> {
    let navigation = document.boot()["site"]["navigation"][list].take();
    let links = navigation.as_array().unwrap().iter();
    links
        .map(|link| link["label"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn link_of_deployed_section_appears_and_vanishes() {
    let gateway = gateway();
    let before = gateway.get("/page/a");
    assert!(
        before.text().contains("<p>Home /, Page /page/a</p>"),
        "{}",
        before.text()
    );
    assert_eq!(labels(&before, "footer"), ["Terms", "About"]);
    // A page of the gateway itself.
    let error = gateway.get("/state/%zz").text();
    assert!(
        error.contains("<li><a href=\"/page/a#about\">About</a></li>"),
        "{error}"
    );

    deploy(&gateway, &[events("1.0.0", "Events")]);
    let with_events = gateway.get("/page/a");
    assert!(
        with_events
            .text()
            .contains("<p>Home /, Page /page/a, Events /events</p>"),
        "{}",
        with_events.text()
    );
    assert_eq!(labels(&with_events, "menu"), ["Home", "Page", "Events"]);
    assert_eq!(
        labels(&gateway.get("/nowhere"), "menu"),
        ["Home", "Page", "Events"]
    );
    assert_ne!(with_events.header("etag"), before.header("etag"));

    // The same links render no page of another section.
    let rendered = render_count(&gateway, "page", "rendered");
    deploy(&gateway, &[events("1.1.0", "Events")]);
    assert_eq!(gateway.get("/page/a").set(), "3");
    assert_eq!(render_count(&gateway, "page", "rendered"), rendered);

    gateway.admin_change("/api/v1/rollback", &json!({ "deployment": 1 }));
    let after = gateway.get("/page/a").text();
    assert!(after.contains("<p>Home /, Page /page/a</p>"), "{after}");
}

#[test]
fn candidate_with_other_links_decides_all_pages() {
    let gateway = gateway();
    deploy(&gateway, &[events("1.0.0", "Events")]);
    let roll_out = |release: &Release| {
        gateway.publish(release);
        let response =
            gateway.post_deployment(&json!({ "releases": { "events": release.version }, "percent": 50 }));
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()["number"].as_u64().unwrap()
    };
    let visitor = |is_included: bool| {
        let mut visitor = Browser::new(gateway.site);
        visitor.set_cookie(
            "__Host-colonnade-rollout",
            &rollout_cookie(&gateway, &[is_included]),
        );
        visitor
    };
    let same = roll_out(&events("1.1.0", "Events"));
    let mut included = visitor(true);
    assert_eq!(included.get("/events").boot()["deployment"], format!("2.{same}"));
    assert_eq!(included.get("/page/a").boot()["deployment"], "2");
    gateway.admin_change(&format!("/api/v1/deployments/{same}/abort"), &json!({}));

    let other = roll_out(&events("2.0.0", "Concerts"));
    for (is_included, set, label) in [
        (true, format!("2.{other}"), "Concerts"),
        (false, "2".to_owned(), "Events"),
    ] {
        let mut visitor = visitor(is_included);
        for path in ["/page/a", "/events", "/nowhere", "/page/a"] {
            let document = visitor.get(path);
            assert_eq!(document.boot()["deployment"], set, "{path}");
            assert_eq!(labels(&document, "menu"), ["Home", "Page", label], "{path}");
        }
        let text = visitor.get("/page/a").text();
        assert!(text.contains(&format!(", {label} /events</p>")), "{text}");
    }
}

#[test]
fn site_reorders_renames_and_hides_links_at_reload() {
    let gateway = gateway();
    deploy(&gateway, &[events("1.0.0", "Events")]);
    assert_eq!(
        labels(&gateway.get("/page/a"), "menu"),
        ["Home", "Page", "Events"]
    );
    let menu = "menu.links = [{ label = \"Home\", path = \"/\" }]";
    let text = configuration("");
    assert!(text.contains(menu));
    let changed = "menu = { order = [\"/events\"], hide = [\"/page/a\"], labels = { \"/events\" = \"What’s on\" }, \
                   links = [{ label = \"Jobs\", path = \"/jobs\", order = 90 }] }";
    gateway.reload_and_wait(&text.replace(menu, changed));
    let document = gateway.get("/page/a");
    let expected = "<p>What’s on /events, Jobs /jobs</p>";
    assert!(document.text().contains(expected), "{}", document.text());
    assert_eq!(labels(&document, "menu"), ["What’s on", "Jobs"]);
    assert_eq!(labels(&document, "footer"), ["Terms", "About"]);
}
