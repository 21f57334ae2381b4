//! Gateways on one store in a bucket.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use colonnade_testing_s3::{ACCESS_KEY_ID, Fault, S3Server, SECRET_ACCESS_KEY};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Gateway, Release, Request, Setup, authorized, configuration, run_gateway, wait_until};

pub(crate) const CREDENTIALS: [(&str, &str); 2] = [
    ("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID),
    ("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY),
];

/// The keys of `[store]` for a bucket of the server.
pub(crate) fn keys(server: &S3Server, url: &str) -> String {
    format!("url = \"{url}\"\nendpoint = \"{}\"\n", server.endpoint())
}

/// Starts a gateway with a local cache of its own.
pub(crate) fn start(server: &S3Server) -> Gateway {
    Gateway::start_with(&keys(server, "s3://releases/site"), &CREDENTIALS)
}

/// Starts a gateway with the local cache of another one, which must have ended.
fn restart(server: &S3Server, before: &Gateway) -> Gateway {
    Gateway::set_up(Setup {
        folder: Some(before.shared_folder()),
        extra: &keys(server, "s3://releases/site"),
        variables: &CREDENTIALS,
        ..Setup::default()
    })
}

/// Whether an error says that the object store does not respond. On a busy machine, a connection that is closed may time out first.
fn is_unreachable(error: &str) -> bool {
    ["cannot be reached", "did not respond in time"]
        .iter()
        .any(|reason| error.contains(&format!("the object store {reason}")))
}

/// Waits until the local cache of a gateway has everything of a deployment.
pub(crate) fn wait_until_cached(gateway: &Gateway, number: u64) {
    wait_until("the live deployment is cached", || {
        let state = fs::read(gateway.store().join("live.json")).ok();
        let state = state.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        state.is_some_and(|state| state["visible"]["live"] == number)
    });
}

pub(crate) fn directory(version: &str) -> Release {
    Release::section("directory", version, &["/", "/state/:state", "/signup"])
}

#[test]
fn gateway_serves_and_restarts_while_object_store_is_away() {
    let server = S3Server::start();
    let mut gateway = start(&server).with_live_site();
    wait_until_cached(&gateway, 1);
    // Files of a release that no visitor can see are not cached.
    start(&server).publish(&directory("1.0.1"));
    let preview = gateway.admin_post(
        "/api/v1/previews",
        &json!({ "releases": { "directory": "1.0.1" } }),
    );
    let preview = preview.json();
    let (_, token) = preview["url"].as_str().unwrap().rsplit_once('/').unwrap();
    let cookie = format!("__Host-colonnade-preview={token}");
    server.set_fault(Fault::Away);
    let degraded = |gateway: &Gateway| {
        wait_until("the gateway is degraded", || {
            let ready = gateway.get("/readyz");
            ready.status == 200
                && ready
                    .text()
                    .starts_with("degraded: the store cannot be read since ")
        });
    };
    degraded(&gateway);
    let assert_serves = |gateway: &Gateway| {
        assert_eq!(gateway.get("/").boot()["deployment"], "1");
        for file in ["shell/1.0.0/main.js", "directory/1.0.0/entry.js"] {
            assert_eq!(gateway.get(&format!("/assets/{file}")).status, 200, "{file}");
        }
    };
    assert_serves(&gateway);
    // No request waits for the object store again.
    let requests = server.requests_below("GET", "site/files/");
    let file = Request::new("GET", "/assets/directory/1.0.1/entry.js").header("cookie", &cookie);
    let uncached = gateway.site.send(file);
    assert_eq!((uncached.status, uncached.header("retry-after")), (503, "1"));
    assert_eq!(server.requests_below("GET", "site/files/"), requests);
    let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.0.0" } }));
    assert_eq!(
        (deploy.status, deploy.has("retry-after")),
        (503, true),
        "{}",
        deploy.text()
    );
    assert!(is_unreachable(&deploy.text()), "{}", deploy.text());

    gateway.kill();
    let gateway = restart(&server, &gateway);
    let event = gateway.wait_for_event(|line| line["event"] == "store_unreachable");
    let error = event["error"].as_str().unwrap();
    assert!(is_unreachable(error), "{event}");
    assert_serves(&gateway);
    degraded(&gateway);

    server.set_fault(None);
    gateway.wait_for_event(|line| line["event"] == "store_refreshed");
    assert_eq!(gateway.get("/readyz").text(), "ready\n");
    // Nothing has been deployed since, but it has what its local copy lacked.
    let file = Request::new("GET", "/assets/directory/1.0.1/entry.js").header("cookie", &cookie);
    assert_eq!(gateway.site.send(file).status, 200);
    assert_eq!(gateway.get(&format!("/_preview/{token}")).status, 200);
    gateway.publish(&directory("1.1.0"));
    assert_eq!(gateway.deploy(&json!({ "directory": "1.1.0" })), 3);
    assert!(!gateway.output().contains(ACCESS_KEY_ID), "{}", gateway.output());
    assert!(
        !gateway.output().contains(SECRET_ACCESS_KEY),
        "{}",
        gateway.output()
    );
}

/// A server that is away, and a gateway that has started from its local cache meanwhile.
fn start_offline() -> (S3Server, Gateway) {
    let server = S3Server::start();
    let mut gateway = start(&server).with_live_site();
    gateway.publish(&directory("1.1.0"));
    wait_until_cached(&gateway, 1);
    server.set_fault(Fault::Away);
    gateway.kill();
    let gateway = restart(&server, &gateway);
    gateway.wait_for_event(|line| line["event"] == "store_unreachable");
    (server, gateway)
}

/// Checks that a gateway refuses the bucket at the first contact for a reason, and changes nothing in it.
fn check_first_contact_fails(server: &S3Server, gateway: &Gateway, reason: &str) {
    let writes =
        server.requests_below("PUT", "site/releases/") + server.requests_below("PUT", "site/deployments/");
    gateway.wait_for_event(|line| {
        line["event"] == "store_refresh_failed" && line["error"].as_str().unwrap().contains(reason)
    });
    let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.1.0" } }));
    assert!(
        deploy.status >= 500 && deploy.text().contains(reason),
        "{}",
        deploy.text()
    );
    let release = directory("1.2.0");
    let publish = gateway.put_release(&release.name, &release.version, release.archive());
    assert!(publish.status >= 500, "{}", publish.text());
    let ready = gateway.get("/readyz").text();
    assert!(
        ready.starts_with("degraded: the store cannot be read since "),
        "{ready}"
    );
    assert_eq!(gateway.get("/").boot()["deployment"], "1");
    assert_eq!(
        server.requests_below("PUT", "site/releases/") + server.requests_below("PUT", "site/deployments/"),
        writes
    );
}

#[test]
fn unusable_bucket_is_refused_at_first_contact() {
    let (server, gateway) = start_offline();
    let other = json!({ "schema": 1, "id": "another" }).to_string();
    let own = fs::read(server.object("site/store.json")).unwrap();
    server.replace("site/store.json", other.as_bytes());
    let probes = server.requests_below("PUT", "site/probe/");
    server.set_fault(None);
    check_first_contact_fails(&server, &gateway, "is the cache of another store");
    assert_eq!(server.requests_below("PUT", "site/probe/"), probes);
    server.set_fault(Some(Fault::Ignore("If-Match")));
    server.replace("site/store.json", &own);
    check_first_contact_fails(&server, &gateway, "ignores If-Match of PUT requests");
    server.set_fault(None);
    gateway.wait_for_event(|line| line["event"] == "store_refreshed");
    assert_eq!(gateway.deploy(&json!({ "directory": "1.1.0" })), 2);
}

#[test]
fn store_that_goes_away_during_start_is_served_from_cache() {
    let server = S3Server::start();
    let mut gateway = start(&server).with_live_site();
    wait_until_cached(&gateway, 1);
    gateway.kill();
    // The checks at the start succeed.
    server.set_fault(Fault::ErrorInPlaceOfRead(
        403,
        "AccessDenied",
        "/releases/directory/",
    ));
    let mut gateway = restart(&server, &gateway);
    gateway.wait_for_event(|line| line["event"] == "store_unreachable");
    assert_eq!(gateway.get("/").boot()["deployment"], "1");
    assert_eq!(gateway.get("/assets/directory/1.0.0/entry.js").status, 200);
    gateway.kill();
    server.set_fault(Fault::ErrorInPlaceOfRead(403, "AccessDenied", "/live.json"));
    let gateway = restart(&server, &gateway);
    gateway.wait_for_event(|line| line["event"] == "store_unreachable");
    assert_eq!(gateway.get("/").boot()["deployment"], "1");
    gateway.wait_for_event(|line| line["event"] == "store_refresh_failed");
    server.set_fault(None);
    gateway.wait_for_event(|line| line["event"] == "store_refreshed");
    assert_eq!(gateway.get("/readyz").text(), "ready\n");
}

#[test]
fn faults_of_object_store_are_explained_and_change_nothing() {
    // Those that are not repeated.
    let cases = [
        (
            Fault::Error(403, "AccessDenied"),
            "access is denied (AccessDenied)",
        ),
        (
            Fault::Error(400, "ExpiredToken"),
            "rejects the credentials (ExpiredToken)",
        ),
        (
            Fault::Error(403, "SignatureDoesNotMatch"),
            "rejects the credentials (SignatureDoesNotMatch)",
        ),
        (Fault::Error(403, "RequestTimeTooSkewed"), "correct its clock"),
        (Fault::Error(404, "NoSuchBucket"), "there is no such bucket"),
        (Fault::Error(301, "PermanentRedirect"), "correct `store.region`"),
        (
            Fault::ErrorBody("InternalError"),
            "an error instead of the object (InternalError)",
        ),
    ];
    let slow_cases = [
        (
            Fault::Error(503, "SlowDown"),
            "the object store failed (SlowDown)",
        ),
        (Fault::Hang, "did not respond in time"),
    ];
    std::thread::scope(|scope| {
        scope.spawn(|| check_faults(&cases));
        for case in slow_cases {
            scope.spawn(move || check_faults(&[case]));
        }
        scope.spawn(|| {
            let server = S3Server::start();
            let gateway = start(&server).with_live_site();
            gateway.publish(&directory("1.1.0"));
            // A server that fails after it wrote: the change is found.
            server.set_fault(Fault::ErrorAfterWrite(500, "InternalError"));
            let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.1.0" } }));
            assert_eq!(deploy.status, 503, "{}", deploy.text());
            server.set_fault(None);
            assert!(gateway.deploy(&json!({ "directory": "1.1.0" })) > 1);
        });
    });
}

#[test]
fn deploys_of_many_teams_and_rollback_succeed() {
    let server = S3Server::start();
    let gateway = start(&server).with_live_site();
    let names: Vec<String> = (0..4).map(|number| format!("section-{number}")).collect();
    for name in &names {
        gateway.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
    }
    gateway.publish(&directory("1.1.0"));
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    // Each deploy sends several requests, one after the other, so the last one waits for seconds.
    server.set_latency(Duration::from_millis(100));
    let made = || server.requests("PUT", "site/live.json");
    let made_before = made();
    std::thread::scope(|scope| {
        let deploy = |name: &String| {
            let body = json!({ "releases": { name: "1.0.0" } });
            let gateway = &gateway;
            scope.spawn(move || gateway.post_deployment(&body))
        };
        let deploys: Vec<_> = names.iter().map(deploy).collect();
        wait_until("the first deploy is made", || made() > made_before);
        gateway.admin_change("/api/v1/rollback", &json!({ "section": "directory" }));
        for deploy in deploys {
            let response = deploy.join().unwrap();
            assert_eq!(response.status, 201, "{}", response.text());
        }
    });
}

/// Checks that a gateway explains each fault, and that it changes nothing.
fn check_faults(cases: &[(Fault, &str)]) {
    let server = S3Server::start();
    let gateway = start(&server).with_live_site();
    gateway.publish(&directory("1.1.0"));
    for (fault, text) in cases {
        server.set_fault(*fault);
        gateway.wait_for_event(|line| {
            line["event"] == "store_refresh_failed" && line["error"].as_str().unwrap().contains(text)
        });
        let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.1.0" } }));
        assert_eq!(deploy.status, 503, "{fault:?}: {}", deploy.text());
        assert_eq!(gateway.get("/").boot()["deployment"], "1", "{fault:?}");
        server.set_fault(None);
        wait_until("the store is read again", || {
            gateway.get("/readyz").text() == "ready\n"
        });
    }
    assert!(!gateway.output().contains(ACCESS_KEY_ID), "{}", gateway.output());
}

#[test]
fn store_that_lost_its_last_change_is_noticed() {
    let server = S3Server::start();
    let first = start(&server).with_live_site();
    let older = fs::read(server.object("site/live.json")).unwrap();
    first.publish(&directory("1.1.0"));
    assert_eq!(first.deploy(&json!({ "directory": "1.1.0" })), 2);
    server.replace("site/live.json", &older);
    let second = start(&server);
    assert_eq!(second.get("/").boot()["deployment"], "1");
    second.publish(&directory("1.2.0"));
    second.deploy(&json!({ "directory": "1.2.0" }));
    let is_noticed =
        || first.get("/readyz").text() == "degraded: the store was restored while the gateway runs\n";
    wait_until("the loss is noticed", is_noticed);
    let polls = server.requests("GET", "site/live.json");
    wait_until("both gateways poll", || {
        server.requests("GET", "site/live.json") > polls + 4
    });
    assert!(is_noticed());
    assert_eq!(first.get("/").boot()["deployment"], "2");
    assert_eq!(second.get("/").boot()["deployment"], "3");
    // Where an operator finds what was lost.
    let live = |gateway: &Gateway| {
        let sections = gateway.admin_get("/api/v1/sections");
        let mut sections = sections.as_array().unwrap().iter();
        let directory = sections.find(|section| section["name"] == "directory");
        directory.unwrap()["live"].clone()
    };
    assert_eq!((live(&first), live(&second)), (json!("1.1.0"), json!("1.2.0")));
    first.wait_for_event(|line| {
        line["event"] == "admin_request"
            && line["outcome"] == "succeeded"
            && line["target"] == "directory@1.1.0"
    });
}

/// Writes a configuration with an access key to a folder.
fn configure(folder: &Path, keys: &str, secret: &str) -> PathBuf {
    fs::write(folder.join("secret"), secret).unwrap();
    let key = format!("[store.access_key]\nid = \"{ACCESS_KEY_ID}\"\nsecret = {{ file = \"secret\" }}\n");
    let config = folder.join("site.toml");
    fs::write(&config, configuration(&(keys.to_owned() + &key))).unwrap();
    config
}

/// Runs a gateway that must not start. Returns what it says.
fn refusal(folder: &Path, server: &S3Server, url: &str, secret: &str) -> String {
    refusal_with(folder, &keys(server, url), secret)
}

/// Runs a gateway with these keys of `[store]` that must not start. Returns what it says.
pub(crate) fn refusal_with(folder: &Path, keys: &str, secret: &str) -> String {
    let config = configure(folder, keys, secret);
    let output = run_gateway(&["serve", "--config", config.to_str().unwrap()]);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(!text.contains(secret) && !text.contains(ACCESS_KEY_ID), "{text}");
    text
}

#[test]
fn unusable_buckets_are_refused_at_start() {
    let (server, other) = (S3Server::start(), S3Server::start());
    let folder = TempDir::new().unwrap();
    let refused = |url: &str, secret: &str, expected: &str| {
        let text = refusal(folder.path(), &server, url, secret);
        assert!(text.contains(expected), "{expected}: {text}");
    };
    for (fault, expected) in [
        (
            Fault::Ignore("If-None-Match"),
            "ignores If-None-Match of PUT requests",
        ),
        (Fault::Ignore("If-Match"), "ignores If-Match of PUT requests"),
        (Fault::NoEtags, "has no ETag"),
        (Fault::Away, "cannot be reached"),
        (
            Fault::Redirect(other.address()),
            "redirects to another place; correct `store.region` or `store.endpoint`",
        ),
    ] {
        server.set_fault(fault);
        refused("s3://releases/site", SECRET_ACCESS_KEY, expected);
    }
    let redirected = ["GET", "HEAD", "PUT"].map(|method| other.requests_below(method, ""));
    assert_eq!(redirected, [0; 3]);
    server.set_fault(None);
    refused(
        "s3://another-bucket/site",
        SECRET_ACCESS_KEY,
        "there is no such bucket",
    );
    refused(
        "s3://releases/site",
        "a-wrong-secret",
        "rejects the credentials (SignatureDoesNotMatch)",
    );
    fs::create_dir_all(server.object("others")).unwrap();
    server.replace("others/report.csv", b"1,2,3");
    refused(
        "s3://releases/others",
        SECRET_ACCESS_KEY,
        "`store.json` of a store is not",
    );
    assert!(!server.object("others/probe").exists());

    // The folder is the cache of one store only.
    let gateway = start(&server).with_live_site();
    wait_until_cached(&gateway, 1);
    let url = "s3://releases/another";
    let text = refusal(gateway.folder(), &server, url, SECRET_ACCESS_KEY);
    assert!(
        text.contains("is the cache of another store, s3://releases/site"),
        "{text}"
    );

    // A new gateway does not start with a part of what is live.
    server.set_fault(Fault::ErrorInPlaceOfRead(503, "SlowDown", "/releases/directory/"));
    let new = TempDir::new().unwrap();
    let text = refusal(new.path(), &server, "s3://releases/site", SECRET_ACCESS_KEY);
    assert!(text.contains("SlowDown"), "{text}");
}

#[test]
fn store_copy_moves_store_with_history_both_ways() {
    let server = S3Server::start();
    let mut old = Gateway::start().with_live_site();
    old.publish(&directory("1.1.0"));
    old.deploy(&json!({ "directory": "1.1.0" }));
    let history = old.admin_get("/api/v1/history")["entries"].clone();
    old.kill();

    let folder = TempDir::new().unwrap();
    let url = "s3://releases/site";
    let config = configure(folder.path(), &keys(&server, url), SECRET_ACCESS_KEY);
    let copy = |from: &str, to: &str| {
        let output = run_gateway(&["store", "copy", from, to, "--config", config.to_str().unwrap()]);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), text)
    };
    let (code, text) = copy(old.store().to_str().unwrap(), url);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("copied revision 2 with 3 releases"), "{text}");
    let (code, text) = copy(old.store().to_str().unwrap(), url);
    assert!(code == 1 && text.contains("the store is not empty"), "{text}");

    let mut moved = start(&server);
    assert_eq!(moved.get("/").boot()["deployment"], "2");
    assert_eq!(moved.get("/assets/directory/1.1.0/entry.js").status, 200);
    assert_eq!(moved.admin_get("/api/v1/history")["entries"], history);
    let rollback = moved.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(rollback.status, 201, "{}", rollback.text());
    moved.kill();
    // The folder is a cache, not a store.
    let (code, text) = copy(moved.store().to_str().unwrap(), "s3://releases/again");
    assert!(
        code == 1 && text.contains("the cache of a store in a bucket"),
        "{text}"
    );

    let back = Arc::new(TempDir::new().unwrap());
    let target = back.path().join("store");
    let (code, text) = copy("s3://releases/nothing", target.to_str().unwrap());
    assert!(code == 1 && text.contains("there is no store here"), "{text}");
    let (code, text) = copy(url, target.to_str().unwrap());
    assert!(code == 0 && text.contains("ok: revision 3"), "{text}");
    let (code, text) = copy(url, target.to_str().unwrap());
    assert!(code == 1 && text.contains("the store is not empty"), "{text}");
    let returned = Gateway::set_up(Setup {
        folder: Some(back),
        ..Setup::default()
    });
    assert_eq!(returned.get("/").boot()["deployment"], "3");
    returned.deploy(&json!({ "directory": "1.1.0" }));
}

#[test]
fn deploy_does_not_wait_for_garbage_collection() {
    let server = S3Server::start();
    let gateway = start(&server).with_live_site();
    gateway.publish(&directory("1.0.2"));
    // This gateway has nothing of it in its local cache.
    start(&server).publish(&directory("1.0.1"));
    server.set_fault(Fault::HangInPlaceOfRead("/releases/directory/1.0.1.json"));
    let mut hanging = gateway.admin.connect();
    let request = authorized(Request::new("POST", "/api/v1/garbage-collection").body("{}"));
    hanging
        .write_all(&request.into_bytes(gateway.admin.address()))
        .unwrap();
    wait_until("the collection reads a release", || {
        server.requests("GET", "/releases/directory/1.0.1.json") > 0
    });
    gateway.deploy(&json!({ "directory": "1.0.2" }));
}
