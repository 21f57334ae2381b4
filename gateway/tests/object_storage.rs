//! Gateways on one store in a bucket.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use colonnade_testing_s3::{ACCESS_KEY_ID, Fault, S3Server, SECRET_ACCESS_KEY};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Gateway, Release, Setup, configuration, run_gateway, wait_until};

const CREDENTIALS: [(&str, &str); 2] = [
    ("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID),
    ("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY),
];

/// The keys of `[store]` for a bucket of the server.
fn keys(server: &S3Server, url: &str) -> String {
    format!("url = \"{url}\"\nendpoint = \"{}\"\n", server.endpoint())
}

/// Starts a gateway with a local cache of its own.
fn start(server: &S3Server) -> Gateway {
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

/// Waits until the local cache of a gateway has everything of a deployment.
fn wait_until_cached(gateway: &Gateway, number: u64) {
    wait_until("the live deployment is cached", || {
        let state = fs::read(gateway.store().join("live.json")).ok();
        let state = state.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        state.is_some_and(|state| state["visible"]["deployments"][0] == number)
    });
}

fn directory(version: &str) -> Release {
    Release::section("directory", version, &["/", "/state/:state", "/signup"]).slot("join")
}

#[test]
fn deploy_through_one_gateway_is_live_at_others() {
    let server = S3Server::start();
    let first = start(&server).with_live_site();
    let second = start(&server);
    second.wait_until_live(1);
    assert_eq!(second.get("/assets/directory/1.0.0/entry.js").status, 200);
    second.publish(&directory("1.1.0"));
    assert_eq!(second.deploy(&json!({ "directory": "1.1.0" })), 2);
    first.wait_until_live(2);
    assert_eq!(first.get("/assets/directory/1.1.0/entry.js").status, 200);
    let rollback = first.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(rollback.status, 201, "{}", rollback.text());
    second.wait_until_live(3);
    let history = second.admin_get("/api/v1/history");
    assert_eq!(history["entries"].as_array().unwrap().len(), 3, "{history}");
    // Polls ask only whether the live state has changed.
    let polls = server.requests("GET", "site/live.json");
    wait_until("both gateways poll", || {
        server.requests("GET", "site/live.json") > polls + 4
    });
    assert_eq!(
        first.metric("colonnade_store_errors_total{operation=\"live_state\"}"),
        0
    );
    assert!(first.metric("colonnade_store_last_read_timestamp_seconds") > 1_700_000_000);
}

#[test]
fn racing_deploys_through_gateways_lose_nothing() {
    const DEPLOYS: usize = 4;
    let server = S3Server::start();
    let first = start(&server).with_live_site();
    let gateways = [first, start(&server), start(&server)];
    std::thread::scope(|scope| {
        for (index, gateway) in gateways.iter().enumerate() {
            scope.spawn(move || {
                let name = format!("section-{index}");
                for deploy in 0..DEPLOYS {
                    let version = format!("1.{deploy}.0");
                    gateway.publish(&Release::section(&name, &version, &[&format!("/{name}")]));
                    gateway.deploy(&json!({ name.as_str(): version }));
                }
            });
        }
    });
    let last = u64::try_from(1 + gateways.len() * DEPLOYS).unwrap();
    let history = gateways[0].admin_get("/api/v1/history?limit=100");
    let changes = history["entries"].as_array().unwrap();
    let revisions: Vec<u64> = changes
        .iter()
        .map(|change| change["revision"].as_u64().unwrap())
        .collect();
    assert_eq!(revisions, (1..=last).rev().collect::<Vec<u64>>());
    for gateway in &gateways {
        wait_until("the gateway has all changes", || {
            gateway.admin_get("/api/v1/gateway")["revision"] == last
        });
        for index in 0..gateways.len() {
            let file = format!("/assets/section-{index}/1.{}.0/entry.js", DEPLOYS - 1);
            assert_eq!(gateway.get(&file).status, 200, "{file}");
        }
    }
}

#[test]
fn gateway_serves_and_restarts_while_object_store_is_away() {
    let server = S3Server::start();
    let mut gateway = start(&server).with_live_site();
    wait_until_cached(&gateway, 1);
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
        assert_eq!(gateway.get("/").boot()["deployment"], 1);
        for file in ["shell/1.0.0/main.js", "directory/1.0.0/entry.js"] {
            assert_eq!(gateway.get(&format!("/assets/{file}")).status, 200, "{file}");
        }
    };
    assert_serves(&gateway);
    let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.0.0" } }));
    assert_eq!(
        (deploy.status, deploy.has("retry-after")),
        (503, true),
        "{}",
        deploy.text()
    );
    assert!(
        deploy.text().contains("the object store cannot be reached"),
        "{}",
        deploy.text()
    );

    gateway.kill();
    let gateway = restart(&server, &gateway);
    let event = gateway.wait_for_event(|line| line["event"] == "store_unreachable");
    assert!(
        event["error"].as_str().unwrap().contains("cannot be reached"),
        "{event}"
    );
    assert_serves(&gateway);
    degraded(&gateway);

    server.set_fault(None);
    gateway.wait_for_event(|line| line["event"] == "store_refreshed");
    assert_eq!(gateway.get("/readyz").text(), "ready\n");
    gateway.publish(&directory("1.1.0"));
    assert_eq!(gateway.deploy(&json!({ "directory": "1.1.0" })), 2);
    assert!(!gateway.output().contains(ACCESS_KEY_ID), "{}", gateway.output());
    assert!(
        !gateway.output().contains(SECRET_ACCESS_KEY),
        "{}",
        gateway.output()
    );
}

#[test]
fn faults_of_object_store_are_explained_and_change_nothing() {
    let server = S3Server::start();
    let gateway = start(&server).with_live_site();
    gateway.publish(&directory("1.1.0"));
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
        (
            Fault::Error(503, "SlowDown"),
            "the object store failed (SlowDown)",
        ),
        (Fault::Error(301, "PermanentRedirect"), "correct `store.region`"),
        (
            Fault::ErrorBody("InternalError"),
            "an error instead of the object (InternalError)",
        ),
        (Fault::Hang, "did not respond in time"),
    ];
    for (fault, text) in cases {
        server.set_fault(fault);
        gateway.wait_for_event(|line| {
            line["event"] == "store_refresh_failed" && line["error"].as_str().unwrap().contains(text)
        });
        let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.1.0" } }));
        assert_eq!(deploy.status, 503, "{fault:?}: {}", deploy.text());
        assert_eq!(gateway.get("/").boot()["deployment"], 1, "{fault:?}");
        server.set_fault(None);
        wait_until("the store is read again", || {
            gateway.get("/readyz").text() == "ready\n"
        });
    }
    assert!(!gateway.output().contains(ACCESS_KEY_ID), "{}", gateway.output());
    // A server that fails after it wrote: the change is found.
    server.set_fault(Fault::ErrorAfterWrite(500, "InternalError"));
    let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.1.0" } }));
    assert_eq!(deploy.status, 503, "{}", deploy.text());
    server.set_fault(None);
    assert!(gateway.deploy(&json!({ "directory": "1.1.0" })) > 1);
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
    assert_eq!(second.get("/").boot()["deployment"], 1);
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
    assert_eq!(first.get("/").boot()["deployment"], 2);
    assert_eq!(second.get("/").boot()["deployment"], 3);
}

/// Writes a configuration with an access key to a folder.
fn configure(folder: &Path, server: &S3Server, url: &str, secret: &str) -> PathBuf {
    fs::write(folder.join("secret"), secret).unwrap();
    let key = format!("[store.access_key]\nid = \"{ACCESS_KEY_ID}\"\nsecret = {{ file = \"secret\" }}\n");
    let config = folder.join("site.toml");
    fs::write(&config, configuration(&(keys(server, url) + &key))).unwrap();
    config
}

/// Runs a gateway that must not start. Returns what it says.
fn refusal(folder: &Path, server: &S3Server, url: &str, secret: &str) -> String {
    let config = configure(folder, server, url, secret);
    let output = run_gateway(&["serve", "--config", config.to_str().unwrap()]);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(!text.contains(secret) && !text.contains(ACCESS_KEY_ID), "{text}");
    text
}

#[test]
fn unusable_buckets_are_refused_at_start() {
    let server = S3Server::start();
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
    ] {
        server.set_fault(fault);
        refused("s3://releases/site", SECRET_ACCESS_KEY, expected);
    }
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
    let config = configure(folder.path(), &server, url, SECRET_ACCESS_KEY);
    let copy = |from: &str, to: &str| {
        let output = run_gateway(&["store", "copy", from, to, "--config", config.to_str().unwrap()]);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), text)
    };
    let (code, text) = copy(old.store().to_str().unwrap(), url);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("copied revision 2 with 3 releases"), "{text}");
    let (code, text) = copy(old.store().to_str().unwrap(), url);
    assert!(
        code == 1 && text.contains("the bucket has another store"),
        "{text}"
    );

    let mut moved = start(&server);
    assert_eq!(moved.get("/").boot()["deployment"], 2);
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
    assert!(code == 1 && text.contains("the folder is not empty"), "{text}");
    let returned = Gateway::set_up(Setup {
        folder: Some(back),
        ..Setup::default()
    });
    assert_eq!(returned.get("/").boot()["deployment"], 3);
    returned.deploy(&json!({ "directory": "1.1.0" }));
}
