use tempfile::TempDir;

use colonnade_model::event::{AuditEntry, Outcome};
use colonnade_model::release::ReleaseId;
use jiff::Timestamp;

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

/// A call of the admin API, which its reason tells apart.
fn call(number: usize) -> AuditEntry {
    AuditEntry {
        at: Timestamp::from_second(number.try_into().unwrap()).unwrap(),
        by: "test".to_owned(),
        action: "deploy".to_owned(),
        target: None,
        outcome: Outcome::Refused,
        status: 409,
        cause: None,
        reason: Some(number.to_string()),
        issuer: None,
        subject: None,
        source: None,
    }
}

/// The numbers of the calls after one, and those in their reasons.
async fn numbers_after(store: &Store, after: u64, limit: usize) -> (Vec<u64>, Vec<u64>) {
    let (_, calls) = store.audit_after(after, limit).await.unwrap();
    let reasons = calls
        .iter()
        .map(|(_, call)| call.reason.as_ref().unwrap().parse().unwrap());
    (
        calls.iter().map(|(number, _)| *number).collect(),
        reasons.collect(),
    )
}

#[tokio::test]
async fn calls_of_all_gateways_have_one_order() {
    let (folder, first) = store();
    let second = Store::open_folder(folder.path(), StoreMetrics::default()).unwrap();
    for start in (0..600).step_by(20) {
        let calls: Vec<_> = (start + 1..=start + 20).map(call).collect();
        let store = if start % 40 == 0 { &first } else { &second };
        store.append_audit(&calls).await.unwrap();
    }
    assert_eq!(first.audit_end().await.unwrap(), 600);
    let all: Vec<u64> = (1..=600).collect();
    assert_eq!(numbers_after(&second, 0, 1000).await, (all.clone(), all.clone()));
    assert_eq!(numbers_after(&first, 240, 10).await.0, all[240..250]);
    assert_eq!(numbers_after(&first, 599, 10).await.0, [600]);
    assert_eq!(first.audit_after(1000, 10).await.unwrap(), (600, Vec::new()));
    // A damaged object costs its own calls.
    std::fs::write(folder.path().join("audit/0.json"), "{").unwrap();
    assert_eq!(numbers_after(&first, 0, 1000).await.0, all[250..]);
    // Old calls go, also those in the last object, and the others keep their numbers.
    let deleted = Timestamp::from_second(560).unwrap();
    first.delete_audit(deleted).await.unwrap();
    for store in [&first, &second] {
        assert_eq!(numbers_after(store, 0, 1000).await.0, all[559..]);
        assert_eq!(store.audit_end().await.unwrap(), 600);
    }
    second.append_audit(&[call(601)]).await.unwrap();
    assert_eq!(numbers_after(&first, 599, 10).await.0, [600, 601]);
    first.delete_audit(Timestamp::MAX).await.unwrap();
    assert_eq!(numbers_after(&first, 0, 1000).await.0, [0; 0]);
    let exists = |name| folder.path().join("audit").join(name).exists();
    assert_eq!(["0.json", "1.json", "2.json"].map(exists), [false, false, true]);
    std::fs::write(folder.path().join("audit/2.json"), "{").unwrap();
    first.append_audit(&[call(1)]).await.unwrap();
    assert_eq!(numbers_after(&second, 0, 1000).await.0, [751]);
}
