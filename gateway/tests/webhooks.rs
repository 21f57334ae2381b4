//! Webhooks: signed messages about what happens at the site and at a gateway.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;

use crate::support::{
    Backend, Certificate, Gateway, Release, Reply, Request, Setup, edit_json, now, read_json, wait_until,
};

/// The `secret` and the `previous_secret` of each webhook.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const PREVIOUS: &str = "whsec_cHJldmlvdXNwcmV2aW91c3ByZXZpb3Vz";

pub(crate) const VARIABLES: &[(&str, &str)] = &[("SECRET", SECRET), ("PREVIOUS", PREVIOUS)];

const CHANGES: &str = r#""release.published", "deployment.changed", "rollout.changed", "extension.switched""#;

pub(crate) fn accepted() -> Reply {
    Reply::Response(204, "text/plain", String::new())
}

/// The table of the webhook `chat`.
pub(crate) fn webhook(receiver: &Backend, events: &str) -> String {
    format!(
        "[webhooks.chat]\nurl = \"{}/hook?key=path-secret\"\nsecret = {{ env = \"SECRET\" }}\n\
         previous_secret = {{ env = \"PREVIOUS\" }}\nevents = [{events}]\n",
        receiver.origin()
    )
}

/// A gateway with a live site whose webhook gets what happens from now on.
fn gateway(table: &str) -> Gateway {
    let gateway = Gateway::start_live(table, VARIABLES);
    let progress = gateway.store().join("webhooks/chat.json");
    wait_until("the webhook is known", || progress.exists());
    gateway
}

/// The ID and the body of a message with a valid signature.
fn verified(request: &str) -> (String, Value) {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("POST /hook?key=path-secret HTTP/1.1\r\n"),
        "{head}"
    );
    let header = |name: &str| {
        let line = head
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name} in {head}"))
    };
    assert_eq!(header("content-type"), "application/json");
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let age = now().as_second() - timestamp.parse::<i64>().unwrap();
    assert!((0..60).contains(&age), "{age}");
    let signatures = [SECRET, PREVIOUS].map(|secret| {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    });
    assert_eq!(header("webhook-signature"), signatures.join(" "));
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        (&body["id"], &body["site"]),
        (&json!(id), &json!("https://site.example"))
    );
    (id.to_owned(), body)
}

/// The bodies of the first messages.
pub(crate) fn messages(receiver: &Backend, count: usize) -> Vec<Value> {
    receiver.wait_for_requests(count);
    let received = receiver.received();
    received
        .iter()
        .take(count)
        .map(|request| verified(request).1)
        .collect()
}

fn release(version: &str) -> Release {
    Release::section("directory", version, &["/", "/state/:state", "/signup"])
}

fn publish(gateway: &Gateway, version: &str) {
    gateway.publish(&release(version));
}

#[test]
fn webhook_gets_signed_events_in_order() {
    let receiver = Backend::start(accepted());
    let gateway = gateway(&webhook(&receiver, CHANGES));
    let source = json!({ "commit": "4bf92f3", "url": "https://git.example/a", "author": "jose" });
    let request = Request::new("PUT", "/api/v1/sections/directory/releases/2.0.0")
        .header("colonnade-source", &source.to_string())
        .body(release("2.0.0").archive());
    assert_eq!(gateway.admin_request(request).status, 201);
    let published = gateway.wait_for_event(|line| line["event"] == "release_published");
    assert_eq!(published["commit"], "4bf92f3");
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    gateway.admin_change(
        "/api/v1/rollback",
        &json!({ "section": "directory", "reason": "too slow" }),
    );
    let rollout = json!({ "releases": { "directory": "2.0.0" }, "percent": 10 });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    gateway.admin_change("/api/v1/rollouts/directory/abort", &json!({}));
    let messages = messages(&receiver, 5);
    let types: Vec<&str> = messages
        .iter()
        .map(|body| body["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "release.published",
            "deployment.changed",
            "deployment.changed",
            "rollout.changed",
            "rollout.changed"
        ]
    );
    assert_eq!(
        messages[0]["data"],
        json!({ "name": "directory", "version": "2.0.0", "by": "name of token-for-everything", "source": source })
    );
    for change in &messages[1..] {
        assert_eq!(change["sources"], json!({ "directory@2.0.0": source }));
    }
    let rollback = &messages[2]["data"];
    assert_eq!(
        (&rollback["action"], &rollback["reason"]),
        (&json!("rollback"), &json!("too slow"))
    );
    assert_eq!(
        rollback["sections"],
        json!({ "directory": { "from": "2.0.0", "to": "1.0.0" } })
    );
    let abort = &messages[4]["data"];
    assert_eq!(abort["action"], "abort");
    assert_eq!(abort["figures"]["candidate"]["requests"], 0);
    let delivered = "colonnade_webhook_deliveries_total{webhook=\"chat\",result=\"delivered\"}";
    wait_until("deliveries are counted", || gateway.metric(delivered) == 5);
}

