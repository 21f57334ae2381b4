//! What a test server shows best: shared files, the cache, damage by hand, and unconfirmed writes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use colonnade_model::release::{File, ReleaseId};
use colonnade_testing_s3::{Fault, S3Server};
use colonnade_web::content_negotiation::Coding;
use tempfile::TempDir;

use crate::objects::DELETED;
use crate::suite::deployment;
use crate::testing::{Sample, open_bucket, put_release, section, try_put_release};
use crate::{BucketError, ListedFile, PutOutcome, Store, StoreError};

/// A store with one release.
struct Published {
    server: S3Server,
    caches: TempDir,
    store: Arc<Store>,
    id: ReleaseId,
    files: Vec<File>,
}

impl Published {
    async fn new() -> Self {
        let (server, caches) = (S3Server::start(), TempDir::new().unwrap());
        let store = open_bucket(&server, &caches.path().join("first")).await.unwrap();
        put_release(&store, section("directory", "1.0.0")).await;
        let id = id("1.0.0");
        let files = store.release(&id).await.unwrap().unwrap().release.files;
        Self {
            server,
            caches,
            store: Arc::new(store),
            id,
            files,
        }
    }

    /// A gateway whose cache is empty.
    async fn other(&self) -> Store {
        open_bucket(&self.server, &self.caches.path().join("other"))
            .await
            .unwrap()
    }

    async fn delete(&self, id: &ReleaseId) {
        let mark = self.store.mark_unused(id).await.unwrap().unwrap();
        assert!(self.store.delete_unused(&mark).await.unwrap());
    }

    async fn read(&self, store: &Store, file: &File) -> Result<Option<Vec<u8>>, StoreError> {
        let read = store
            .read_file(&self.id, ListedFile::from(file), Coding::Identity)
            .await?;
        Ok(read.map(|bytes| bytes.to_vec()))
    }

