//! What every store does: the same tests on the folder and on a bucket of a real S3 server.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use colonnade_model::canary::{CountedStep, GatewayCounts, RolloutCounts, TrackCounts};
use colonnade_model::deployment::{Change, ChangeKind, Deployment, LiveState, VisibleDeployments};
use colonnade_model::fleet::GatewayState;
use colonnade_model::release::{File, ReleaseId, SHELL};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_model::unknown_fields::UnknownFields;
use colonnade_testing_s3::S3Server;
use colonnade_web::content_negotiation::Coding;
use jiff::Timestamp;
use tempfile::TempDir;

use crate::metrics::StoreMetrics;
use crate::testing::{Sample, open_bucket, put_release, section, shell, try_put_release};
use crate::{GatewayId, ListedFile, PutOutcome, Store};

/// Where a store is.
enum Place {
    Folder(TempDir),
    Bucket(S3Server, TempDir),
}

impl Place {
    fn folder() -> Self {
        Self::Folder(TempDir::new().unwrap())
    }

    fn bucket() -> Self {
        Self::Bucket(S3Server::start(), TempDir::new().unwrap())
    }

    /// Opens the store as a new gateway does.
    async fn open(&self) -> Arc<Store> {
        Arc::new(match self {
            Self::Folder(folder) => Store::open_folder(folder.path(), StoreMetrics::default()).unwrap(),
            Self::Bucket(server, caches) => {
                let cache = tempfile::tempdir_in(caches.path()).unwrap().keep();
                open_bucket(server, &cache).await.unwrap()
            }
        })
    }

    /// Recovers the live state.
    async fn recover(&self) -> Option<LiveState> {
        self.open().await.recover_live_state().await.unwrap()
    }

    /// The path of a file or an object.
    fn path(&self, key: &str) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.path().join(key),
            Self::Bucket(server, _) => server.object(&format!("site/{key}")),
        }
    }

    /// Replaces a file or an object by hand.
    fn replace(&self, key: &str, bytes: &[u8]) {
        match self {
            Self::Folder(_) => fs::write(self.path(key), bytes).unwrap(),
            Self::Bucket(server, _) => server.replace(&format!("site/{key}"), bytes),
        }
    }

    /// Opens the store as new gateways do.
    async fn open_many(&self, count: usize) -> Vec<Arc<Store>> {
        let mut stores = Vec::new();
        for _ in 0..count {
            stores.push(self.open().await);
        }
        stores
    }
}

/// Runs each test on both.
macro_rules! on_both {
    ($($test:ident),* $(,)?) => {
        mod folder {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test(super::Place::folder()).await;
            })*
        }
        mod bucket {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test(super::Place::bucket()).await;
            })*
        }
    };
}

on_both!(
    release_is_read_back_and_never_replaced,
    racing_publishes_of_a_version_create_one,
    release_is_deleted_only_with_its_newest_mark,
    interrupted_deletion_leaves_release_and_deployment,
    racing_changes_of_live_state_lose_nothing,
    equal_change_of_other_state_loses_race,
    lost_history_entries_are_replaced,
    lost_history_entries_are_not_recovered,
    racing_rotations_of_keys_agree,
    counts_of_other_gateways_are_read_until_they_expire,
    states_of_gateways_are_read_until_they_expire,
);

fn id(sample: &Sample) -> ReleaseId {
    ReleaseId {
        name: sample.release.name.clone(),
        version: sample.release.version.clone(),
    }
}

/// The same version with other bytes.
fn altered(slot: usize) -> Sample {
    let mut sample = section("directory", "1.0.0");
    sample.release.container = Some(format!("container_{slot}"));
    sample
}

pub(crate) fn deployment(number: u64, id: &ReleaseId) -> Deployment {
    Deployment {
        number,
        releases: [(id.name.clone(), id.version.clone())].into(),
        created_at: colonnade_clock::now(),
        by: "test".to_owned(),
        reason: None,
        preview: false,
        changes: BTreeSet::new(),
    }
}

