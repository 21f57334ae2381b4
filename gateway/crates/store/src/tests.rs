use tempfile::TempDir;

use colonnade_model::release::ReleaseId;

use crate::metrics::StoreMetrics;
use crate::suite::{deployment, state_after};
use crate::testing::{put_release, section, store};
use crate::{Place, Store, StoreError, Timeline, copy};

#[tokio::test]
async fn open_creates_missing_parent_folders() {
    let folder = TempDir::new().unwrap();
    let nested = folder.path().join("a/b/store");
    let open = || Store::open_folder(&nested, StoreMetrics::default()).unwrap();
    put_release(&open(), section("directory", "1.0.0")).await;
    let id = ReleaseId {
        name: "directory".to_owned(),
        version: "1.0.0".to_owned(),
    };
    assert_eq!(open().releases(None).await.unwrap(), [id]);
}

#[test]
fn open_rejects_folder_with_other_content() {
    let folder = TempDir::new().unwrap();
    let release = folder.path().join("releases/directory/1.0.0");
    std::fs::create_dir_all(&release).unwrap();
    std::fs::write(release.join("stored.json"), "{}").unwrap();
    let opened = Store::open_folder(folder.path(), StoreMetrics::default());
    assert!(matches!(opened, Err(StoreError::OtherContent(_))), "{opened:?}");
}

/// Garbage collection deletes a deployment and its release between the reads of a copy.
#[tokio::test]
async fn copy_leaves_out_deployment_without_its_release() {
    let (folder, store) = store();
    let id = |version: &str| ReleaseId {
        name: "directory".to_owned(),
        version: version.to_owned(),
    };
    put_release(&store, section("directory", "1.0.0")).await;
    for (number, version) in [(1, "1.0.0"), (2, "deleted")] {
        let deployment = deployment(number, &id(version));
        assert!(store.create_deployment(&deployment).await.unwrap());
    }
    let state = state_after(None, "first");
    assert!(store.compare_and_swap_state(None, &state).await.unwrap());
    let target = TempDir::new().unwrap();
    let places = [&folder, &target].map(|folder| Place::Folder(folder.path().to_owned()));
    let copied = copy(&places[0], &places[1], Timeline::Same).await.unwrap();
    assert_eq!((copied.revision, copied.releases), (1, 1));
    let copy = Store::open_folder(target.path(), StoreMetrics::default()).unwrap();
    assert_eq!(copy.deployments().await.unwrap(), [1]);
    assert_eq!(copy.live_state().await.unwrap(), Some(state));
}
