use std::path::Path;

use tempfile::TempDir;

use colonnade_model::release::ReleaseId;

use super::{FolderStore, Store};
use crate::testing::{put_release, section, store};

fn directory() -> ReleaseId {
    ReleaseId {
        name: "directory".to_owned(),
        version: "1.0.0".to_owned(),
    }
}

fn scratch_entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("scratch")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[tokio::test]
async fn mark_of_crashed_process_is_removed_when_old() {
    let (folder, store) = store();
    put_release(&*store, section("directory", "1.0.0")).await;
    let mark = store.mark_unused(&directory()).await.unwrap().unwrap();
    assert_eq!(scratch_entries(folder.path()), ["unused-directory@1.0.0"]);
    let file = std::fs::File::open(folder.path().join("scratch/unused-directory@1.0.0")).unwrap();
    let yesterday = std::time::SystemTime::from(colonnade_clock::now()) - std::time::Duration::from_hours(25);
    file.set_modified(yesterday).unwrap();
    store.delete_orphans().await.unwrap();
    assert!(scratch_entries(folder.path()).is_empty());
    assert!(!store.delete_unused(&mark).await.unwrap());
    assert!(store.release(&directory()).await.unwrap().is_some());
}

#[tokio::test]
async fn open_creates_missing_parent_folders() {
    let folder = TempDir::new().unwrap();
    let nested = folder.path().join("a/b/store");
    let store = FolderStore::open(&nested).unwrap();
    put_release(&store, section("directory", "1.0.0")).await;
    let reopened = FolderStore::open(&nested).unwrap();
    assert_eq!(reopened.releases(None).await.unwrap(), [directory()]);
}
