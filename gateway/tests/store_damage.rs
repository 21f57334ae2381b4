//! Damaged files in the store: what they belong to is not served, and everything else is.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::support::{Gateway, Release, Request, Response, run_gateway, wait_until};

const UNAVAILABLE: &str = "colonnade_section_unavailable{section=\"legal\"}";

/// A gateway with the sections `directory`, `news` and `legal`. The latter fills extension points of
/// the shell and of `news`.
fn gateway() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    for version in ["1.0.0", "1.1.0"] {
        let legal = Release::section("legal", version, &["/terms"]).fills("shell/note@1", 0);
        gateway.publish(&legal.fills("news/aside@1", 0));
    }
    gateway.publish(&Release::section("news", "1.0.0", &["/news"]).opens("news/aside", 1, 1));
    gateway.publish(&Release::shell("1.1.0").opens("shell/note", 1, 1));
    gateway.deploy(&json!({ "legal": "1.0.0", "news": "1.0.0", "shell": "1.1.0" }));
    gateway
}

fn assert_unavailable(response: &Response) {
    assert_eq!(response.status, 503, "{}", response.text());
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("retry-after"), "30");
}

/// Asserts that `legal` is unavailable, and everything else is served.
fn assert_others_serve(gateway: &Gateway) {
    let home = gateway.get("/").boot();
    assert_eq!(home["deployment"], "2");
    assert!(home.get("extensions").is_none(), "{home}");
    assert_eq!(gateway.get("/assets/directory/1.0.0/entry.js").status, 200);
    assert_eq!(gateway.get("/other").status, 404);
    for path in [
        "/terms",
        "/_page/2?path=%2Fterms",
        "/_remotes/2?section=legal",
        "/assets/legal/1.0.0/entry.js",
    ] {
        assert_unavailable(&gateway.get(path));
    }
    let page = gateway.get("/_page/2?path=%2F");
    assert_eq!(
        (page.status, page.header("cache-control")),
        (200, "public, max-age=300")
    );
    let news = gateway.get("/_page/2?path=%2Fnews");
    assert_eq!((news.status, news.header("cache-control")), (200, "no-store"));
    assert!(news.json().get("extensions").is_none(), "{}", news.text());
    assert_eq!(gateway.get("/news").boot()["page"], news.json());
    let remotes = gateway.get("/_remotes/2");
    assert_eq!(remotes.header("cache-control"), "no-store");
    let names: Vec<_> = remotes.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["directory", "news"]);
    for listener in [gateway.site, gateway.admin] {
        let ready = listener.get("/readyz");
        assert_eq!(
            (ready.status, &*ready.text()),
            (200, "degraded: unavailable sections: legal\n")
        );
    }
    assert_eq!(gateway.metric(UNAVAILABLE), 1);
    for kind in ["document", "page_data", "asset"] {
        let errors = format!("colonnade_section_errors_total{{section=\"legal\",kind=\"{kind}\"}}");
        wait_until(kind, || gateway.metric(&errors) == 1);
    }
    let event = gateway.wait_for_event(|line| line["event"] == "section_unavailable");
    assert_eq!(event["release"], "legal@1.0.0");
    assert!(!event["error"].as_str().unwrap().is_empty());
}

fn assert_all_serve(gateway: &Gateway) {
    wait_until("the section is available", || gateway.get("/terms").status == 200);
    assert_eq!(gateway.get("/other").status, 404);
    assert_eq!(
        gateway.get("/").boot()["extensions"]["shell/note@1"][0]["section"]["name"],
        "legal"
    );
    let news = gateway.get("/_page/2?path=%2Fnews").json();
    assert_eq!(news["extensions"]["news/aside@1"][0]["section"]["name"], "legal");
    assert_eq!(gateway.get("/news").boot()["page"], news);
    assert_eq!(gateway.get("/assets/legal/1.0.0/entry.js").status, 200);
    assert!(gateway.get("/_remotes/2").json()["legal"].is_object());
    assert_eq!(gateway.get("/readyz").text(), "ready\n");
    assert_eq!(gateway.metric(UNAVAILABLE), 0);
    gateway.wait_for_event(|line| line["event"] == "section_available");
}

#[test]
fn points_of_damaged_release_cause_no_warnings() {
    let mut gateway = gateway();
    gateway.kill();
    fs::write(gateway.record("news/1.0.0"), "{").unwrap();
    let gateway = gateway.start_another();
    let legal = Release::section("legal", "1.2.0", &["/terms"]).fills("news/aside@1", 0);
    let published = gateway.put_release("legal", "1.2.0", legal.archive());
    let deployed = gateway.post_deployment(&json!({ "releases": { "legal": "1.2.0" } }));
    assert_eq!(
        (&published.json()["warnings"], &deployed.json()["warnings"]),
        (&json!([]), &json!([]))
    );
    let described = gateway.admin_get("/api/v1/gateway");
    assert_eq!(described["leftOutExtensions"], json!([]));
}

