use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use colonnade_model::deployment::Deployment;
use colonnade_model::release::ReleaseId;

use super::{FolderStore, PutOutcome, Store};
use crate::testing::{put_release, section, store, try_put_release};

fn directory() -> ReleaseId {
    ReleaseId {
        name: "directory".to_owned(),
        version: "1.0.0".to_owned(),
    }
}

/// A store whose only release is in quarantine, as a crashed garbage collection leaves it.
async fn store_with_quarantined_release() -> (TempDir, Arc<FolderStore>) {
    let (folder, store) = store();
    put_release(&*store, section("directory", "1.0.0")).await;
    assert!(store.quarantine(&directory()).await.unwrap());
    assert!(store.releases().await.unwrap().is_empty());
    // Without it, the store counts as one that lost its history.
    std::fs::write(folder.path().join("history/1.json"), "{}").unwrap();
    (folder, store)
}

async fn create_deployment(store: &dyn Store) {
    let deployment = Deployment {
        number: 1,
        releases: [(directory().name, directory().version)].into(),
        created_at: colonnade_clock::now(),
        by: "test".to_owned(),
        reason: None,
        preview: false,
    };
    assert!(store.create_deployment(&deployment).await.unwrap());
}

fn scratch_entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("scratch")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[tokio::test]
async fn open_restores_quarantined_release_in_use() {
    let (folder, store) = store_with_quarantined_release().await;
    create_deployment(&*store).await;
    let store = FolderStore::open(folder.path()).unwrap();
    assert_eq!(store.releases().await.unwrap(), [directory()]);
    assert!(store.release(&directory()).await.unwrap().is_some());
    assert!(scratch_entries(folder.path()).is_empty());
}

#[tokio::test]
async fn open_deletes_unused_quarantined_release() {
    let (folder, _) = store_with_quarantined_release().await;
    let store = FolderStore::open(folder.path()).unwrap();
    assert!(store.releases().await.unwrap().is_empty());
    assert!(scratch_entries(folder.path()).is_empty());
}

#[tokio::test]
async fn restore_keeps_release_published_again() {
    let (folder, store) = store_with_quarantined_release().await;
    create_deployment(&*store).await;
    put_release(&*store, section("directory", "1.0.0")).await;
    store.restore(&directory()).await.unwrap();
    assert!(store.release(&directory()).await.unwrap().is_some());
    assert!(scratch_entries(folder.path()).is_empty());
}

#[tokio::test]
async fn tombstone_rejects_other_bytes_for_version() {
    let (folder, store) = store_with_quarantined_release().await;
    let other = || {
        let mut other = section("directory", "1.0.0");
        other.release.slots = Vec::new();
        other
    };
    let tombstone = store.tombstone(&directory()).await.unwrap().unwrap();
    let is_taken = |outcome| matches!(outcome, PutOutcome::VersionTaken(digest) if digest == tombstone);
    assert!(is_taken(try_put_release(&*store, other()).await), "in quarantine");
    store.delete_quarantined(&directory()).await.unwrap();
    assert!(is_taken(try_put_release(&*store, other()).await), "deleted");
    let reopened = FolderStore::open(folder.path()).unwrap();
    assert!(is_taken(try_put_release(&reopened, other()).await), "reopened");
    assert!(reopened.release(&directory()).await.unwrap().is_none());

    put_release(&reopened, section("directory", "1.0.0")).await;
    let restored = reopened.release(&directory()).await.unwrap().unwrap();
    assert_eq!(restored.record.digest, tombstone);
    assert!(scratch_entries(folder.path()).is_empty());
}

#[tokio::test]
async fn tombstone_path_traversal_finds_nothing() {
    let (folder, store) = store();
    std::fs::write(folder.path().join("x.json"), "{}").unwrap();
    let id = ReleaseId {
        name: "..".to_owned(),
        version: "x".to_owned(),
    };
    assert!(store.tombstone(&id).await.unwrap().is_none());
}

#[tokio::test]
async fn open_keeps_quarantine_if_deployment_unreadable() {
    let (folder, _) = store_with_quarantined_release().await;
    std::fs::write(folder.path().join("deployments/1.json"), "{").unwrap();
    FolderStore::open(folder.path()).unwrap();
    assert_eq!(scratch_entries(folder.path()), ["quarantine-directory@1.0.0"]);
}

#[tokio::test]
async fn open_creates_missing_parent_folders() {
    let folder = TempDir::new().unwrap();
    let nested = folder.path().join("a/b/store");
    let store = FolderStore::open(&nested).unwrap();
    put_release(&store, section("directory", "1.0.0")).await;
    let reopened = FolderStore::open(&nested).unwrap();
    assert_eq!(reopened.releases().await.unwrap(), [directory()]);
}
