//! Publishing: from an uploaded archive to a release in the store.
//!
//! The archive is unpacked to a scratch folder and checked: its files against `release.json`, its
//! stylesheets for style isolation, its sizes against the quota of the section, and its compressed
//! sizes against the budget. Only a release without problems is moved into the store. A rejection
//! lists all problems.

mod budget;
mod compress;
mod error;
#[cfg(any(test, feature = "testing"))]
pub mod fuzz;
mod quota;
mod style;
#[cfg(test)]
mod tests;
mod unpack;
mod verify;
mod warnings;

pub use error::PublishError;
pub use quota::{Counted, QuotaError, Usage};
pub use warnings::warnings;

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Weak};
use std::thread;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tempfile::TempDir;
use tokio::sync::{Mutex as AsyncMutex, Semaphore, oneshot};

use quota::CountedReleases;
use unpack::Contents;
use verify::Verified;

use colonnade_config::{Budget, BuildTarget, Config, ExtensionPoints, PolicySettings, Quota};
use colonnade_model::release::{Digest, ReleaseId, ReleaseSource, SharedPackages};
use colonnade_store::{PutOutcome, ReleaseRecord, StagedRelease, Store, StoreError};
#[cfg(any(test, feature = "testing"))]
use colonnade_web::request_scope;

/// The maximum size of an uploaded archive in bytes.
pub const MAX_ARCHIVE: u64 = 64 * 1024 * 1024;

/// The number of archives that are published at a time.
const MAX_RUNNING: usize = 2;

/// The nice value of the threads that publish (setpriority(2)).
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// The operator's rules for releases.
#[derive(Debug, Default, Clone)]
pub struct PublishRules {
    /// The size budgets, and the quotas.
    pub budget: Budget,
    /// The size budgets of the extensions of single points.
    pub points: ExtensionPoints,
    /// What documents may do.
    pub policy: PolicySettings,
    /// Whether a release may contain WebAssembly.
    pub allow_wasm: bool,
}

impl From<&Config> for PublishRules {
    fn from(config: &Config) -> Self {
        Self {
            budget: config.budget.clone(),
            points: config.extension_points.clone(),
            policy: config.policy.clone(),
            allow_wasm: config.assets.allow_wasm,
        }
    }
}

/// Who publishes a release, and where it comes from.
#[derive(Debug)]
pub struct Provenance {
    /// The name of the token.
    pub by: String,
    /// What the publisher says of its source.
    pub source: Option<ReleaseSource>,
}

/// The result of publishing.
#[derive(Debug)]
pub enum PublishOutcome {
    /// The release is new in the store.
    Created(Digest),
    /// The same release is already in the store.
    Unchanged(Digest),
}

/// Publishes releases, a few at a time: compressing one takes a CPU core for seconds, and about 100
/// MB of memory.
#[derive(Debug)]
pub struct Publisher {
    rules: ArcSwap<PublishRules>,
    /// One permit for each archive that is being published.
    running: Semaphore,
    /// A lock for each section with releases that are being published: one at a time, so that two
    /// never pass the same quota.
    sections: Mutex<HashMap<String, Weak<AsyncMutex<()>>>>,
    counted: CountedReleases,
}

impl Publisher {
    /// Creates a publisher with these rules.
    pub fn new(rules: PublishRules) -> Self {
        Self {
            rules: ArcSwap::from_pointee(rules),
            running: Semaphore::new(MAX_RUNNING),
            sections: Mutex::default(),
            counted: CountedReleases::default(),
        }
    }

    /// Replaces the size budgets, the quotas and the policy.
    pub fn replace_rules(&self, config: &Config) {
        let rules = PublishRules {
            allow_wasm: self.rules.load().allow_wasm,
            ..config.into()
        };
        self.rules.store(Arc::new(rules));
    }

    /// What the build of a section must fit into, while these packages are shared.
    pub fn build_target(&self, section: &str, packages: SharedPackages) -> BuildTarget {
        let rules = self.rules.load();
        BuildTarget::new(&rules.budget, &rules.points, &rules.policy, section, packages)
    }

    /// The quota of a section or of the shell.
    pub fn quota(&self, section: &str) -> Quota {
        self.rules.load().budget.quota(section)
    }

    /// Checks before an upload whether the section has used its quota. A release that is stored
    /// already needs none.
    ///
    /// # Errors
    ///
    /// [`PublishError::Quota`], or the error of the store.
    pub async fn check_quota(&self, store: &Store, id: &ReleaseId) -> Result<(), PublishError> {
        self.check_room(store, id, None).await
    }

    async fn check_room(
        &self,
        store: &Store,
        id: &ReleaseId,
        bytes: Option<u64>,
    ) -> Result<(), PublishError> {
        if let Some(usage) = self.counted.usage(store, id).await? {
            usage.check(&id.name, self.quota(&id.name), bytes)?;
        }
        Ok(())
    }