#[test]
fn webhook_repeats_event_until_it_is_accepted() {
    let receiver = Backend::start(Reply::Stall);
    let elsewhere = Backend::start(accepted());
    let table = webhook(&receiver, CHANGES);
    let first = gateway(&format!("{table}timeout_ms = 500\n"));
    // A receiver that hangs delays no change.
    publish(&first, "2.0.0");
    first.deploy(&json!({ "directory": "2.0.0" }));
    let failed = |gateway: &Gateway, cause: &str| {
        gateway.wait_for_event(|line| line["event"] == "webhook_failed" && line["cause"] == cause);
    };
    failed(&first, "timed_out");
    let location = elsewhere.origin();
    receiver.set_reply(Reply::Raw(format!(
        "HTTP/1.1 307 Redirect\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )));
    failed(&first, "rejected");
    for version in ["1.0.0", "2.0.0"].repeat(8) {
        first.deploy(&json!({ "directory": version }));
    }
    let undelivered = "colonnade_webhook_oldest_undelivered_timestamp_seconds{webhook=\"chat\"}";
    assert!(first.metric(undelivered) > 0);
    let output = first.output();
    for secret in ["path-secret", SECRET] {
        assert!(!output.contains(secret), "{output}");
    }
    receiver.set_reply(accepted());
    let folder = first.shared_folder();
    drop(first);
    let refused = receiver.received().len();
    let again = Gateway::set_up(Setup {
        folder: Some(folder),
        extra: &table,
        variables: VARIABLES,
        ..Setup::default()
    });
    let reads = |gateway: &Gateway| {
        gateway.metric("colonnade_store_operation_duration_seconds_count{operation=\"history_entry\"}")
    };
    wait_until("the first event arrives", || receiver.received().len() > refused);
    let reads_before = reads(&again);
    let types = || {
        let requests = receiver.received();
        let mut received: Vec<_> = requests.iter().map(|request| verified(request)).collect();
        received.dedup_by(|(id, _), (before, _)| id == before);
        received
            .into_iter()
            .map(|(_, body)| body["type"].clone())
            .collect::<Vec<_>>()
    };
    wait_until("the last event arrives", || types().len() == 18);
    assert!(receiver.received().len() > 19);
    assert_eq!(types()[0], "release.published");
    assert!(types()[1..].iter().all(|kind| kind == "deployment.changed"));
    wait_until("nothing is undelivered", || again.metric(undelivered) == 0);
    // They were read before the first delivery, and not again after each.
    assert!(reads(&again) < reads_before + 80);
    assert_eq!(elsewhere.connections(), 0);
}

#[test]
fn one_of_two_gateways_sends_each_event() {
    let receiver = Backend::start(accepted());
    let table = webhook(&receiver, CHANGES);
    let first = gateway(&table);
    let second = Gateway::set_up(Setup {
        folder: Some(first.shared_folder()),
        extra: &table,
        variables: VARIABLES,
        ..Setup::default()
    });
    for (gateway, version) in [(&first, "2.0.0"), (&second, "3.0.0"), (&first, "4.0.0")] {
        publish(gateway, version);
        gateway.deploy(&json!({ "directory": version }));
    }
    let messages = messages(&receiver, 6);
    let published: Vec<&Value> = messages
        .iter()
        .filter(|body| body["type"] == "release.published")
        .collect();
    let versions: Vec<&Value> = published.iter().map(|body| &body["data"]["version"]).collect();
    assert_eq!(versions, ["2.0.0", "3.0.0", "4.0.0"]);
    let revisions: Vec<&Value> = messages.iter().map(|body| &body["data"]["revision"]).collect();
    let changes: Vec<&Value> = revisions
        .into_iter()
        .filter(|revision| revision.is_u64())
        .collect();
    assert_eq!(changes, [2, 3, 4]);
    let delivered = "colonnade_webhook_deliveries_total{webhook=\"chat\",result=\"delivered\"}";
    wait_until("deliveries are counted", || {
        first.metric(delivered) + second.metric(delivered) == 6
    });
}

#[test]
fn webhook_gets_conditions_of_the_gateway() {
    let receiver = Backend::start(accepted());
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new().write(folder.path());
    let events = r#""certificate.renewed", "certificate.failing", "store.degraded", "store.recovered""#;
    let gateway = Gateway::set_up_live(Setup {
        folder: Some(Arc::clone(&folder)),
        extra: &(certificate.table("tls") + &webhook(&receiver, events)),
        variables: VARIABLES,
        ..Setup::default()
    });
    let live = gateway.store().join("live.json");
    let state = std::fs::read(&live).unwrap();
    std::fs::write(&live, "damaged").unwrap();
    receiver.wait_for_requests(1);
    std::fs::write(&live, state).unwrap();
    receiver.wait_for_requests(2);
    std::fs::write(&certificate.certificate, "no certificate").unwrap();
    receiver.wait_for_requests(3);
    Certificate::new().write(folder.path());
    let renewed = || {
        receiver
            .received()
            .iter()
            .any(|request| request.contains("certificate.renewed"))
    };
    wait_until("the certificate is renewed", renewed);
    let messages = messages(&receiver, 3);
    let types: Vec<&Value> = messages.iter().map(|body| &body["type"]).collect();
    assert_eq!(
        types,
        ["store.degraded", "store.recovered", "certificate.failing"]
    );
    assert_eq!(messages[0]["data"]["subject"], "reads of the store");
    assert_eq!(messages[2]["data"]["subject"], "site listener");
    assert!(messages[2]["data"]["error"].is_string());
}

fn respond(status: &str) -> Reply {
    Reply::Raw(format!(
        "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    ))
}

#[test]
fn webhook_waits_as_long_as_the_receiver_asks() {
    let receiver = Backend::start(respond("429 Too Many Requests\r\nretry-after: 3600"));
    let gateway = gateway(&webhook(&receiver, CHANGES));
    publish(&gateway, "2.0.0");
    let failed = gateway.wait_for_event(|line| line["event"] == "webhook_failed");
    // At most ten minutes.
    assert_eq!(failed["retry_seconds"], 600);
}

#[test]
fn refused_event_is_discarded_after_three_days() {
    let receiver = Backend::start(respond("400 Bad Request"));
    let others = Backend::start(accepted());
    let table = webhook(&receiver, CHANGES) + &webhook(&others, CHANGES).replace("chat", "others");
    let first = gateway(&table);
    publish(&first, "2.0.0");
    publish(&first, "3.0.0");
    first.wait_for_event(|line| line["event"] == "webhook_failed" && line["failures"] == 2);
    let progress = first.store().join("webhooks/chat.json");
    let restart_three_days_later = |mut gateway: Gateway| {
        gateway.signal("KILL");
        gateway.wait_for_exit();
        assert!(read_json(&progress)["refusedSince"].is_string());
        edit_json(&progress, |progress| {
            progress["refusedSince"] = json!(now() - SignedDuration::from_hours(73));
            progress["nextAttemptAt"] = json!(now());
        });
        Gateway::set_up(Setup {
            folder: Some(gateway.shared_folder()),
            extra: &table,
            variables: VARIABLES,
            ..Setup::default()
        })
    };
    // What is no refusal ends them.
    receiver.set_reply(respond("429 Too Many Requests"));
    let again = restart_three_days_later(first);
    wait_until("they have ended", || {
        read_json(&progress)["refusedSince"].is_null()
    });
    receiver.set_reply(respond("400 Bad Request"));
    wait_until("the event is refused", || {
        read_json(&progress)["refusedSince"].is_string()
    });
    let again = restart_three_days_later(again);
    let discarded = again.wait_for_event(|line| line["event"] == "webhook_event_discarded");
    assert_eq!(discarded["webhook"], "chat");
    let failed = again.wait_for_event(|line| line["event"] == "webhook_failed");
    assert_ne!(failed["id"], discarded["id"]);
    let metric = "colonnade_webhook_discarded_events_total{webhook=\"chat\"}";
    assert_eq!(again.metric(metric), 1);
    receiver.set_reply(respond("410 Gone"));
    let disabled = again.wait_for_event(|line| line["event"] == "webhook_disabled");
    assert_eq!(disabled["id"], failed["id"]);
    let before = receiver.connections();
    publish(&again, "4.0.0");
    others.wait_for_requests(3);
    assert_eq!(receiver.connections(), before);
    assert_eq!(again.metric("colonnade_webhook_disabled{webhook=\"chat\"}"), 1);
    assert_eq!(again.metric("colonnade_webhook_disabled{webhook=\"others\"}"), 0);
    // It is behind no longer.
    let undelivered = "colonnade_webhook_oldest_undelivered_timestamp_seconds{webhook=\"chat\"}";
    wait_until("nothing is undelivered", || again.metric(undelivered) == 0);
}
