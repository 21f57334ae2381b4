//! Three gateways on one S3 server, some behind HAProxy with the configuration of docs/operate/several-gateways.md.

use std::collections::BTreeSet;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use colonnade_testing_s3::S3Server;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::history::read_all_pages;
use crate::object_storage::{CREDENTIALS, directory, wait_until_cached};
use crate::shared_store::files;
use crate::support::{
    Browser, Client, Gateway, HEALTHY_MODULE, HaProxy, Relay, Request, SetOnDrop, Setup, free_port, is_soak,
    rendered_section, rendering_shell, rollout_cookie, wait_until,
};

/// A gateway that can be cut off from the store, and restarted at the same address.
struct Place {
    address: SocketAddr,
    relay: Relay,
    folder: Arc<TempDir>,
    extra: &'static str,
}

impl Place {
    fn new(server: &S3Server, extra: &'static str) -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, free_port())),
            relay: Relay::start(server.address()),
            folder: Arc::new(TempDir::new().unwrap()),
            extra,
        }
    }

    fn start(&self) -> Gateway {
        let store = format!(
            "url = \"s3://releases/site\"\nendpoint = \"{}\"\n",
            self.relay.endpoint()
        );
        Gateway::set_up(Setup {
            folder: Some(Arc::clone(&self.folder)),
            site: Some(self.address),
            listen: "trusted_proxies = [\"127.0.0.1\"]",
            extra: &(store + self.extra),
            variables: &CREDENTIALS,
            ..Setup::default()
        })
    }
}

/// Starts three gateways with additional configuration.
fn start_three(server: &S3Server, extra: &'static str) -> ([Place; 3], [Gateway; 3]) {
    let places = [(); 3].map(|()| Place::new(server, extra));
    let gateways = places.each_ref().map(Place::start);
    (places, gateways)
}

/// Publishes a version of `directory` through one gateway, and deploys it through another one.
fn deploy(publisher: &Gateway, deployer: &Gateway, version: &str) -> u64 {
    publisher.publish(&directory(version));
    deployer.deploy(&json!({ "directory": version }))
}

/// Reads a document with its assets and its page data, like a browser. All are of one deployment.
fn read_page(browser: &mut Browser) {
    let document = browser.get("/");
    assert_eq!(document.status, 200, "{}", document.text());
    let boot = document.boot();
    let files = files(&document);
    let versions: BTreeSet<&str> = files.iter().map(|file| file.split('/').nth(3).unwrap()).collect();
    assert_eq!(versions.len(), 1, "mixed: {files:?}");
    for file in &files {
        let response = browser.get(file);
        assert_eq!(response.status, 200, "{file}: {}", response.text());
    }
    let page = browser.get(&format!(
        "/_page/{}?path=%2F",
        boot["deployment"].as_str().unwrap()
    ));
    assert_eq!(page.status, 200, "{}", page.text());
    assert_eq!(page.json(), boot["page"]);
}