    /// The lock of a section.
    fn section(&self, name: &str) -> Arc<AsyncMutex<()>> {
        let mut sections = self.sections.lock();
        sections.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = sections.get(name).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::default();
        sections.insert(name.to_owned(), Arc::downgrade(&lock));
        lock
    }

    /// Publishes an archive under a name and version, after those before it. The caller limits how
    /// many wait. Of several gateways that publish releases of a section at the same time, each can
    /// store one release more than its quota.
    ///
    /// # Errors
    ///
    /// Why the release is rejected, or the error of the store.
    pub async fn publish(
        &self,
        store: &Store,
        id: ReleaseId,
        archive: File,
        provenance: Provenance,
    ) -> Result<PublishOutcome, PublishError> {
        let section = self.section(&id.name);
        let _section = section.lock().await;
        // The semaphore is never closed.
        let _running = self.running.acquire().await.ok();
        let scratch = store.scratch_folder().await?;
        let (draft, id) = in_background(move || Ok((Draft::read(&id, archive, scratch)?, id))).await?;
        let digest = draft.verified.digest;
        if draft.verified.problems.is_empty() {
            if let Some(stored) = store.claim_release(&id).await? {
                return same(id, digest, stored.record.digest);
            }
            let tombstone = store.tombstone(&id).await?;
            if tombstone.is_some_and(|deleted| deleted != digest) {
                return Err(PublishError::VersionDeleted(id));
            }
            self.check_room(store, &id, Some(quota::size(&draft.verified.release)))
                .await?;
        }
        let rules = self.rules.load_full();
        let prepared = in_background(move || draft.prepare(id, &rules, provenance)).await?;
        let id = prepared.id.clone();
        match store.put_release(prepared).await? {
            PutOutcome::Created => Ok(PublishOutcome::Created(digest)),
            PutOutcome::VersionTaken(stored) => same(id, digest, stored),
        }
    }
}

/// A release in a scratch folder, checked except for its sizes.
struct Draft {
    folder: TempDir,
    contents: Contents,
    verified: Verified,
}

impl Draft {
    fn read(id: &ReleaseId, archive: File, scratch: TempDir) -> Result<Self, PublishError> {
        let contents = unpack::unpack(archive, scratch.path())?;
        let verified = verify::verify(id, &contents, scratch.path())?;
        Ok(Self {
            folder: scratch,
            contents,
            verified,
        })
    }

    fn prepare(
        self,
        id: ReleaseId,
        rules: &PublishRules,
        provenance: Provenance,
    ) -> Result<StagedRelease, PublishError> {
        let Verified {
            release,
            digest,
            mut problems,
        } = self.verified;
        if !rules.allow_wasm {
            problems.extend(release.files.iter().filter(|file| file.is_wasm()).map(|file| {
                format!(
                    "file `{}` is WebAssembly, which this site does not allow; the operator can set `allow_wasm = true` in \
                     the table `assets` of the gateway's configuration",
                    file.path
                )
            }));
        }
        // Compression is slow and only needed for the budget if the release is rejected anyway.
        if !problems.is_empty() && rules.budget == Budget::default() && rules.points.is_empty() {
            return Err(PublishError::Rejected(problems));
        }
        let files = verify::present(&release, &self.contents);
        let compressed = compress::compress(&files, self.folder.path())?;
        problems.extend(budget::check(
            &rules.budget,
            &rules.points,
            &release,
            &compressed.sizes,
        ));
        if !problems.is_empty() {
            return Err(PublishError::Rejected(problems));
        }
        Ok(StagedRelease {
            id,
            folder: self.folder,
            record: ReleaseRecord {
                published_at: colonnade_clock::now(),
                by: provenance.by,
                source: provenance.source,
                digest,
                variants: compressed.variants,
            },
        })
    }
}

fn same(id: ReleaseId, sent: Digest, stored: Digest) -> Result<PublishOutcome, PublishError> {
    if sent == stored {
        Ok(PublishOutcome::Unchanged(sent))
    } else {
        Err(PublishError::VersionTaken(id))
    }
}

/// Runs work on a thread of its own with a low scheduling priority, so that it does not delay
/// visitors.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PublishError> + Send + 'static,
) -> Result<T, PublishError> {
    #[cfg(any(test, feature = "testing"))]
    if request_scope::runs_inline() {
        return request_scope::run_blocking(work).await;
    }
    let (sender, receiver) = oneshot::channel();
    let thread = thread::Builder::new().name("publish".to_owned());
    let started = thread.spawn(move || {
        // Linux sets it for the calling thread alone; elsewhere it would be the whole process.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NICENESS);
        let _ = sender.send(work());
    });
    let interrupted = || PublishError::Store(StoreError::Interrupted);
    started.map_err(|_| interrupted())?;
    // The sender is dropped if the work panics.
    receiver.await.map_err(|_| interrupted())?
}