    /// The paths of the objects of release files.
    fn objects(&self) -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(self.server.object("site/files")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

fn id(version: &str) -> ReleaseId {
    ReleaseId {
        name: "directory".to_owned(),
        version: version.to_owned(),
    }
}

/// A release with one changed file.
fn changed(version: &str) -> Sample {
    let mut sample = section("directory", "1.0.0");
    version.clone_into(&mut sample.release.version);
    let file = sample
        .release
        .files
        .iter_mut()
        .find(|file| file.path == "client/entry.js");
    let file = file.unwrap();
    let bytes = format!("// {version}").into_bytes();
    file.size = bytes.len() as u64;
    file.digest = colonnade_model::release::Digest::of(&bytes);
    sample.files.insert(file.path.clone(), bytes);
    sample
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_the_store_has_are_not_sent_again() {
    let published = Published::new().await;
    let before = published.server.requests_below("PUT", "site/files/");
    put_release(&published.other().await, changed("1.1.0")).await;
    assert_eq!(published.server.requests_below("PUT", "site/files/"), before + 1);
    // Deleting the first release keeps what the second one has, also if an upload has only named
    // the files.
    let upload = published.objects().into_iter().map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        format!("\"{name}\"")
    });
    let upload = format!("{{\"files\": [{}]}}", upload.collect::<Vec<_>>().join(","));
    let objects = published.objects().len();
    fs::create_dir_all(published.server.object("site/uploads")).unwrap();
    published
        .server
        .replace("site/uploads/one.json", upload.as_bytes());
    published.delete(&published.id).await;
    assert_eq!(published.objects().len(), objects);
    fs::remove_file(published.server.object("site/uploads/one.json")).unwrap();
    published.delete(&id("1.1.0")).await;
    assert!(published.objects().len() < objects);
}

#[tokio::test(flavor = "multi_thread")]
async fn unconfirmed_deletion_does_not_delete_newer_release() {
    let published = Published::new().await;
    let (store, id) = (&published.store, &published.id);
    let record = "site/releases/directory/1.0.0.json";
    let mark = store.mark_unused(id).await.unwrap().unwrap();
    published.server.set_fault(Fault::ErrorInPlaceOfWrite(
        503,
        "SlowDown",
        "releases/directory/1.0.0.json",
    ));
    assert!(store.delete_unused(&mark).await.is_err());
    published.server.set_fault(None);
    let other = published.other().await;
    assert!(other.claim_release(id).await.unwrap().is_some());
    assert!(!store.delete_unused(&mark).await.unwrap());
    published.delete(id).await;
    assert_eq!(fs::read(published.server.object(record)).unwrap(), DELETED);
    put_release(&other, section("directory", "1.0.0")).await;
    assert!(!store.delete_unused(&mark).await.unwrap());
    assert!(
        published
            .read(&other, &published.files[0])
            .await
            .unwrap()
            .is_some()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_objects_are_refused_and_cached_ones_served() {
    let published = Published::new().await;
    let file = &published.files[0];
    let other = published.other().await;
    for path in published.objects() {
        fs::write(path, "altered by hand").unwrap();
    }
    let read = published.read(&other, file).await;
    assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
    for path in published.objects() {
        fs::remove_file(path).unwrap();
    }
    let read = published.read(&other, file).await;
    assert!(matches!(read, Err(StoreError::MissingFile(_))), "{read:?}");
    // The first gateway has sent the files, so that it has them.
    assert!(published.read(&published.store, file).await.unwrap().is_some());
    for entry in fs::read_dir(published.caches.path().join("first/files")).unwrap() {
        fs::write(entry.unwrap().path(), "a damaged copy").unwrap();
    }
    let read = published.read(&published.store, file).await;
    assert!(matches!(read, Err(StoreError::MissingFile(_))), "{read:?}");
    let record = "site/releases/directory/1.0.0.json";
    let text = fs::read_to_string(published.server.object(record)).unwrap();
    let escaping = text.replacen("\"client/common.js\": \"", "\"client/common.js\": \"../", 1);
    assert!(escaping.len() > text.len());
    published.server.replace(record, escaping.as_bytes());
    let read = other.release(&published.id).await;
    assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
    published.server.replace(record, b"{");
    let read = other.release(&published.id).await;
    assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unconfirmed_writes_that_took_effect_are_found() {
    let published = Published::new().await;
    let state = crate::suite::state_after(None, "first");
    published
        .server
        .set_fault(Fault::ErrorAfterWrite(500, "InternalError"));
    assert!(
        published
            .store
            .compare_and_swap_state(None, &state)
            .await
            .unwrap()
    );
    let next = crate::suite::state_after(Some(&state), "next");
    published.server.set_fault(None);
    assert!(
        published
            .store
            .compare_and_swap_state(Some(&state), &next)
            .await
            .unwrap()
    );
    assert_eq!(
        published.store.history_entry(1).await.unwrap(),
        Some(state.change)
    );
    // One that did not take effect is reported as unknown: it may be on its way.
    let third = crate::suite::state_after(Some(&next), "third");
    published
        .server
        .set_fault(Fault::ErrorInPlaceOfWrite(503, "SlowDown", "live.json"));
    let swapped = published.store.compare_and_swap_state(Some(&next), &third).await;
    assert!(
        matches!(
            &swapped,
            Err(StoreError::Bucket {
                source: BucketError::Unconfirmed,
                ..
            })
        ),
        "{swapped:?}"
    );
    published.server.set_fault(None);
    assert_eq!(published.store.live_state().await.unwrap(), Some(next));
}

#[tokio::test(flavor = "multi_thread")]
async fn late_history_entry_replaces_no_newer_change() {
    let published = Published::new().await;
    let (slow, other) = (&published.store, published.other().await);
    let first = crate::suite::state_after(None, "first");
    let lost = crate::suite::state_after(Some(&first), "lost");
    assert!(slow.compare_and_swap_state(None, &first).await.unwrap());
    let older = fs::read(published.server.object("site/live.json")).unwrap();
    assert!(slow.compare_and_swap_state(Some(&first), &lost).await.unwrap());
    published.server.replace("site/live.json", &older);
    let second = crate::suite::state_after(Some(&first), "second");
    let third = crate::suite::state_after(Some(&second), "third");
    assert_eq!(other.live_state().await.unwrap().as_ref(), Some(&first));
    assert!(other.compare_and_swap_state(Some(&first), &second).await.unwrap());
    assert!(other.compare_and_swap_state(Some(&second), &third).await.unwrap());
    for late in [&lost, &second] {
        slow.inner.record(&late.change).await.unwrap();
        for expected in [&second.change, &third.change] {
            let entry = other.history_entry(expected.revision).await.unwrap();
            assert_eq!(entry.as_ref(), Some(expected));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_upload_leaves_no_release() {
    let published = Published::new().await;
    published
        .server
        .set_fault(Fault::ErrorInPlaceOfWrite(403, "AccessDenied", "1.1.0.json"));
    let store = published.other().await;
    let put = crate::testing::publish(&store, changed("1.1.0")).await;
    assert!(matches!(put, Err(StoreError::Bucket { .. })), "{put:?}");
    published.server.set_fault(None);
    assert_eq!(
        store.releases(None).await.unwrap(),
        std::slice::from_ref(&published.id)
    );
    assert!(matches!(
        try_put_release(&store, changed("1.1.0")).await,
        PutOutcome::Created
    ));
    assert!(scratch_is_empty(&published.caches.path().join("other")));
}

#[tokio::test(flavor = "multi_thread")]
async fn old_files_that_nothing_uses_are_deleted() {
    let published = Published::new().await;
    let [old, new] = ["site/files/old.0", "site/files/new.0"];
    published.server.replace(old, b"left by an upload");
    for path in published.objects() {
        age(&path);
    }
    published.server.replace(new, b"of an upload that is under way");
    published.store.delete_orphans().await.unwrap();
    assert!(!published.server.object(old).exists());
    assert!(published.server.object(new).exists());
    let other = published.other().await;
    for file in &published.files {
        assert!(published.read(&other, file).await.unwrap().is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn number_of_deleted_deployment_is_not_used_again() {
    let published = Published::new().await;
    let (slow, other) = (&published.store, published.other().await);
    let late = deployment(1, &id("1.1.0"));
    for number in [1, 2] {
        let created = deployment(number, &published.id);
        assert!(other.create_deployment(&created).await.unwrap());
    }
    for _ in 0..2 {
        other.delete_deployment(1).await.unwrap();
    }
    assert!(!slow.create_deployment(&late).await.unwrap());
    for store in [&**slow, &other] {
        assert_eq!(store.deployments().await.unwrap(), [2]);
        assert!(store.deployment(1).await.unwrap().is_none());
    }
    let [deleted, kept] = ["1", "2"].map(|number| {
        published
            .server
            .object(&format!("site/deployments/{number}.json"))
    });
    slow.delete_orphans().await.unwrap();
    assert!(deleted.exists() && kept.exists());
    age(&deleted);
    slow.delete_orphans().await.unwrap();
    assert!(!deleted.exists() && kept.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn error_in_place_of_list_is_explained_and_deletes_nothing() {
    let published = Published::new().await;
    let objects = published.objects();
    for path in &objects {
        age(path);
    }
    published
        .server
        .set_fault(Fault::ErrorInPlaceOfList(200, "InternalError"));
    let deleted = published.store.delete_orphans().await.unwrap_err();
    assert!(
        deleted.to_string().contains("failed (InternalError)"),
        "{deleted}"
    );
    assert!(published.store.releases(None).await.is_err());
    assert!(published.store.deployments().await.is_err());
    assert!(objects.iter().all(|path| path.exists()));
    published
        .server
        .set_fault(Fault::ErrorInPlaceOfList(403, "AccessDenied"));
    let listed = published.store.releases(None).await.unwrap_err();
    assert!(
        listed.to_string().contains("access is denied (AccessDenied)"),
        "{listed}"
    );
}

/// Makes an object older than what garbage collection keeps.
fn age(object: &Path) {
    let yesterday = std::time::SystemTime::from(colonnade_clock::now()) - std::time::Duration::from_hours(25);
    let file = fs::File::options().write(true).open(object).unwrap();
    file.set_modified(yesterday).unwrap();
}

fn scratch_is_empty(cache: &Path) -> bool {
    fs::read_dir(cache.join("scratch")).unwrap().next().is_none()
}

/// Tests replace objects while gateways read them. With the version of the new bytes, the old ones
/// would never be replaced.
#[tokio::test(flavor = "multi_thread")]
async fn object_that_is_replaced_while_read_has_own_version() {
    let published = Published::new().await;
    let objects = &published.store.inner.objects;
    let has_ended = Arc::new(AtomicBool::new(false));
    let (server, ended) = (published.server, Arc::clone(&has_ended));
    let replacing = std::thread::spawn(move || {
        while !ended.load(Ordering::Relaxed) {
            server.replace("site/replaced", b"1");
            server.replace("site/replaced", b"2");
        }
        // It stops when the reads have ended.
        server
    });
    let mut versions = HashMap::new();
    for _ in 0..200 {
        if let Some(object) = objects.read_bytes("replaced").await.unwrap() {
            let version = format!("{:?}", object.version);
            let known = versions.entry(version).or_insert_with(|| object.bytes.clone());
            assert_eq!(*known, object.bytes);
        }
    }
    has_ended.store(true, Ordering::Relaxed);
    drop(replacing.join().unwrap());
}
