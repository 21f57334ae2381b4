//! Publishing releases.

use std::fs::create_dir_all;
use std::sync::mpsc::channel;
use std::thread::park_timeout;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{
    Archive, FaultyMachine, Gateway, Raw, Release, Request, Response, SCRIPT, STYLE, TOKEN, attack,
    authorized_by, only_limits, token, wait_until,
};

fn release() -> Release {
    Release::section("directory", "1.0.0", &["/", "/state/:state"])
}

fn problems(response: &Response) -> Vec<String> {
    let problem = response.json();
    let list = problem["problems"]
        .as_array()
        .unwrap_or_else(|| panic!("no problems: {problem}"));
    list.iter()
        .map(|problem| problem.as_str().unwrap().to_owned())
        .collect()
}

/// Incompressible bytes.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..count).map(|_| next()).collect()
}

/// Publishes an archive, which must be rejected without a trace. Returns its problems.
fn rejected_problems(gateway: &Gateway, archive: impl Into<Vec<u8>>) -> Vec<String> {
    let response = gateway.put_release("directory", "1.0.0", archive);
    assert_eq!(response.status, 422, "{}", response.text());
    assert!(
        !gateway.record("directory/1.0.0").exists(),
        "the store must not contain the release"
    );
    gateway.wait_for_empty_scratch();
    problems(&response)
}

#[test]
fn publish_is_idempotent_and_version_is_immutable() {
    let gateway = Gateway::start();
    let first = gateway.put_release("directory", "1.0.0", release().archive());
    assert_eq!(first.status, 201);
    let response = first.json();
    assert_eq!(
        (&response["name"], &response["version"]),
        (&json!("directory"), &json!("1.0.0"))
    );
    assert!(response["digest"].as_str().unwrap().starts_with("sha384-"));

    let again = gateway.put_release("directory", "1.0.0", release().archive());
    assert_eq!((again.status, again.json()), (200, response));

    let other = release().bytes("client/entry.js", SCRIPT, "other");
    let other = gateway.put_release("directory", "1.0.0", other.archive());
    assert_eq!(other.status, 409);
    assert!(
        other.json()["detail"]
            .as_str()
            .unwrap()
            .contains("directory@1.0.0 is already published")
    );
    gateway.wait_for_empty_scratch();
}

