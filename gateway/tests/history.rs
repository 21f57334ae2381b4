//! The history of changes: who, what, when and why.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request};

fn entries(response: &Value) -> Vec<Value> {
    response["entries"].as_array().unwrap().clone()
}

/// The whole history, read in pages of this size.
pub(crate) fn read_all_pages(gateway: &Gateway, limit: usize) -> Vec<Value> {
    pages_of(gateway, limit, "")
}

/// What this query selects, read in pages of this size.
fn pages_of(gateway: &Gateway, limit: usize, query: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut target = format!("/api/v1/history?limit={limit}{query}");
    loop {
        let page = gateway.admin_get(&target);
        let entries = entries(&page);
        assert!(entries.len() == limit || page["next"].is_null());
        all.extend(entries);
        let Some(next) = page["next"].as_u64() else {
            return all;
        };
        target = format!("/api/v1/history?limit={limit}{query}&before={next}");
    }
}

/// A gateway with at least one entry of every kind in its history.
fn gateway_with_history() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let post = |target: &str, body: Value| gateway.admin_change(target, &body);
    let rollout = json!({ "releases": { "directory": "2.0.0" }, "percent": 10, "reason": "to see" });
    post("/api/v1/deployments", rollout.clone());
    post(
        "/api/v1/deployments/2/promote",
        json!({ "percent": 50, "reason": "it does well" }),
    );
    post("/api/v1/deployments/2/abort", json!({ "reason": "it does not" }));
    post("/api/v1/deployments", rollout);
    post("/api/v1/deployments/3/promote", json!({}));
    post("/api/v1/rollback", json!({ "section": "directory" }));
    post(
        "/api/v1/previews",
        json!({ "releases": { "legal": "1.0.0" }, "reason": "for the lawyers" }),
    );
    assert_eq!(
        gateway
            .admin_request(Request::new("DELETE", "/api/v1/previews"))
            .status,
        204
    );
    gateway
}

#[test]
fn history_lists_all_changes_newest_first() {
    let gateway = gateway_with_history();
    let mut history = entries(&gateway.admin_get("/api/v1/history"));
    for entry in &mut history {
        let entry = entry.as_object_mut().unwrap();
        assert_eq!(entry.remove("by"), Some(json!("name of token-for-everything")));
        assert!(entry.remove("at").unwrap().as_str().unwrap().ends_with('Z'));
        let after = entry.remove("after");
        assert_eq!(after.is_none(), entry["revision"] == 1, "{after:?}");
        let is_of_rollout = ["percent", "promote", "abort"].contains(&entry["action"].as_str().unwrap());
        assert_eq!(entry.remove("figures").is_some(), is_of_rollout, "{entry:?}");
    }
    let forward = json!({ "directory": { "from": "1.0.0", "to": "2.0.0" } });
    let backward = json!({ "directory": { "from": "2.0.0", "to": "1.0.0" } });
    let first = json!({
        "directory": { "from": null, "to": "1.0.0" }, "shell": { "from": null, "to": "1.0.0" },
    });
    let expected = json!([
        { "revision": 9, "previous": 7, "action": "end-previews", "live": 4, "before": 4, "sections": {}, "reason": null },
        {
            "revision": 8, "previous": 7, "action": "preview", "live": 4, "before": 4, "candidate": 5,
            "sections": { "legal": { "from": null, "to": "1.0.0" } }, "reason": "for the lawyers",
        },
        { "revision": 7, "previous": 6, "action": "rollback", "live": 4, "before": 3, "sections": backward, "reason": null },
        { "revision": 6, "previous": 1, "action": "promote", "live": 3, "before": 1, "candidate": 3, "sections": forward, "reason": null },
        {
            "revision": 5, "previous": 1, "action": "rollout", "live": 1, "before": 1, "candidate": 3, "percent": 10,
            "sections": forward, "reason": "to see",
        },
        {
            "revision": 4, "previous": 1, "action": "abort", "live": 1, "before": 1, "candidate": 2, "sections": backward,
            "reason": "it does not",
        },
        {
            "revision": 3, "previous": 1, "action": "percent", "live": 1, "before": 1, "candidate": 2, "percent": 50,
            "sections": forward, "reason": "it does well",
        },
        {
            "revision": 2, "previous": 1, "action": "rollout", "live": 1, "before": 1, "candidate": 2, "percent": 10,
            "sections": forward, "reason": "to see",
        },
        { "revision": 1, "previous": 0, "action": "deploy", "live": 1, "before": null, "sections": first, "reason": null },
    ]);
    assert_eq!(Value::Array(history), expected);
}

#[test]
fn history_paginates_rejects_invalid_queries_and_survives_crash() {
    let gateway = gateway_with_history();
    let all = entries(&gateway.admin_get("/api/v1/history"));
    for limit in [1, 2, 3, 8, 9, 10, 500] {
        assert_eq!(read_all_pages(&gateway, limit), all, "{limit} at a time");
    }
    let of = |gateway: &Gateway, query: &str| entries(&gateway.admin_get(&format!("/api/v1/history{query}")));
    assert_eq!(of(&gateway, "?before=1"), Vec::<Value>::new());
    assert_eq!(of(&gateway, "?before=3"), all[7..]);
    assert_eq!(of(&gateway, "?before=1000"), all);
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
        let response = gateway.admin_request(Request::new("GET", &format!("/api/v1/history{query}")));
        assert_eq!(response.status, 400, "{query}");
    }
    let gateway = gateway.kill_and_restart("");
    assert_eq!(of(&gateway, ""), all);
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let after = of(&gateway, "");
    assert_eq!(after[0]["revision"], 10);
    assert_eq!(after[1..], all);
}

#[test]
fn history_of_section_has_its_changes_only() {
    let gateway = gateway_with_history();
    let all = entries(&gateway.admin_get("/api/v1/history"));
    for (section, revisions) in [
        ("directory", &[7, 6, 5, 4, 3, 2, 1][..]),
        ("legal", &[8]),
        ("shell", &[1]),
        ("other", &[]),
    ] {
        let concerns = |entry: &&Value| revisions.iter().any(|revision| entry["revision"] == *revision);
        let expected: Vec<Value> = all.iter().filter(concerns).cloned().collect();
        assert_eq!(expected.len(), revisions.len());
        for limit in [1, 2, 50] {
            let query = format!("&section={section}");
            assert_eq!(
                pages_of(&gateway, limit, &query),
                expected,
                "{section}, {limit} at a time"
            );
        }
    }
    let expected = "expected 1 to 32 lowercase letters, digits and hyphens, starting with a letter";
    for (query, problem) in [
        (
            "section=Legal",
            format!("`section`: `Legal` is not the name of a section: {expected}"),
        ),
        (
            "section=",
            format!("`section`: `` is not the name of a section: {expected}"),
        ),
        (
            "section=legal&section=shell",
            "`section` must not be repeated".to_owned(),
        ),
        (
            "name=legal",
            "unknown parameter `name`; expected `limit` or `before` or `section`".to_owned(),
        ),
    ] {
        let response = gateway.admin_request(Request::new("GET", &format!("/api/v1/history?{query}")));
        assert_eq!(response.status, 400, "{query}");
        assert_eq!(response.json()["detail"], format!("invalid query: {problem}"));
    }
}

#[test]
fn history_omits_rejected_and_no_op_changes() {
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
        ("/api/v1/garbage-collection", json!({})),
        ("/api/v1/garbage-collection", json!({ "dryRun": true })),
    ] {
        gateway.admin_post(target, &body);
    }
    assert_eq!(entries(&gateway.admin_get("/api/v1/history")).len(), 1);
}