/// The state after another one.
pub(crate) fn state_after(before: Option<&LiveState>, by: &str) -> LiveState {
    let revision = before.map_or(0, LiveState::revision) + 1;
    LiveState {
        visible: VisibleDeployments::first(1, 1),
        change: Change {
            revision,
            previous: revision - 1,
            after: before.map(|before| before.change.fingerprint()),
            at: colonnade_clock::now(),
            by: by.to_owned(),
            action: ChangeKind::Deploy,
            live: 1,
            before: before.map(LiveState::live),
            candidate: None,
            percent: None,
            steps: None,
            paused: None,
            restores: None,
            extension: None,
            sections: [].into(),
            reason: None,
            figures: None,
        },
        timeline: None,
        summaries: BTreeMap::new(),
        switched_off: Vec::new(),
        unknown: UnknownFields::default(),
    }
}

async fn read(store: &Store, id: &ReleaseId, file: &File) -> Option<Vec<u8>> {
    let read = store
        .read_file(id, ListedFile::from(file), Coding::Identity)
        .await;
    read.unwrap().map(|bytes| bytes.to_vec())
}

async fn release_is_read_back_and_never_replaced(place: Place) {
    let (first, second) = (place.open().await, place.open().await);
    let sample = section("directory", "1.0.0");
    let id = id(&sample);
    assert!(second.release(&id).await.unwrap().is_none());
    put_release(&first, section("directory", "1.0.0")).await;
    let stored = second.release(&id).await.unwrap().unwrap();
    for (section, listed) in [
        (None, 1),
        (Some("directory"), 1),
        (Some("direct"), 0),
        (Some(".."), 0),
    ] {
        let expected = &std::slice::from_ref(&id)[..listed];
        assert_eq!(second.releases(section).await.unwrap(), expected, "{section:?}");
    }
    for file in &stored.release.files {
        let bytes = read(&second, &id, file).await.unwrap();
        assert_eq!(bytes, sample.files[&file.path], "{}", file.path);
    }
    for other in [section("directory", "1.0.0"), altered(1)] {
        let outcome = try_put_release(&second, other).await;
        assert!(matches!(outcome, PutOutcome::VersionTaken(digest) if digest == stored.record.digest));
    }
    let unknown = ReleaseId {
        name: "..".to_owned(),
        version: "1.0.0".to_owned(),
    };
    assert!(second.release(&unknown).await.unwrap().is_none());
    // A path with `..` would name it.
    place.replace("1.0.0.json", b"{}");
    assert!(second.tombstone(&unknown).await.unwrap().is_none());
}

async fn racing_publishes_of_a_version_create_one(place: Place) {
    let mut publishes = tokio::task::JoinSet::new();
    for (slot, store) in place.open_many(4).await.into_iter().enumerate() {
        publishes.spawn(async move { try_put_release(&store, altered(slot)).await });
    }
    let outcomes = publishes.join_all().await;
    let created = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, PutOutcome::Created));
    assert_eq!(created.count(), 1, "{outcomes:?}");
    let store = place.open().await;
    let stored = store.release(&id(&altered(0))).await.unwrap().unwrap();
    let digest = stored.record.digest;
    let is_same = |outcome: &PutOutcome| match outcome {
        PutOutcome::VersionTaken(taken) => *taken == digest,
        PutOutcome::Created => true,
    };
    assert!(outcomes.iter().all(is_same), "{outcomes:?}");
}

