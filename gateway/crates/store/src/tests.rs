use tempfile::TempDir;

use colonnade_model::release::ReleaseId;

use crate::metrics::StoreMetrics;
use crate::testing::{put_release, section};
use crate::{Store, StoreError};

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
