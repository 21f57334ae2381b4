//! A gateway of a region that reads: its bucket is a replica that gets objects late and in any order. The test decides which
//! objects have arrived.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use colonnade_testing_s3::{S3Server, SECRET_ACCESS_KEY};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::object_storage::{CREDENTIALS, directory, keys, refusal_with, start, wait_until_cached};
use crate::shared_store::files;
use crate::support::preview::{create_preview, open_link};
use crate::support::{Gateway, Request, Setup, wait_until};

const URL: &str = "s3://releases/site";

/// The object with the keys of previews.
const KEYS: &str = "site/preview-keys.json";

/// The bucket of the region that writes, and its replica.
struct Regions {
    source: S3Server,
    replica: S3Server,
}

impl Regions {
    fn start() -> Self {
        Self {
            source: S3Server::start(),
            replica: S3Server::start(),
        }
    }

    /// Starts a gateway that reads the replica, with this local cache.
    fn start_reader(&self, folder: Option<Arc<TempDir>>) -> Gateway {
        Gateway::set_up(Setup {
            folder,
            extra: &self.reader_keys(),
            variables: &CREDENTIALS,
            ..Setup::default()
        })
    }

    fn reader_keys(&self) -> String {
        keys(&self.replica, URL) + "read_only = true\n"
    }

    /// The keys of the objects that have not arrived.
    fn late(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        add_keys(&self.source.object(""), "site", &mut keys);
        let read = |server: &S3Server, key: &str| fs::read(server.object(key)).ok();
        keys.retain(|key| read(&self.source, key) != read(&self.replica, key));
        keys
    }

    /// Makes objects arrive in this order.
    fn deliver<'a>(&self, keys: impl IntoIterator<Item = &'a String>) {
        for key in keys {
            let bytes = fs::read(self.source.object(key)).unwrap();
            self.replica.replace(key, &bytes);
        }
    }

    /// Waits until a gateway has read the replica as it is now.
    fn wait_for_poll(&self) {
        let polls = || self.replica.requests("GET", "site/live.json");
        let before = polls();
        // The second poll begins when the first one has ended.
        wait_until("the gateway has read the replica", || polls() > before + 1);
    }
}

/// Adds the keys of the objects below a key.
fn add_keys(bucket: &Path, key: &str, keys: &mut BTreeSet<String>) {
    for entry in fs::read_dir(bucket.join(key)).unwrap() {
        let entry = entry.unwrap();
        let key = format!("{key}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            add_keys(bucket, &key, keys);
        } else {
            keys.insert(key);
        }
    }
}

/// The `directory` version that deployment `number` has in these tests.
fn version_of(number: u64) -> String {
    format!("{number}.0.0")
}

/// Publishes the next version through the gateway that writes, and deploys it.
fn deploy_next(writer: &Gateway, number: u64) {
    let version = version_of(number);
    writer.publish(&directory(&version));
    assert_eq!(writer.deploy(&json!({ "directory": version })), number);
}

/// Checks that a gateway serves the document, all files and the page data of one deployment, and nothing of the next one.
fn assert_serves(gateway: &Gateway, number: u64) {
    let document = gateway.get("/");
    let boot = document.boot();
    assert_eq!(boot["deployment"], number.to_string());
    let folder = format!("/assets/directory/{}/", version_of(number));
    for file in files(&document) {
        assert!(file.starts_with(&folder), "{file} of deployment {number}");
        let response = gateway.get(&file);
        assert_eq!(response.status, 200, "{file}: {}", response.text());
    }
    let page = gateway.get(&format!("/_page/{number}?path=%2F"));
    assert_eq!(page.json(), boot["page"]);
    let next = version_of(number + 1);
    let asset = gateway.get(&format!("/assets/directory/{next}/entry.js"));
    assert_eq!(asset.status, 404);
    assert_eq!(
        gateway.get(&format!("/_page/{}?path=%2F", number + 1)).status,
        410
    );
    assert_eq!(gateway.get("/readyz").text(), "ready\n");
}

fn history(gateway: &Gateway) -> Value {
    gateway.admin_get("/api/v1/history")["entries"].clone()
}

#[test]
fn replica_serves_old_deployment_until_new_is_whole() {
    let regions = Regions::start();
    let writer = start(&regions.source).with_live_site();
    regions.deliver(&regions.late());
    let reader = regions.start_reader(None);
    assert_serves(&reader, 1);
    let live = "site/live.json".to_owned();
    // One object is missing, of each kind that visitors need.
    for (number, kind) in (2..).zip(["site/deployments/", "site/releases/", "site/files/"]) {
        deploy_next(&writer, number);
        let mut late = regions.late();
        assert!(late.remove(&live));
        let missing = late.iter().find(|key| key.starts_with(kind)).unwrap().clone();
        assert!(late.remove(&missing));
        regions.deliver(&late);
        regions.deliver([&live]);
        regions.wait_for_poll();
        assert_serves(&reader, number - 1);
        let awaited = reader
            .wait_for_event(|line| line["event"] == "replication_awaited" && line["revision"] == number);
        assert_eq!(format!("site/{}", awaited["missing"].as_str().unwrap()), missing);
        regions.deliver([&missing]);
        reader.wait_until_live(number);
    }
    // The live state arrives first, and the history last, which visitors do not need.
    for number in [5, 6] {
        deploy_next(&writer, number);
    }
    regions.deliver([&live]);
    regions.wait_for_poll();
    assert_serves(&reader, 4);
    let (history_late, late): (BTreeSet<_>, BTreeSet<_>) = regions
        .late()
        .into_iter()
        .partition(|key| key.starts_with("site/history/"));
    assert_eq!(history_late.len(), 2);
    regions.deliver(late.iter().rev());
    reader.wait_until_live(6);
    assert_serves(&reader, 6);
    assert_eq!(history(&reader)[0]["revision"], 6);
    regions.deliver(&history_late);
    assert_eq!(history(&reader), history(&writer));
}