async fn release_is_deleted_only_with_its_newest_mark(place: Place) {
    let store = place.open().await;
    let sample = section("directory", "1.0.0");
    let id = id(&sample);
    assert!(store.mark_unused(&id).await.unwrap().is_none());
    assert!(store.claim_release(&id).await.unwrap().is_none());
    put_release(&store, sample).await;
    let mut same_files = section("directory", "1.0.0");
    same_files.release.version = "1.1.0".to_owned();
    put_release(&store, same_files).await;
    let file = store.release(&id).await.unwrap().unwrap().release.files[0].clone();

    // A marked release is stored until it is deleted.
    let mark = store.mark_unused(&id).await.unwrap().unwrap();
    assert!(store.release(&id).await.unwrap().is_some());
    assert!(read(&store, &id, &file).await.is_some());
    assert!(store.claim_release(&id).await.unwrap().is_some());
    assert!(!store.delete_unused(&mark).await.unwrap());
    // Another collection marks it after the claim.
    let newer = store.mark_unused(&id).await.unwrap().unwrap();
    assert!(!store.delete_unused(&mark).await.unwrap());
    assert!(read(&store, &id, &file).await.is_some());
    assert!(store.tombstone(&id).await.unwrap().is_none());

    assert!(store.delete_unused(&newer).await.unwrap());
    assert!(!store.delete_unused(&newer).await.unwrap());
    assert!(store.claim_release(&id).await.unwrap().is_none());
    let other = place.open().await;
    assert!(other.release(&id).await.unwrap().is_none());
    assert!(read(&other, &id, &file).await.is_none());
    assert!(!other.releases(None).await.unwrap().contains(&id));
    // The other release has the same files.
    let next = ReleaseId {
        version: "1.1.0".to_owned(),
        ..id.clone()
    };
    for file in &other.release(&next).await.unwrap().unwrap().release.files {
        assert!(read(&other, &next, file).await.is_some(), "{}", file.path);
    }

    let tombstone = other.tombstone(&id).await.unwrap().unwrap();
    let outcome = try_put_release(&other, altered(1)).await;
    assert!(matches!(outcome, PutOutcome::VersionTaken(digest) if digest == tombstone));
    put_release(&other, section("directory", "1.0.0")).await;
    assert!(read(&store, &id, &file).await.is_some());
    assert!(!other.delete_unused(&newer).await.unwrap());
}

async fn interrupted_deletion_leaves_release_and_deployment(place: Place) {
    let store = place.open().await;
    let sample = section("directory", "1.0.0");
    let release = id(&sample);
    put_release(&store, sample).await;
    let state = state_after(None, "first");
    assert!(store.compare_and_swap_state(None, &state).await.unwrap());
    store.mark_unused(&release).await.unwrap().unwrap();
    let other = place.open().await;
    assert_eq!(
        other.releases(None).await.unwrap(),
        std::slice::from_ref(&release)
    );
    let stored = other.release(&release).await.unwrap().unwrap();
    assert!(read(&other, &release, &stored.release.files[0]).await.is_some());
    assert!(other.create_deployment(&deployment(1, &release)).await.unwrap());
    let mut taken = deployment(1, &release);
    taken.by = "another".to_owned();
    assert!(!other.create_deployment(&taken).await.unwrap());
    assert_eq!(other.deployments().await.unwrap(), [1]);
    other.delete_deployment(1).await.unwrap();
    assert!(store.deployment(1).await.unwrap().is_none());
}

async fn racing_changes_of_live_state_lose_nothing(place: Place) {
    const GATEWAYS: usize = 3;
    const CHANGES: u64 = 4;
    let mut gateways = tokio::task::JoinSet::new();
    for (gateway, store) in place.open_many(GATEWAYS).await.into_iter().enumerate() {
        gateways.spawn(async move {
            let mut made = Vec::new();
            while made.len() < usize::try_from(CHANGES).unwrap() {
                let before = store.live_state().await.unwrap();
                let next = state_after(before.as_ref(), &format!("gateway {gateway}"));
                if store
                    .compare_and_swap_state(before.as_ref(), &next)
                    .await
                    .unwrap()
                {
                    made.push(next.change);
                }
            }
            made
        });
    }
    let mut made: Vec<Change> = gateways.join_all().await.into_iter().flatten().collect();
    made.sort_by_key(|change| change.revision);
    let store = place.open().await;
    let mut history = Vec::new();
    for revision in 1..=u64::try_from(GATEWAYS).unwrap() * CHANGES {
        history.push(store.history_entry(revision).await.unwrap().unwrap());
    }
    assert_eq!(history, made);
    let live = store.live_state().await.unwrap().unwrap();
    assert_eq!(Some(&live.change), made.last());
    let stale = state_after(None, "stale");
    assert!(!store.compare_and_swap_state(None, &stale).await.unwrap());
}