#[test]
fn damaged_release_is_left_out_until_repaired() {
    let mut gateway = gateway();
    let record = gateway.record("legal/1.0.0");
    let intact = fs::read_to_string(&record).unwrap();
    for damage in [Some(intact.replace("/terms", "/terma")), None] {
        gateway.kill();
        match &damage {
            Some(damaged) => fs::write(&record, damaged).unwrap(),
            None => fs::remove_file(&record).unwrap(),
        }
        gateway = gateway.start_another();
        assert_others_serve(&gateway);
        fs::write(&record, &intact).unwrap();
        assert_all_serve(&gateway);
    }
}

#[test]
fn damaged_section_is_replaced_by_deploy_or_rollback() {
    let mut gateway = gateway();
    gateway.deploy(&json!({ "legal": "1.1.0" }));
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    gateway.publish(&Release::section("legal", "1.2.0", &["/terms"]));
    gateway.kill();
    fs::write(gateway.record("legal/1.1.0"), "{").unwrap();
    let gateway = gateway.start_another();
    assert_unavailable(&gateway.get("/terms"));
    // No other section takes the paths of the damaged one.
    gateway.publish(&Release::section("thief", "1.0.0", &["/terms"]));
    let theft = gateway.post_deployment(&json!({ "releases": { "thief": "1.0.0" } }));
    assert_eq!(
        theft.json()["problems"],
        json!(["pattern `/terms` of thief and pattern `/terms` of legal collide"])
    );
    // Other teams deploy and roll back as ever.
    assert_eq!(gateway.deploy(&json!({ "directory": "1.1.0" })), 4);
    assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.1.0");
    let other = gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(other.status, 201, "{}", other.text());
    assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.0.0");
    assert_unavailable(&gateway.get("/terms"));
    let sections = gateway.admin_get("/api/v1/sections");
    assert_eq!(sections[1]["releases"].as_array().unwrap().len(), 2, "{sections}");
    let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "legal" }));
    assert_eq!(
        rollback.json()["releases"]["legal"],
        "1.0.0",
        "{}",
        rollback.text()
    );
    assert_eq!(gateway.get("/terms").status, 200);
    gateway.deploy(&json!({ "legal": "1.2.0", "directory": "1.1.0" }));
    assert_eq!(gateway.get("/terms").status, 200);
}

#[test]
fn damaged_candidate_is_not_promoted() {
    let mut gateway = gateway();
    let body = json!({ "releases": { "legal": "1.1.0" }, "percent": 50 });
    assert_eq!(gateway.post_deployment(&body).status, 201);
    gateway.kill();
    fs::write(gateway.record("legal/1.1.0"), "{").unwrap();
    let gateway = gateway.start_another();
    let step = |body| gateway.admin_post("/api/v1/deployments/3/promote", &body);
    let promoted = step(json!({}));
    assert_eq!(promoted.status, 409, "{}", promoted.text());
    assert_eq!(
        promoted.json()["problems"],
        json!(["legal@1.1.0 is missing or damaged"])
    );
    assert_eq!(step(json!({ "percent": 0 })).status, 200);
    assert_eq!(gateway.get("/terms").status, 200);
}

