//! A store whose lock another process holds: changes fail soon, and do not happen later.

use std::fs::File;

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response, wait_until};

/// What a change or a command says that cannot get the lock.
const HELD: &str = "another operation holds the lock of the store; try again";

fn lock(gateway: &Gateway) -> File {
    let lock = File::options()
        .write(true)
        .open(gateway.store().join("lock"))
        .unwrap();
    lock.lock().unwrap();
    lock
}

/// A gateway with a release to deploy, and one live deploy to roll back.
fn gateway() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    for version in ["1.1.0", "1.2.0"] {
        gateway.publish(&Release::section("directory", version, &["/"]));
    }
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    gateway
}

fn assert_locked(response: &Response) {
    assert_eq!(response.status, 503, "{}", response.text());
    assert_eq!(response.header("retry-after"), "5");
    // One call waits for the lock, and the others wait for it.
    let causes = [HELD, "this gateway is making another change"];
    assert!(
        causes.iter().any(|cause| response.text().contains(cause)),
        "{}",
        response.text()
    );
}

#[test]
fn locked_store_fails_changes_that_never_happen_later() {
    let gateway = gateway();
    let before = gateway.admin_get("/api/v1/history");
    let lock = lock(&gateway);
    let calls: [(&str, &str, Vec<u8>); 3] = [
        (
            "POST",
            "/api/v1/deployments",
            json!({ "releases": { "directory": "1.2.0" } }).to_string().into(),
        ),
        (
            "POST",
            "/api/v1/rollback",
            json!({ "section": "directory" }).to_string().into(),
        ),
        ("DELETE", "/api/v1/previews", Vec::new()),
    ];
    // Concurrent calls wait for each other, too.
    std::thread::scope(|scope| {
        for (method, target, body) in calls {
            let gateway = &gateway;
            scope.spawn(move || {
                assert_locked(&gateway.admin_request(Request::new(method, target).body(body)));
            });
        }
    });
    gateway.wait_for_event(|line| line["event"] == "store_locked");
    assert_eq!(gateway.get("/").boot()["deployment"], "2");
    drop(lock);
    assert_eq!(gateway.admin_get("/api/v1/history"), before);
    gateway.deploy(&json!({ "directory": "1.2.0" }));
    let history = gateway.admin_get("/api/v1/history");
    let kinds: Vec<&Value> = history["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["action"])
        .collect();
    assert_eq!(kinds, ["deploy"; 3]);
}

#[test]
fn lock_that_is_released_in_time_delays_change() {
    let gateway = gateway();
    let lock = lock(&gateway);
    std::thread::scope(|scope| {
        let deploy =
            scope.spawn(|| gateway.post_deployment(&json!({ "releases": { "directory": "1.2.0" } })));
        let deployment = gateway.store().join("deployments/3.json");
        wait_until("the deploy is in progress", || deployment.exists());
        drop(lock);
        assert_eq!(deploy.join().unwrap().status, 201);
    });
}