async fn equal_change_of_other_state_loses_race(place: Place) {
    let gateways = place.open_many(2).await;
    let first = state_after(None, "first");
    assert!(gateways[0].compare_and_swap_state(None, &first).await.unwrap());
    assert_eq!(gateways[1].live_state().await.unwrap().as_ref(), Some(&first));
    // Two gateways end a step in the same second. The times at which the next step begins differ.
    let next = state_after(Some(&first), "gateway");
    let mut other = next.clone();
    other.timeline = Some("other".to_owned());
    let swap = |gateway: usize, next| gateways[gateway].compare_and_swap_state(Some(&first), next);
    assert!(swap(0, &next).await.unwrap());
    assert!(!swap(1, &other).await.unwrap());
}

/// Makes three changes, and then another one after the first: a store that loses its last seconds
/// goes back to an older live.json, but not to an older history. Returns the first change and the
/// last one.
async fn lose_two_changes(place: &Place) -> (Change, Change) {
    let store = place.open().await;
    let first = state_after(None, "first");
    let second = state_after(Some(&first), "second");
    let third = state_after(Some(&second), "third");
    assert!(store.compare_and_swap_state(None, &first).await.unwrap());
    assert!(store.compare_and_swap_state(Some(&first), &second).await.unwrap());
    assert!(store.compare_and_swap_state(Some(&second), &third).await.unwrap());
    let text = serde_json::to_vec(&first).unwrap();
    place.replace("live.json", &text);
    let other = place.open().await;
    let again = state_after(Some(&first), "again");
    assert!(!other.compare_and_swap_state(Some(&third), &again).await.unwrap());
    assert!(other.compare_and_swap_state(Some(&first), &again).await.unwrap());
    (first.change, again.change)
}

async fn lost_history_entries_are_replaced(place: Place) {
    let (first, again) = lose_two_changes(&place).await;
    let store = place.open().await;
    assert_eq!(store.history_entry(1).await.unwrap(), Some(first));
    assert_eq!(store.history_entry(2).await.unwrap(), Some(again));
    let live = store.live_state().await.unwrap();
    let next = state_after(live.as_ref(), "next");
    assert!(store.compare_and_swap_state(live.as_ref(), &next).await.unwrap());
    assert_eq!(store.history_entry(3).await.unwrap(), Some(next.change));
}

async fn lost_history_entries_are_not_recovered(place: Place) {
    let store = place.open().await;
    put_release(&store, shell("1.0.0")).await;
    let shell = ReleaseId {
        name: SHELL.to_owned(),
        version: "1.0.0".to_owned(),
    };
    let (_, again) = lose_two_changes(&place).await;
    assert!(store.create_deployment(&deployment(1, &shell)).await.unwrap());
    place.replace("live.json", b"{");
    assert_eq!(place.recover().await.unwrap().change, again);
    assert_eq!(fs::read(place.path("live.json.damaged")).unwrap(), b"{");
    fs::remove_file(place.path("live.json")).unwrap();
    assert_eq!(place.recover().await.unwrap().change, again);
}

async fn racing_rotations_of_keys_agree(place: Place) {
    let mut rotations = tokio::task::JoinSet::new();
    for store in place.open_many(4).await {
        rotations.spawn(async move { store.rotate_keys(KeyPurpose::Previews).await.unwrap() });
    }
    let keys = rotations.join_all().await;
    assert!(
        keys.iter()
            .all(|other| *other == keys[0] && *other != RotatingKeys::default())
    );
    let store = place.open().await;
    assert_eq!(store.keys(KeyPurpose::Previews).await.unwrap(), keys[0]);
    assert_eq!(
        store.keys(KeyPurpose::Tickets).await.unwrap(),
        RotatingKeys::default()
    );
}