#[test]
fn preview_works_when_late_objects_arrive() {
    let regions = Regions::start();
    let writer = start(&regions.source).with_live_site();
    writer.publish(&directory("2.0.0"));
    let token = create_preview(&writer);
    // Only the live state says that there is a preview.
    let (late, others): (BTreeSet<_>, BTreeSet<_>) = regions
        .late()
        .into_iter()
        .partition(|key| key == KEYS || key == "site/deployments/2.json");
    assert_eq!(late.len(), 2);
    regions.deliver(&others);
    let reader = regions.start_reader(None);
    assert_eq!(open_link(&reader, &token).status, 403);
    regions.deliver(&late);
    wait_until("the link works", || open_link(&reader, &token).status == 200);
    // The end of previews arrives late, too.
    let ended = writer.admin_request(Request::new("DELETE", "/api/v1/previews"));
    assert_eq!(ended.status, 204);
    let mut late = regions.late();
    assert!(late.remove(KEYS));
    regions.deliver(&late);
    regions.wait_for_poll();
    assert_eq!(open_link(&reader, &token).status, 200);
    regions.deliver([&KEYS.to_owned()]);
    wait_until("the preview ends", || open_link(&reader, &token).status == 403);
}

#[test]
fn reader_of_incomplete_replica_starts_from_its_cache() {
    let regions = Regions::start();
    let writer = start(&regions.source).with_live_site();
    regions.deliver(&regions.late());
    let mut reader = regions.start_reader(None);
    wait_until_cached(&reader, 1);
    deploy_next(&writer, 2);
    let (file, others) = {
        let mut late = regions.late();
        let file = late
            .iter()
            .find(|key| key.starts_with("site/files/"))
            .unwrap()
            .clone();
        late.remove(&file);
        (file, late)
    };
    regions.deliver(&others);
    reader.wait_for_event(|line| line["event"] == "replication_awaited");
    reader.kill();
    let reader = regions.start_reader(Some(reader.shared_folder()));
    assert_eq!(reader.get("/").boot()["deployment"], "1");
    let new = TempDir::new().unwrap();
    let text = refusal_with(new.path(), &regions.reader_keys(), SECRET_ACCESS_KEY);
    let expected = format!(
        "{}: the object has not been replicated yet, so revision 2 cannot be served",
        file.replacen("site", URL, 1)
    );
    assert!(text.contains(&expected), "{text}");
    regions.deliver([&file]);
    reader.wait_until_live(2);
    assert_serves(&reader, 2);
}

#[test]
fn change_in_region_that_reads_is_refused() {
    let regions = Regions::start();
    let writer = start(&regions.source).with_live_site();
    regions.deliver(&regions.late());
    let reader = regions.start_reader(None);
    // The replica does not have it yet.
    let release = directory("1.1.0");
    writer.publish(&release);
    let publish = reader.put_release("directory", "1.1.0", release.archive());
    let post = |path: &str, body: Value| reader.admin_post(&format!("/api/v1/{path}"), &body);
    let end_previews = reader.admin_request(Request::new("DELETE", "/api/v1/previews"));
    for (change, refused) in [
        ("publish", publish),
        (
            "deploy",
            post("deployments", json!({ "releases": { "directory": "1.1.0" } })),
        ),
        (
            "deploy again",
            post("deployments", json!({ "releases": { "directory": "1.0.0" } })),
        ),
        ("roll back", post("rollback", json!({ "section": "directory" }))),
        (
            "promote",
            post("rollouts/directory/promote", json!({ "percent": 50 })),
        ),
        (
            "preview",
            post("previews", json!({ "releases": { "directory": "1.1.0" } })),
        ),
        ("end previews", end_previews),
        ("collect garbage", post("garbage-collection", json!({}))),
    ] {
        assert_eq!(refused.status, 409, "{change}: {}", refused.text());
        let text = refused.text();
        assert!(
            text.contains("this gateway only reads the store"),
            "{change}: {text}"
        );
        assert!(
            text.contains("through a gateway of the region that writes"),
            "{change}: {text}"
        );
    }
    let plan = post("garbage-collection", json!({ "dryRun": true }));
    assert_eq!(plan.status, 200, "{}", plan.text());
    let writes = ["PUT", "DELETE", "POST"].map(|method| regions.replica.requests_below(method, "/"));
    assert_eq!(writes, [0; 3]);
    assert_serves(&reader, 1);
}
