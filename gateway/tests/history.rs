//! The history: who changed what, when and why, and nothing missing.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request};

fn entries(answer: &Value) -> Vec<Value> {
    answer["entries"].as_array().unwrap().clone()
}

/// All of the history, read in pages of this size.
fn paged(gateway: &Gateway, limit: usize) -> Vec<Value> {
    let mut all = Vec::new();
    let mut target = format!("/api/v1/history?limit={limit}");
    loop {
        let page = gateway.ask(&target);
        let entries = entries(&page);
        assert!(entries.len() == limit || page["next"].is_null());
        all.extend(entries);
        let Some(next) = page["next"].as_u64() else {
            return all;
        };
        target = format!("/api/v1/history?limit={limit}&before={next}");
    }
}

/// A gateway on which everything was done once that makes history.
fn eventful() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let tell = |target: &str, body: Value| {
        let answer = gateway.tell(target, &body);
        assert!(answer.status < 300, "{target}: {}", answer.text());
    };
    let rollout = json!({ "releases": { "directory": "2.0.0" }, "percent": 10, "reason": "to see" });
    tell("/api/v1/deployments", rollout.clone());
    tell(
        "/api/v1/deployments/2/promote",
        json!({ "percent": 50, "reason": "it does well" }),
    );
    tell("/api/v1/deployments/2/abort", json!({ "reason": "it does not" }));
    tell("/api/v1/deployments", rollout);
    tell("/api/v1/deployments/3/promote", json!({}));
    tell("/api/v1/rollback", json!({ "section": "directory" }));
    tell(
        "/api/v1/previews",
        json!({ "releases": { "legal": "1.0.0" }, "reason": "for the lawyers" }),
    );
    assert_eq!(
        gateway.operate(Request::new("DELETE", "/api/v1/previews")).status,
        204
    );
    gateway
}

#[test]
fn every_change_is_told_the_newest_first() {
    let gateway = eventful();
    let mut told = entries(&gateway.ask("/api/v1/history"));
    for entry in &mut told {
        let entry = entry.as_object_mut().unwrap();
        assert_eq!(entry.remove("by"), Some(json!("name of token-for-everything")));
        assert!(entry.remove("at").unwrap().as_str().unwrap().ends_with('Z'));
    }
    let forth = json!({ "directory": { "from": "1.0.0", "to": "2.0.0" } });
    let back = json!({ "directory": { "from": "2.0.0", "to": "1.0.0" } });
    let first = json!({
        "directory": { "from": null, "to": "1.0.0" }, "shell": { "from": null, "to": "1.0.0" },
    });
    let expected = json!([
        { "revision": 9, "previous": 7, "action": "end-previews", "live": 4, "before": 4, "sections": {}, "reason": null },
        {
            "revision": 8, "previous": 7, "action": "preview", "live": 4, "before": 4, "candidate": 5,
            "sections": { "legal": { "from": null, "to": "1.0.0" } }, "reason": "for the lawyers",
        },
        { "revision": 7, "previous": 6, "action": "rollback", "live": 4, "before": 3, "sections": back, "reason": null },
        { "revision": 6, "previous": 1, "action": "promote", "live": 3, "before": 1, "candidate": 3, "sections": forth, "reason": null },
        {
            "revision": 5, "previous": 1, "action": "rollout", "live": 1, "before": 1, "candidate": 3, "percent": 10,
            "sections": forth, "reason": "to see",
        },
        {
            "revision": 4, "previous": 1, "action": "abort", "live": 1, "before": 1, "candidate": 2, "sections": back,
            "reason": "it does not",
        },
        {
            "revision": 3, "previous": 1, "action": "percent", "live": 1, "before": 1, "candidate": 2, "percent": 50,
            "sections": {}, "reason": "it does well",
        },
        {
            "revision": 2, "previous": 1, "action": "rollout", "live": 1, "before": 1, "candidate": 2, "percent": 10,
            "sections": forth, "reason": "to see",
        },
        { "revision": 1, "previous": 0, "action": "deploy", "live": 1, "before": null, "sections": first, "reason": null },
    ]);
    assert_eq!(Value::Array(told), expected);
}

