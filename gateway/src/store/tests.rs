use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::{FolderStore, Kept, ReleaseId, Store};
use crate::clock;
use crate::deployment::Deployment;
use crate::testing::{keep, section, store, try_keep};

fn directory() -> ReleaseId {
    ReleaseId {
        name: "directory".to_owned(),
        version: "1.0.0".to_owned(),
    }
}

/// A store with one release, set aside by a process that died then.
async fn with_one_aside() -> (TempDir, Arc<FolderStore>) {
    let (folder, store) = store();
    keep(&*store, section("directory", "1.0.0")).await;
    assert!(store.set_aside(&directory()).await.unwrap());
    assert!(store.releases().await.unwrap().is_empty());
    (folder, store)
}

async fn name_in_a_deployment(store: &dyn Store) {
    let deployment = Deployment {
        number: 1,
        releases: [(directory().name, directory().version)].into(),
        created_at: clock::now(),
        by: "test".to_owned(),
        reason: None,
        preview: false,
    };
    assert!(store.create_deployment(&deployment).await.unwrap());
}

fn scratch(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("scratch")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[tokio::test]
async fn what_lies_aside_and_is_needed_is_put_back_when_the_store_opens() {
    let (folder, store) = with_one_aside().await;
    name_in_a_deployment(&*store).await;
    let store = FolderStore::open(folder.path()).unwrap();
    assert_eq!(store.releases().await.unwrap(), [directory()]);
    assert!(store.release(&directory()).await.unwrap().is_some());
    assert!(scratch(folder.path()).is_empty());
}

#[tokio::test]
async fn what_lies_aside_and_is_not_needed_goes_when_the_store_opens() {
    let (folder, _) = with_one_aside().await;
    let store = FolderStore::open(folder.path()).unwrap();
    assert!(store.releases().await.unwrap().is_empty());
    assert!(scratch(folder.path()).is_empty());
}

#[tokio::test]
async fn what_was_published_anew_takes_the_place_of_what_lies_aside() {
    let (folder, store) = with_one_aside().await;
    name_in_a_deployment(&*store).await;
    keep(&*store, section("directory", "1.0.0")).await;
    store.put_back(&directory()).await.unwrap();
    assert!(store.release(&directory()).await.unwrap().is_some());
    assert!(scratch(folder.path()).is_empty());
}

#[tokio::test]
async fn a_version_that_was_set_aside_gets_no_other_bytes() {
    let (folder, store) = with_one_aside().await;
    let other = || {
        let mut other = section("directory", "1.0.0");
        other.release.slots = Vec::new();
        other
    };
    let gone = store.gone(&directory()).await.unwrap().unwrap();
    // While it lies aside, after it is discarded, and for a gateway that starts later.
    assert!(matches!(try_keep(&*store, other()).await, Kept::Taken(digest) if digest == gone));
    store.discard(&directory()).await.unwrap();
    assert!(matches!(try_keep(&*store, other()).await, Kept::Taken(digest) if digest == gone));
    let later = FolderStore::open(folder.path()).unwrap();
    assert!(matches!(try_keep(&later, other()).await, Kept::Taken(digest) if digest == gone));
    assert!(later.release(&directory()).await.unwrap().is_none());

    keep(&later, section("directory", "1.0.0")).await;
    assert_eq!(
        later.release(&directory()).await.unwrap().unwrap().record.digest,
        gone
    );
    assert!(scratch(folder.path()).is_empty());
}

#[tokio::test]
async fn a_name_that_leads_out_of_the_store_was_never_there() {
    let (folder, store) = store();
    std::fs::write(folder.path().join("x.json"), "{}").unwrap();
    let id = ReleaseId {
        name: "..".to_owned(),
        version: "x".to_owned(),
    };
    assert!(store.gone(&id).await.unwrap().is_none());
}

#[tokio::test]
async fn what_lies_aside_stays_there_as_long_as_a_deployment_cannot_be_read() {
    let (folder, _) = with_one_aside().await;
    std::fs::write(folder.path().join("deployments/1.json"), "{").unwrap();
    FolderStore::open(folder.path()).unwrap();
    assert_eq!(scratch(folder.path()), ["aside-directory@1.0.0"]);
}

#[tokio::test]
async fn a_store_opens_in_folders_that_are_not_there_yet() {
    let folder = TempDir::new().unwrap();
    let nested = folder.path().join("a/b/store");
    let store = FolderStore::open(&nested).unwrap();
    keep(&store, section("directory", "1.0.0")).await;
    let again = FolderStore::open(&nested).unwrap();
    assert_eq!(again.releases().await.unwrap(), [directory()]);
}