/// Counts with this number of documents.
fn counts(documents: u64) -> GatewayCounts {
    let mut live = TrackCounts {
        documents,
        latencies: [(1000, documents)].into(),
        ..TrackCounts::default()
    };
    live.viewers.insert_new(documents);
    let counts = RolloutCounts {
        rollout: "one".to_owned(),
        step: CountedStep {
            started_at: Some(colonnade_clock::now()),
            percent: 10,
        },
        counted_ms: 5,
        live,
        candidate: TrackCounts::default(),
    };
    GatewayCounts {
        rollouts: vec![counts],
    }
}

async fn counts_of_other_gateways_are_read_until_they_expire(place: Place) {
    let stores = place.open_many(3).await;
    let ids = [(); 3].map(|()| GatewayId::random());
    let own = [counts(1), counts(2), counts(3)];
    let exchange = async |index: usize| {
        let others = stores[index].exchange_counts(ids[index], &own[index]).await;
        let mut others = others.unwrap();
        others.sort_by_key(|counts| counts.rollouts[0].live.documents);
        others
    };
    assert_eq!(exchange(0).await, []);
    assert_eq!(exchange(1).await, own[..1]);
    assert_eq!(exchange(2).await, own[..2]);
    assert_eq!(exchange(0).await, own[1..]);

    let ended = place.path(&format!("canary/{}.json", ids[1]));
    let file = fs::File::options().write(true).open(&ended).unwrap();
    let written_at = file.metadata().unwrap().modified().unwrap();
    file.set_modified(written_at - Duration::from_mins(2)).unwrap();
    fs::write(place.path("canary/newer.json"), r#"{"schema":1000}"#).unwrap();
    fs::write(place.path("canary/damaged.json"), "{").unwrap();
    assert_eq!(exchange(0).await, own[2..]);
    assert!(!ended.exists());

    stores[2].delete_counts(ids[2]).await.unwrap();
    stores[2].delete_counts(ids[2]).await.unwrap();
    assert_eq!(exchange(0).await, []);
    assert_eq!(exchange(1).await, own[..1]);
}

async fn states_of_gateways_are_read_until_they_expire(place: Place) {
    let stores = place.open_many(2).await;
    let ids = [(); 2].map(|()| GatewayId::random());
    let state = |host: &str| GatewayState {
        host: host.to_owned(),
        version: "1.0.0".to_owned(),
        started_at: Timestamp::UNIX_EPOCH,
        status: "ready".to_owned(),
        problems: Vec::new(),
        store_problem: None,
        revision: 1,
        memory: None,
        certificate_expires_at: None,
        workers: None,
    };
    let hosts = async || {
        let known = stores[0].gateways().await.unwrap();
        let hosts: BTreeSet<String> = known.into_iter().map(|known| known.state.host).collect();
        hosts.into_iter().collect::<Vec<_>>()
    };
    stores[0].write_gateway(ids[0], &state("a")).await.unwrap();
    stores[1].write_gateway(ids[1], &state("b")).await.unwrap();
    stores[1].write_gateway(ids[1], &state("c")).await.unwrap();
    fs::write(place.path("gateways/newer.json"), r#"{"schema":1000}"#).unwrap();
    assert_eq!(hosts().await, ["a", "c"]);

    let ended = place.path(&format!("gateways/{}.json", ids[1]));
    let file = fs::File::options().write(true).open(&ended).unwrap();
    let written_at = file.metadata().unwrap().modified().unwrap();
    file.set_modified(written_at - Duration::from_hours(25)).unwrap();
    assert_eq!(hosts().await, ["a"]);
    assert!(!ended.exists());

    stores[0].delete_gateway(ids[0]).await.unwrap();
    stores[0].delete_gateway(ids[0]).await.unwrap();
    assert_eq!(hosts().await, [""; 0]);
}