#[test]
fn it_is_read_page_by_page() {
    let gateway = eventful();
    let all = entries(&gateway.ask("/api/v1/history"));
    for limit in [1, 2, 3, 8, 9, 10, 500] {
        assert_eq!(paged(&gateway, limit), all, "{limit} at a time");
    }
    let of = |query: &str| entries(&gateway.ask(&format!("/api/v1/history{query}")));
    assert_eq!(of("?before=1"), Vec::<Value>::new());
    assert_eq!(of("?before=3"), all[7..]);
    assert_eq!(of("?before=1000"), all);
    for query in [
        "?limit=0",
        "?limit=501",
        "?limit=x",
        "?limit=",
        "?before=0",
        "?before=-1",
        "?after=1",
        "?limit=1&by=x",
        "?limit=1&limit=2",
        "?before=2&before=2",
    ] {
        let answer = gateway.operate(Request::new("GET", &format!("/api/v1/history{query}")));
        assert_eq!(answer.status, 400, "{query}");
    }
}

#[test]
fn it_begins_empty() {
    assert_eq!(
        Gateway::start().ask("/api/v1/history"),
        json!({ "entries": [], "next": null })
    );
}

#[test]
fn a_change_that_is_refused_or_changes_nothing_is_none() {
    let gateway = Gateway::start_live("", &[]);
    for (target, body) in [
        (
            "/api/v1/deployments",
            json!({ "releases": { "directory": "1.0.0" } }),
        ),
        (
            "/api/v1/deployments",
            json!({ "releases": { "directory": "9.9.9" } }),
        ),
        ("/api/v1/deployments", json!({ "releases": { "shell": null } })),
        ("/api/v1/deployments", json!({ "releases": {}, "base": 7 })),
        ("/api/v1/deployments/1/abort", json!({})),
        ("/api/v1/rollback", json!({})),
        ("/api/v1/rollback", json!({ "deployment": 1 })),
        ("/api/v1/previews", json!({ "deployment": 7 })),
        ("/api/v1/collect", json!({})),
        ("/api/v1/collect", json!({ "dryRun": true })),
    ] {
        gateway.tell(target, &body);
    }
    assert_eq!(entries(&gateway.ask("/api/v1/history")).len(), 1);
}

#[test]
fn it_outlives_a_crash() {
    let gateway = eventful();
    let before = gateway.ask("/api/v1/history");
    let gateway = gateway.killed_and_restarted("");
    assert_eq!(gateway.ask("/api/v1/history"), before);
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let after = entries(&gateway.ask("/api/v1/history"));
    assert_eq!(after[0]["revision"], 10);
    assert_eq!(after[1..], entries(&before));
}

#[test]
fn nothing_is_missing_when_two_gateways_make_it() {
    let first = Gateway::start_live("", &[]);
    for name in ["one", "two"] {
        first.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
    }
    let second = first.beside();
    std::thread::scope(|scope| {
        for (gateway, name) in [(&first, "one"), (&second, "two")] {
            scope.spawn(move || {
                for _ in 0..5 {
                    gateway.deploy(&json!({ name: "1.0.0" }));
                    gateway.deploy(&json!({ name: null }));
                }
            });
        }
    });
    let told = entries(&first.ask("/api/v1/history"));
    assert_eq!(told, entries(&second.ask("/api/v1/history")));
    let revisions: Vec<u64> = told
        .iter()
        .map(|entry| entry["revision"].as_u64().unwrap())
        .collect();
    assert_eq!(revisions, (1..=21).rev().collect::<Vec<u64>>());
    for pair in told.windows(2) {
        assert_eq!(
            pair[0]["before"], pair[1]["live"],
            "each starts from the one before"
        );
    }
}