#[test]
fn sections_list_includes_releases() {
    let gateway = Gateway::start();
    assert_eq!(
        gateway
            .admin_request(Request::new("GET", "/api/v1/sections"))
            .json(),
        json!([])
    );
    for version in ["1.0.0", "1.1.0-dev.abc"] {
        gateway.publish(&Release::section("directory", version, &["/"]));
    }
    gateway.publish(&Release::shell("2.0.0"));
    gateway.deploy(&json!({ "shell": "2.0.0" }));
    let list = gateway
        .admin_request(Request::new("GET", "/api/v1/sections"))
        .json();
    let of = |section: &Value| {
        (
            section["name"].clone(),
            section["kind"].clone(),
            section["live"].clone(),
        )
    };
    assert_eq!(of(&list[0]), (json!("directory"), json!("section"), Value::Null));
    assert_eq!(of(&list[1]), (json!("shell"), json!("shell"), json!("2.0.0")));
    let versions = list[0]["releases"].as_array().unwrap();
    let mut names: Vec<&str> = versions
        .iter()
        .map(|release| release["version"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["1.0.0", "1.1.0-dev.abc"]);
    assert!(versions[0]["publishedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(versions[0]["by"], format!("name of {TOKEN}"));
    assert!(list[0].get("candidate").is_some_and(Value::is_null));
}

#[test]
fn source_of_release_is_kept_and_shown() {
    let gateway = Gateway::start();
    gateway.publish(&Release::shell("1.0.0"));
    let release = Release::section("directory", "1.0.0", &["/"]);
    let publish = |source: &str| {
        let request = Request::new("PUT", "/api/v1/sections/directory/releases/1.0.0");
        let request = request.header("colonnade-source", source).body(release.archive());
        gateway.admin_request(request)
    };
    for (source, problem) in [
        ("{", "EOF"),
        (
            r#"{"url":"http://git.example/a"}"#,
            "`url` must be a URL with https",
        ),
    ] {
        let response = publish(source);
        assert_eq!(response.status, 400);
        let detail = response.text();
        assert!(
            detail.contains("colonnade-source") && detail.contains(problem),
            "{detail}"
        );
    }
    let source = r#"{"commit":"4bf92f3","url":"https://git.example/a","author":"Jos\u00e9"}"#;
    assert_eq!(publish(source).status, 201);
    // The same release keeps its first source.
    assert_eq!(publish("{}").status, 200);
    gateway.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0" }));
    let shown = json!({ "commit": "4bf92f3", "url": "https://git.example/a", "author": "José" });
    let sources = json!({ "directory@1.0.0": shown });
    assert_eq!(gateway.admin_get("/api/v1/history")["sources"], sources);
    assert_eq!(gateway.admin_get("/api/v1/deployments")["sources"], sources);
    let sections = gateway.admin_get("/api/v1/sections");
    let releases = [0, 1].map(|index| sections[index]["releases"][0].get("source").cloned());
    assert_eq!(releases, [Some(shown.clone()), None]);
    let described = gateway.admin_get("/api/v1/sections/directory/releases/1.0.0");
    assert_eq!(described["source"], shown);
    // A name is personal data.
    assert!(!gateway.output().contains("José"));
}

#[test]
fn archive_with_dot_prefix_and_folders_is_accepted() {
    let gateway = Gateway::start();
    let mut archive = Archive::new();
    archive.entry("./", tar::EntryType::Directory, 0, b"");
    archive.entry("./client/", tar::EntryType::Directory, 0, b"");
    archive.add("./release.json", &serde_json::to_vec(&release().json()).unwrap());
    for (path, (_, bytes)) in &release().files {
        archive.add(&format!("./{path}"), bytes);
    }
    let response = gateway.put_release("directory", "1.0.0", archive.finish());
    assert_eq!(response.status, 201, "{}", response.text());
}

#[test]
fn release_that_differs_from_its_description_is_rejected() {
    let gateway = Gateway::start();
    let json = release().json();
    let mut tampered = release();
    let (_, bytes) = tampered.files.get_mut("client/page.js").unwrap();
    bytes[0] ^= 1;
    let mut incomplete = release();
    incomplete.files.remove("client/page.js");
    incomplete.files.remove("server/index.js");
    let more = release().file("client/more.js", SCRIPT);
    for (release, expected) in [
        (tampered, &["file `client/page.js` does not match its digest"][..]),
        (
            incomplete,
            &[
                "file `client/page.js` is listed in `release.json`, but missing in the archive",
                "file `server/index.js` is listed in `release.json`, but missing in the archive",
            ],
        ),
        (more, &["file `client/more.js` is not listed in `release.json`"]),
    ] {
        assert_eq!(
            rejected_problems(&gateway, release.archive_with_json(&json)),
            expected
        );
    }
    let named = json!(["client/gone.js", "server/index.js"]);
    let mut json = release().fills("shell/banner@1", 0).json();
    json["entry"] = json!("client/gone.js");
    json["assets"] = named.clone();
    json["pages"][1]["assets"] = named.clone();
    json["extensions"][0]["assets"] = named;
    let problems = rejected_problems(&gateway, release().archive_with_json(&json));
    let mut expected = vec!["entry refers to `client/gone.js`, which is not a listed file".to_owned()];
    for what in [
        "assets",
        "page `/state/:state`",
        "the extension of `shell/banner@1`",
    ] {
        expected.push(format!(
            "{what} refers to `client/gone.js`, which is not a listed file"
        ));
        expected.push(format!(
            "{what} refers to `server/index.js`, which is not below client/"
        ));
    }
    assert_eq!(problems, expected);
}

#[test]
fn publish_reports_all_problems_at_once() {
    let gateway = Gateway::start_with("[budget]\npage_script_kib = 1", &[]);
    let release = release()
        .bytes("client/page.css", STYLE, "p { color: red }")
        .bytes("client/page.js", SCRIPT, noise(2048));
    let mut json = release.json();
    json["contract"] = json!(9);
    json["entry"] = json!("client/gone.js");
    json["pages"][0]["pattern"] = json!("/assets/:x");
    json["files"][0]["size"] = json!(1);
    let mut archive = release.start_archive(&json);
    archive.add("client/../x.js", b"");
    let problems = rejected_problems(&gateway, archive.finish());
    let expected = [
        "`client/../x.js` is not a valid path below client/ or server/",
        "client/page.css:1:1: selector `p`",
        "page `/state/:state` loads",
        "contract 9 is not supported",
        "entry refers to `client/gone.js`",
        "paths below `/assets` belong to the gateway",
        "file `client/common.js` has",
    ];
    for text in expected {
        assert!(
            problems.iter().any(|problem| problem.contains(text)),
            "{text}: {problems:#?}"
        );
    }
}

#[test]
fn invalid_release_json_or_name_is_rejected() {
    let gateway = Gateway::start();
    let with_json = |text: &str| {
        let mut archive = Archive::new();
        archive.add("release.json", text.as_bytes());
        archive.finish()
    };
    let mut without = Archive::new();
    without.add("client/a.js", b"a");
    let mut unknown = release().json();
    unknown["colour"] = json!("red");
    let other = Release::section("legal", "1.0.0", &["/terms"]);
    for (archive, expected) in [
        (
            without.finish(),
            "`release.json` is missing at the root of the archive",
        ),
        (with_json(""), "`release.json`: "),
        (with_json("{"), "`release.json`: "),
        (with_json("[]"), "`release.json`: "),
        (with_json("null"), "`release.json`: "),
        (
            release().archive_with_json(&unknown),
            "`release.json`: unknown field `colour`",
        ),
        (
            other.archive(),
            "`release.json` is of legal@1.0.0, but the release was uploaded as directory@1.0.0",
        ),
    ] {
        let problems = rejected_problems(&gateway, archive);
        assert!(problems[0].starts_with(expected), "{problems:?}");
    }
    for (name, version) in [
        ("Directory", "1.0.0"),
        ("directory", "1"),
        ("..", "1.0.0"),
        ("directory", ".."),
    ] {
        let response = gateway.put_release(name, version, release().archive());
        assert!(
            matches!(response.status, 400 | 422),
            "{name} {version}: {}",
            response.text()
        );
    }
}

/// Tokens that may publish any section, besides [`TOKEN`].
fn more_publishers() -> String {
    ["second", "third", "fourth"]
        .map(|name| token(name, &["*"], &["publish"]))
        .concat()
}

/// Compressing a release takes about 100 MB, so that many at once would need more memory than there is.
#[test]
fn excess_publishes_wait_or_get_503() {
    let machine = FaultyMachine::new();
    let tombstones = machine.store().join("tombstones");
    let hanging = [("KEY", "the-key"), ("FAULT_FOLDER", tombstones.to_str().unwrap())];
    let gateway = machine.start_with(&more_publishers(), &hanging).with_live_site();
    for number in 0..12 {
        let tombstone = tombstones.join(format!("section{number}/1.0.0.json"));
        create_dir_all(tombstone.parent().unwrap()).unwrap();
        std::fs::write(tombstone, "{}").unwrap();
    }
    // While reads of tombstones hang, no publish ends.
    machine.hang_disk();
    let put = |number: usize| {
        let name = format!("section{number}");
        let release = Release::section(&name, "1.0.0", &[&format!("/{number}")]);
        let target = format!("/api/v1/sections/{name}/releases/1.0.0");
        let publisher = [TOKEN, "second", "third", "fourth"][number % 4];
        gateway.admin_request_as(publisher, Request::new("PUT", &target).body(release.archive()))
    };
    let (rejected, rejections) = channel();
    let publish_all = || {
        std::thread::scope(|scope| {
            for number in 0..12 {
                let (put, rejected) = (&put, rejected.clone());
                scope.spawn(move || {
                    let response = put(number);
                    if response.text().contains("wait to be published") {
                        rejected.send(response).unwrap();
                    }
                });
            }
            drop(rejected);
            for _ in 0..2 {
                let response = rejections.recv().expect("a rejected publish");
                assert_eq!(response.status, 503, "{}", response.text());
                assert_eq!(response.header("retry-after"), "5");
            }
            // Ten archives have a folder each, and each of the two that are published has another.
            let folders = gateway.scratch_folders();
            assert!(folders <= 12, "{folders} folders");
            machine.resume_disk();
        });
    };
    attack(&gateway, publish_all);
    assert_eq!(put(12).status, 201);
}

/// Sends the head of an upload with a body of this length.
fn begin_upload(gateway: &Gateway, publisher: &str, length: usize) -> Raw {
    let request = Request::new("PUT", "/api/v1/sections/legal/releases/1.0.0");
    let request = authorized_by(publisher, request).header("content-length", &length.to_string());
    let mut raw = Raw::open(&gateway.admin);
    assert!(raw.send(request.into_bytes(gateway.admin.address())));
    raw
}

#[test]
fn uploads_of_one_token_leave_places_to_others() {
    let gateway = Gateway::start_live(&more_publishers(), &[]);
    let upload = |publisher: &str| begin_upload(&gateway, publisher, 1000);
    attack(&gateway, || {
        let mut uploads = Vec::new();
        for (publisher, count) in [(TOKEN, 3), ("second", 6), ("third", 9), ("fourth", 10)] {
            uploads.resize_with(count, || upload(publisher));
            wait_until("the uploads hold places", || gateway.scratch_folders() == count);
            // The next one is rejected before its body is read.
            let response = upload(publisher).read_response();
            assert_eq!(response.status, 503, "{}", response.text());
            assert_eq!(response.header("retry-after"), "5");
        }
        drop(uploads);
        let release = Release::section("legal", "1.0.0", &["/terms"]);
        wait_until("a place is free", || {
            gateway.put_release("legal", "1.0.0", release.archive()).status == 201
        });
    });
}

#[test]
fn slow_upload_gets_408_and_frees_its_place() {
    // The client may be a second behind 64 KiB per second.
    let limits = only_limits("min_rate_window_ms = 1000\nmin_rate_bytes = 1");
    let gateway = Gateway::start_live(&(limits + &more_publishers()), &[]);
    attack(&gateway, || {
        let publishers = [TOKEN, "second", "third"].repeat(3);
        let uploads: Vec<_> = publishers
            .iter()
            .chain(&["fourth"])
            .map(|publisher| begin_upload(&gateway, publisher, 1_000_000))
            .collect();
        wait_until("the uploads hold all places", || gateway.scratch_folders() == 10);
        std::thread::scope(|scope| {
            for upload in uploads {
                scope.spawn(|| {
                    let response = upload.drip_until_closed(std::iter::repeat(b' '));
                    assert_eq!(Response::parse(&response).status, 408);
                });
            }
        });
        // About 200 KiB per second, for longer than a slow upload may take.
        let release = Release::section("legal", "1.0.0", &["/terms"]);
        let archive = release
            .bytes("client/large.bin", "application/octet-stream", noise(500_000))
            .archive();
        let mut upload = begin_upload(&gateway, "fourth", archive.len());
        upload.send_slowly(archive.chunks(4096).map(<[u8]>::to_vec));
        assert_eq!(upload.read_exact(12), b"HTTP/1.1 201");
    });
}

/// The nice values of the gateway's threads of this name.
#[cfg(target_os = "linux")]
fn nice_values(gateway: &Gateway, name: &str) -> Vec<i32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", gateway.pid())).unwrap();
    // A thread may end at any time.
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok());
    let values = stats.filter_map(|stat| {
        let (start, fields) = stat.rsplit_once(") ")?;
        let value = fields.split(' ').nth(16)?;
        start
            .ends_with(&format!("({name}"))
            .then(|| value.parse().unwrap())
    });
    values.collect()
}

#[cfg(target_os = "linux")]
#[test]
fn publish_has_lower_priority_than_visits() {
    let gateway = Gateway::start_live("", &[]);
    // Compressing it takes a while.
    let text = format!("{:?}", noise(20_000));
    let release = Release::section("legal", "1.0.0", &["/terms"]).bytes("client/large.js", SCRIPT, text);
    let mut seen = Vec::new();
    let publish_and_observe = || {
        std::thread::scope(|scope| {
            let publish = scope.spawn(|| gateway.publish(&release));
            while !publish.is_finished() {
                seen.extend(nice_values(&gateway, "publish"));
                park_timeout(Duration::from_millis(1));
            }
        });
    };
    attack(&gateway, publish_and_observe);
    // A thread that has just started has not lowered its priority yet.
    assert!(seen.iter().any(|value| *value > 0), "{seen:?}");
}

/// The gateway serves no longer URL.
#[test]
fn urls_of_pages_and_files_have_at_most_64_segments() {
    let release = |page: &str, file: &str| {
        Release::section("directory", "2.0.0", &[page]).file(&format!("client/{file}"), SCRIPT)
    };
    let gateway = Gateway::start_live("", &[]);
    let (page, file) = ("/a".repeat(65), format!("{}/b.js", ["a"; 61].join("/")));
    let rejected = gateway.put_release("directory", "2.0.0", release(&page, &file).archive());
    assert_eq!(rejected.status, 422, "{}", rejected.text());
    let expected = [
        format!("the URL of file `client/{file}` has 65 segments; expected at most 64"),
        format!("pattern `{page}` has 65 segments; expected at most 64"),
    ];
    assert_eq!(problems(&rejected), expected);
    let (page, file) = (&page[2..], &file[2..]);
    gateway.publish(&release(page, file));
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    for target in [page, &format!("/assets/directory/2.0.0/{file}")] {
        assert_eq!(gateway.get(target).status, 200, "{target}");
    }
}