#[test]
fn damaged_shell_prevents_start_but_not_serving() {
    let gateway = gateway();
    fs::write(gateway.record("shell/1.1.0"), "{").unwrap();
    let output = run_gateway(&["serve", "--config", gateway.config().to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("shell/1.1.0.json"), "{error}");
    assert_eq!(gateway.get("/").status, 200);
}

#[test]
fn changed_file_is_refused_in_each_coding() {
    let gateway = gateway();
    let refused = || gateway.metric("colonnade_store_damaged_reads_total");
    for (coding, path) in [
        ("identity", "client/entry.js"),
        ("gzip", "compressed/client/entry.js.gzip"),
        ("zstd", "compressed/client/entry.js.zstd"),
        ("br", "compressed/client/entry.js.br"),
    ] {
        let request =
            || Request::new("GET", "/assets/directory/1.0.0/entry.js").header("accept-encoding", coding);
        assert_eq!(gateway.site.send(request()).status, 200, "{coding}");
        let path = gateway.object("directory/1.0.0", path);
        let intact = fs::read(&path).unwrap();
        let mut changed = intact.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        let mut longer = intact.clone();
        longer.extend(if coding == "identity" { &b"more"[..] } else { &[] });
        for damaged in [&changed, &intact[..middle].to_vec(), &Vec::new(), &longer] {
            if *damaged == intact {
                continue;
            }
            fs::write(&path, damaged).unwrap();
            let before = refused();
            let response = gateway.site.send(request());
            assert_eq!(response.status, 503, "{coding}");
            assert_eq!(response.header("cache-control"), "no-store");
            assert_eq!(refused(), before + 1);
        }
        fs::write(&path, &intact).unwrap();
        assert_eq!(gateway.site.send(request()).status, 200, "{coding}");
        gateway
            .wait_for_event(|line| line["event"] == "file_damaged" && line["file"] == path.to_str().unwrap());
    }
    let events = gateway.output().matches("\"file_damaged\"").count();
    assert_eq!(events, 4, "each file is logged once a minute");
}

#[test]
fn missing_file_or_fifo_in_release_is_refused_and_counted() {
    let gateway = gateway();
    let file = gateway.object("directory/1.0.0", "client/entry.js");
    fs::remove_file(&file).unwrap();
    for count in 1..=2 {
        let response = gateway.get("/assets/directory/1.0.0/entry.js");
        assert_eq!(response.status, 503, "{}", response.text());
        assert_eq!(response.header("cache-control"), "no-store");
        assert_eq!(gateway.metric("colonnade_store_damaged_reads_total"), count);
        if count == 1 {
            assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        }
    }
    gateway.wait_for_event(|line| line["event"] == "file_damaged" && line["file"] == file.to_str().unwrap());
    let (code, output) = gateway.store_command(&["verify"]);
    assert_eq!(code, 3, "{output}");
    assert!(
        output.contains("releases/directory/1.0.0.json: client/entry.js: ")
            && output.contains("not a regular file"),
        "{output}"
    );
}

#[test]
fn damaged_records_are_marked_and_the_rest_is_listed() {
    let gateway = gateway();
    fs::write(gateway.store().join("deployments/1.json"), "damaged").unwrap();
    fs::write(gateway.store().join("history/1.json"), "damaged").unwrap();
    let list = gateway.admin_get("/api/v1/deployments");
    assert_eq!(
        (&list["live"], &list["damaged"]),
        (&json!(2), &json!([1])),
        "{list}"
    );
    assert_eq!(list["deployments"].as_array().unwrap().len(), 1, "{list}");
    for limit in [1, 2] {
        let page = gateway.admin_get(&format!("/api/v1/history?limit={limit}"));
        assert_eq!(page["entries"].as_array().unwrap().len(), 1, "{page}");
        assert_eq!(page["damaged"], if limit == 1 { json!([]) } else { json!([1]) });
    }
    let page = gateway.admin_get("/api/v1/history?before=2");
    assert_eq!(
        page,
        json!({ "entries": [], "sources": {}, "damaged": [1], "next": null })
    );
    for (target, body, record) in [
        (
            "rollback",
            json!({ "section": "legal" }),
            "entry 1 of the history",
        ),
        (
            "rollback",
            json!({ "deployment": 1 }),
            "the record of deployment 1",
        ),
        ("garbage-collection", json!({}), "the record of deployment 1"),
    ] {
        let rejected = gateway.admin_post(&format!("/api/v1/{target}"), &body);
        assert_eq!(rejected.status, 409, "{}", rejected.text());
        let problem = rejected.json();
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with(&format!("{record} is damaged")), "{detail}");
    }
    gateway.deploy(&json!({ "legal": "1.1.0" }));
    let restarted = gateway.kill_and_restart("");
    assert_eq!(restarted.get("/").boot()["deployment"], "3");
}

#[test]
fn rollback_to_damaged_release_is_rejected() {
    let gateway = gateway();
    gateway.deploy(&json!({ "legal": "1.1.0" }));
    fs::write(gateway.record("legal/1.0.0"), "{").unwrap();
    for gateway in [&gateway, &gateway.start_another()] {
        for body in [json!({ "section": "legal" }), json!({ "deployment": 2 })] {
            // A plan says what the rollback would.
            for path in ["rollback/plan", "rollback"] {
                let rejected = gateway.admin_post(&format!("/api/v1/{path}"), &body);
                assert_eq!(rejected.status, 409, "{}", rejected.text());
                assert_eq!(
                    rejected.json()["problems"],
                    json!(["legal@1.0.0 is missing or damaged"])
                );
            }
        }
    }
}