#[test]
fn faults_of_gateways_fail_no_request_behind_haproxy() {
    const VISITORS: u8 = 3;
    let server = S3Server::start();
    let (places, [a, mut b, mut c]) = start_three(&server, "[limits]\nshutdown_delay_ms = 3000\n");
    let a = a.with_live_site();
    for gateway in [&b, &c] {
        gateway.wait_until_live(1);
    }
    let Some(proxy) = HaProxy::start(places.each_ref().map(|place| place.address)) else {
        return;
    };
    wait_until("HAProxy has a gateway", || proxy.site.get("/").status == 200);
    let (has_ended, reads) = (AtomicBool::new(false), AtomicUsize::new(0));
    let wait_for_visitors = || {
        let before = reads.load(Ordering::Relaxed);
        wait_until("visitors read pages", || {
            reads.load(Ordering::Relaxed) >= before + 10 * usize::from(VISITORS)
        });
    };
    std::thread::scope(|scope| {
        let _stop = SetOnDrop(&has_ended);
        for visitor in 1..=VISITORS {
            let site = proxy.site.with_source_ip(Ipv4Addr::new(127, 0, 3, visitor));
            let (has_ended, reads) = (&has_ended, &reads);
            scope.spawn(move || {
                let mut browser = Browser::new(site);
                while !has_ended.load(Ordering::Relaxed) {
                    read_page(&mut browser);
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        wait_for_visitors();
        // A gateway is killed, and restarted when it is a deployment behind.
        b.kill();
        assert_eq!(deploy(&a, &c, "2.1.0"), 2);
        wait_for_visitors();
        b = places[1].start();
        b.wait_until_live(2);
        // One is cut off from the store, and misses two deployments.
        wait_until_cached(&c, 2);
        places[2].relay.set_cut(true);
        assert_eq!(deploy(&b, &a, "2.2.0"), 3);
        wait_for_visitors();
        wait_until("the gateway is degraded", || {
            c.get("/readyz")
                .text()
                .starts_with("degraded: the store cannot be read since ")
        });
        assert_eq!(deploy(&b, &a, "2.3.0"), 4);
        wait_for_visitors();
        assert_eq!(c.get("/").boot()["deployment"], "2");
        let missing = c.get("/assets/directory/2.3.0/entry.js");
        assert_eq!((missing.status, missing.header("retry-after")), (503, "1"));
        assert_eq!(c.get("/_page/4?path=%2F").status, 503);
        assert_eq!(c.get("/_page/1?path=%2F").status, 200);
        assert_eq!(c.get("/assets/directory/2.0.0/").status, 404);
        // Killed and started again without the store, it serves what it has.
        c.kill();
        c = places[2].start();
        assert_eq!(c.get("/").boot()["deployment"], "2");
        wait_for_visitors();
        places[2].relay.set_cut(false);
        c.wait_until_live(4);
        // One ends gracefully.
        b.signal("TERM");
        b.wait_for_exit();
        wait_for_visitors();
        b = places[1].start();
        wait_for_visitors();
    });
    for gateway in [&a, &b, &c] {
        gateway.wait_until_live(4);
    }
}

#[test]
fn unknown_deployment_without_store_is_not_gone() {
    let server = S3Server::start();
    let place = Place::new(&server, "");
    let gateway = place.start().with_live_site();
    let status = || gateway.get("/_page/99?path=%2F").status;
    assert_eq!(status(), 410);
    place.relay.set_cut(true);
    let is_degraded = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = SetOnDrop(&is_degraded);
        for _ in 0..4 {
            // Requests that wait for the same read, until it times out.
            scope.spawn(|| {
                while !is_degraded.load(Ordering::Relaxed) {
                    assert_eq!(status(), 503);
                }
            });
        }
        wait_until("the gateway is degraded", || {
            gateway.get("/readyz").text().starts_with("degraded: ")
        });
    });
}

#[test]
fn previews_begin_and_end_at_each_gateway() {
    let server = S3Server::start();
    let (_places, [a, b, c]) = start_three(&server, "");
    let a = a.with_live_site();
    b.wait_until_live(1);
    c.wait_until_live(1);
    a.publish(&directory("2.0.0"));
    let preview = b.admin_post(
        "/api/v1/previews",
        &json!({ "releases": { "directory": "2.0.0" } }),
    );
    let preview = preview.json();
    let (_, token) = preview["url"].as_str().unwrap().rsplit_once('/').unwrap();
    let cookie = format!("__Host-colonnade-preview={token}");
    let previewed = |gateway: &Gateway| {
        let request = Request::new("GET", "/").header("cookie", &cookie);
        gateway.site.send(request).set() == preview["deployment"].to_string()
    };
    for gateway in [&a, &b, &c] {
        assert_eq!(gateway.get(&format!("/_preview/{token}")).status, 200);
        assert!(previewed(gateway));
    }
    let ended = c.admin_request(Request::new("DELETE", "/api/v1/previews"));
    assert!(ended.status < 300, "{}", ended.text());
    for gateway in [&a, &b, &c] {
        wait_until("the preview has ended", || !previewed(gateway));
        assert_eq!(gateway.get(&format!("/_preview/{token}")).status, 403);
    }
}

#[test]
fn racing_calls_through_gateways_are_all_in_history() {
    let rounds = if is_soak() { 100 } else { 2 };
    let server = S3Server::start();
    let (_places, [a, b, c]) = start_three(&server, "");
    let gateways = [a.with_live_site(), b, c];
    gateways[0].publish(&directory("1.1.0"));
    let reasons: Vec<String> = std::thread::scope(|scope| {
        let calls = gateways.iter().enumerate().map(|(index, gateway)| {
            scope.spawn(move || {
                let mut made = Vec::new();
                let mut call = |target: &str, mut body: Value| {
                    let reason = format!("call {} of gateway {index}", made.len());
                    body["reason"] = json!(reason);
                    let response = gateway.admin_post(target, &body);
                    // Another gateway may have rolled back or ended the rollout.
                    assert!(
                        [201, 200, 404, 409, 422].contains(&response.status),
                        "{}",
                        response.text()
                    );
                    if response.status == 201 {
                        made.push(reason);
                    } else {
                        made.push(String::new());
                    }
                };
                for round in 0..rounds {
                    let [version, other] = [["1.0.0", "1.1.0"], ["1.1.0", "1.0.0"]][round % 2];
                    call(
                        "/api/v1/deployments",
                        json!({ "releases": { "directory": version } }),
                    );
                    call("/api/v1/rollback", json!({ "section": "directory" }));
                    call("/api/v1/previews", json!({ "releases": { "directory": other } }));
                }
                made
            })
        });
        let calls: Vec<_> = calls.collect();
        calls
            .into_iter()
            .flat_map(|calls| calls.join().unwrap())
            .filter(|reason| !reason.is_empty())
            .collect()
    });
    let entries = read_all_pages(&gateways[1], 500);
    let revisions: Vec<u64> = entries
        .iter()
        .map(|entry| entry["revision"].as_u64().unwrap())
        .collect();
    let newest = revisions[0];
    assert_eq!(revisions, (1..=newest).rev().collect::<Vec<u64>>());
    for reason in &reasons {
        let count = entries.iter().filter(|entry| entry["reason"] == *reason).count();
        assert_eq!(count, 1, "{reason}: {entries:?}");
    }
    let changes: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| entry["reason"].as_str())
        .collect();
    assert!(
        changes
            .iter()
            .all(|reason| reasons.iter().any(|made| made == reason))
    );
    for gateway in &gateways {
        wait_until("the gateway has all changes", || {
            gateway.admin_get("/api/v1/gateway")["revision"] == newest
        });
        assert_eq!(read_all_pages(gateway, 500), entries);
    }
    let gateway = &gateways[0];
    assert_eq!(
        gateway.metric("colonnade_store_errors_total{operation=\"live_state\"}"),
        0
    );
    let requests = ["get", "list", "put", "delete", "other"]
        .map(|kind| gateway.metric(&format!("colonnade_store_requests_total{{kind=\"{kind}\"}}")));
    assert!(
        requests[..4].iter().all(|requests| *requests > 0) && requests[4] == 0,
        "{requests:?}"
    );
    assert!(gateway.metric("colonnade_store_last_read_timestamp_seconds") > 1_700_000_000);
}

/// A module that fails for one path, which no trial render knows.
const FAILS_FOR_BAD: &str = "export default { page: (path) => { if (path.endsWith('bad')) throw new Error('bad'); return '<p>good</p>'; } };";

#[test]
fn gateways_abort_failing_rollout_by_sum_of_counts() {
    let server = S3Server::start();
    // More requests than any gateway has.
    let settings = "[rollout]\nmin_clients = 5\n[rollout.analysis]\nmin_requests = 6\n";
    let (places, gateways) = start_three(&server, settings);
    let [a, b, c] = &gateways;
    a.publish(&rendering_shell("1.0.0"));
    a.publish(&rendered_section("shop", "1.0.0", "/shop/:x", HEALTHY_MODULE));
    a.publish(&rendered_section("shop", "2.0.0", "/shop/:x", FAILS_FOR_BAD));
    a.deploy(&json!({ "shell": "1.0.0", "shop": "1.0.0" }));
    let rollout = json!({ "releases": { "shop": "2.0.0" }, "steps": "50% for 1h, 100%" });
    assert_eq!(b.post_deployment(&rollout).status, 201);
    for gateway in &gateways {
        wait_until("the gateway knows all others", || {
            gateway.metric("colonnade_canary_gateways") == 3
        });
    }
    wait_until("the rollout is cached", || {
        let state = fs::read_to_string(a.store().join("live.json")).unwrap_or_default();
        state.contains("\"steps\"")
    });
    let [live, candidate] = [false, true].map(|is_candidate| rollout_cookie(a, &[is_candidate]));
    for (gateway, place) in (0..).zip(&places) {
        let visit = |client: u8, cookie: &str| {
            let source = Ipv4Addr::new(127, 0, 2, client);
            let mut browser = Browser::new(Client::new(place.address).with_source_ip(source));
            browser.set_cookie("__Host-colonnade-rollout", cookie);
            assert_eq!(browser.get("/shop/bad").status, 200);
        };
        for client in 0..12 {
            visit(12 * gateway + client, &live);
        }
        for client in 0..2 {
            visit(100 + 2 * gateway + client, &candidate);
        }
    }
    let newest = || c.admin_get("/api/v1/history?limit=1")["entries"][0].clone();
    wait_until("a gateway aborts", || newest()["by"] == "gateway");
    let abort = newest();
    assert_eq!(abort["action"], "automatic-abort", "{abort}");
    // Five clients are enough. The last request may not be counted yet.
    let reasons = [5, 6].map(|requests| {
        format!(
            "100.0 % of {requests} requests with the rollout's releases have a render failure, and 0.0 % of 36 without"
        )
    });
    assert!(
        reasons.iter().any(|reason| abort["reason"] == **reason),
        "{abort}"
    );
    // The counts are deleted with the rollout.
    wait_until("the counts are deleted", || {
        fs::read_dir(server.object("site/canary")).map_or(0, Iterator::count) == 0
    });
    assert_eq!(a.metric("colonnade_canary_gateways"), 0);
}
