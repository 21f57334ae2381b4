//! What publishing writes for any archive and any `release.json`. `PROPTEST_CASES` sets the number
//! of cases.

mod archive;
mod releases;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::{Provenance, PublishError, PublishOutcome, PublishRules, Publisher};
use crate::deployment::Snapshot;
use colonnade_model::release::ReleaseId;
use colonnade_model::release::{Digest, validate};
use colonnade_store::metrics::StoreMetrics;
use colonnade_store::testing::{self, Sample};
use colonnade_store::{ListedFile, Store};
use colonnade_testing::{cases, replay_corpus};
use colonnade_web::content_negotiation::Coding;

/// The release that the tests modify.
fn sample() -> Sample {
    testing::section("directory", "1.0.0")
}

fn id() -> ReleaseId {
    ReleaseId {
        name: "directory".to_owned(),
        version: "1.0.0".to_owned(),
    }
}

/// A store in its own folder, so that files written outside of it are noticed.
struct TestStore {
    folder: TempDir,
    store: Arc<Store>,
    runtime: tokio::runtime::Runtime,
}

impl TestStore {
    fn new() -> Self {
        // In memory, if the system supports it: the store syncs every file.
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        let store = Store::open_folder(&folder.path().join("store"), StoreMetrics::default()).unwrap();
        Self {
            folder,
            store: Arc::new(store),
            runtime: tokio::runtime::Builder::new_current_thread().build().unwrap(),
        }
    }

    fn publish(&self, archive: &[u8]) -> Result<PublishOutcome, PublishError> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(archive).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let provenance = Provenance {
            by: "test".to_owned(),
            source: None,
        };
        let publisher = Publisher::new(PublishRules::default());
        self.runtime
            .block_on(publisher.publish(&self.store, id(), file, provenance))
    }

    /// Publishes any bytes and checks the invariants; returns whether they were accepted.
    fn try_publish(&self, archive: &[u8]) -> bool {
        let before = files(self.folder.path());
        let outcome = self.publish(archive);
        let after = files(self.folder.path());
        match outcome {
            Ok(PublishOutcome::Created(digest)) => {
                let record = format!("store/releases/{}/{}.json", id().name, id().version);
                let mut new = after.difference(&before);
                assert!(
                    new.all(|path| *path == record || path.starts_with("store/files/")),
                    "{after:?}"
                );
                self.check_stored(digest);
                let again = self.publish(archive).unwrap();
                assert!(matches!(again, PublishOutcome::Unchanged(same) if same == digest));
                for path in after.difference(&before) {
                    fs::remove_file(self.folder.path().join(path)).unwrap();
                }
                true
            }
            Ok(PublishOutcome::Unchanged(_)) => panic!("the store was empty"),
            Err(PublishError::Rejected(problems)) => {
                assert!(!problems.is_empty());
                assert_eq!(before, after);
                false
            }
            Err(PublishError::InvalidArchive(_)) => {
                assert_eq!(before, after);
                false
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Checks that the stored release is valid, complete and can be loaded.
    fn check_stored(&self, digest: Digest) {
        let (id, snapshot) = (id(), Snapshot::default());
        let (stored, served) = self.runtime.block_on(async {
            let stored = self.store.release(&id).await;
            (stored, snapshot.find_release(&self.store, &id).await)
        });
        assert!(served.is_ok(), "{:?}", served.err());
        let stored = stored.unwrap().unwrap();
        let release = &stored.release;
        assert_eq!(stored.record.digest, digest);
        assert_eq!(validate(release), [""; 0]);
        assert_eq!((&release.name, &release.version), (&id.name, &id.version));
        for file in &release.files {
            let variants = stored.record.variants.get(&file.path).into_iter().flatten();
            for coding in [Coding::Identity].iter().chain(variants) {
                let listed = ListedFile::from(file);
                let read = self.runtime.block_on(self.store.read_file(&id, listed, *coding));
                let bytes = decode(&read.unwrap().unwrap(), *coding);
                assert_eq!((bytes.len() as u64, Digest::of(&bytes)), (file.size, file.digest));
            }
        }
        let json = serde_json::to_vec(release).unwrap();
        assert_eq!(
            &serde_json::from_slice::<colonnade_model::release::Release>(&json).unwrap(),
            release
        );
    }
}

fn decode(bytes: &[u8], coding: Coding) -> Vec<u8> {
    let mut decoded = Vec::new();
    match coding {
        Coding::Identity => decoded.extend(bytes),
        Coding::Gzip => {
            let mut gzip = flate2::read::GzDecoder::new(bytes);
            gzip.read_to_end(&mut decoded).unwrap();
        }
        Coding::Zstd => decoded = zstd::bulk::decompress(bytes, 1 << 24).unwrap(),
        Coding::Br => brotli::BrotliDecompress(&mut &bytes[..], &mut decoded).unwrap(),
    }
    decoded
}

/// The paths of all files below a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path();
                found.insert(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

/// The fuzz target of the same corpus checks how an archive is unpacked; this is what the store
/// gets.
#[test]
fn hostile_archive_writes_only_to_its_release() {
    replay_corpus("tar", |bytes| {
        TestStore::new().try_publish(bytes);
        TestStore::new().try_publish(&archive::gzip(bytes));
    });
}
