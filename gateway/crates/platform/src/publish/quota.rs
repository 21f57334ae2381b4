//! Quotas: what one section stores, and how many releases of it are published within 24 hours.
//!
//! Both are counted from the releases in the store. So all gateways on a store count the same, a
//! restart forgets nothing, and a release that garbage collection has deleted does not count.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;

use colonnade_config::Quota;
use colonnade_model::release::{Release, ReleaseId, SHELL};
use colonnade_store::{Store, StoreError, StoredRelease};

use crate::deployment::concurrently;

const DAY: Duration = Duration::from_hours(24);

/// A stored release, as far as quotas count it.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// When it was published.
    pub published_at: Timestamp,
    /// The bytes of its files, not compressed.
    pub bytes: u64,
}

/// What a section uses of its quota.
#[derive(Debug, Default)]
pub struct Usage {
    /// The bytes of the files of its releases, not compressed.
    pub stored: u64,
    /// How long ago the releases of the last 24 hours were published, the newest first.
    ages: Vec<Duration>,
}

/// A section has used its quota.
#[derive(Debug, thiserror::Error)]
pub enum QuotaError {
    /// The store has no room for the release.
    #[error(
        "the releases of `{section}` in the store have {}{}, and its quota is {}; garbage collection deletes those that no \
         deployment needs, and the operator can lower `store.retain_hours`, or raise `max_stored_mib` in `{}`",
        mib(*stored),
        new.map(|new| format!(", this one has {}", mib(new))).unwrap_or_default(),
        mib(*quota),
        table(section)
    )]
    Stored {
        /// The section, or the shell.
        section: String,
        /// The bytes of its stored releases.
        stored: u64,
        /// The bytes of the new release, if it was uploaded.
        new: Option<u64>,
        /// The quota in bytes.
        quota: u64,
    },
    /// Too many releases were published.
    #[error(
        "{published} releases of `{section}` were published in the last 24 hours, and its quota is {quota}; publish again in {} \
         minutes, or ask the operator to raise `max_publishes_per_day` in `{}`",
        wait.as_secs().div_ceil(60),
        table(section)
    )]
    Publishes {
        /// The section, or the shell.
        section: String,
        /// The number of its releases that were published within 24 hours.
        published: u64,
        /// The quota.
        quota: u64,
        /// The time until another release may be published.
        wait: Duration,
    },
}

/// What was counted before, by section: a release never changes, so each is read once.
#[derive(Debug, Default)]
pub(super) struct CountedReleases(Mutex<HashMap<String, HashMap<ReleaseId, Counted>>>);

impl Usage {
    /// The use by these releases.
    pub fn of(releases: impl Iterator<Item = Counted>) -> Self {
        let now = colonnade_clock::now();
        let mut usage = Self::default();
        for release in releases {
            usage.stored += release.bytes;
            // The clock of another gateway may be ahead.
            let age = Duration::try_from(now.duration_since(release.published_at)).unwrap_or_default();
            usage.ages.extend((age < DAY).then_some(age));
        }
        usage.ages.sort_unstable();
        usage
    }

    /// The number of releases that were published within 24 hours.
    pub fn published(&self) -> u64 {
        self.ages.len() as u64
    }

    /// Fails if a quota has no room for another release, with this many bytes if they are known.
    pub(super) fn check(&self, section: &str, quota: Quota, new: Option<u64>) -> Result<(), QuotaError> {
        let section = || section.to_owned();
        let last = usize::try_from(quota.max_publishes_per_day - 1).unwrap_or(usize::MAX);
        if let Some(age) = self.ages.get(last) {
            return Err(QuotaError::Publishes {
                section: section(),
                published: self.published(),
                quota: quota.max_publishes_per_day,
                wait: DAY.saturating_sub(*age),
            });
        }
        // Every release has files.
        if self.stored.saturating_add(new.unwrap_or(1)) > quota.max_stored {
            return Err(QuotaError::Stored {
                section: section(),
                stored: self.stored,
                new,
                quota: quota.max_stored,
            });
        }
        Ok(())
    }
}

impl CountedReleases {
    /// What a section uses; `None` if the release is stored already.
    pub(super) async fn usage(&self, store: &Store, new: &ReleaseId) -> Result<Option<Usage>, StoreError> {
        let ids = store.releases(Some(&new.name)).await?;
        if ids.contains(new) {
            return Ok(None);
        }
        let known = self.0.lock().get(&new.name).cloned().unwrap_or_default();
        let reads = ids.into_iter().map(|id| {
            let known = known.get(&id).copied();
            async move {
                if let Some(counted) = known {
                    return Ok(Some((id, counted)));
                }
                match store.release(&id).await {
                    // It cannot be deployed. `gateway store verify` reports it.
                    Err(error) if error.is_damage() => Ok(None),
                    stored => Ok(stored?.map(|stored| (id, Counted::from(&stored)))),
                }
            }
        });
        let read = concurrently(reads).await.into_iter();
        let read: Vec<Option<_>> = read.collect::<Result<_, StoreError>>()?;
        let counted: HashMap<ReleaseId, Counted> = read.into_iter().flatten().collect();
        let usage = Usage::of(counted.values().copied());
        self.0.lock().insert(new.name.clone(), counted);
        Ok(Some(usage))
    }
}

impl From<&StoredRelease> for Counted {
    fn from(stored: &StoredRelease) -> Self {
        Self {
            published_at: stored.record.published_at,
            bytes: size(&stored.release),
        }
    }
}

/// The bytes of a release's files, not compressed.
pub(super) fn size(release: &Release) -> u64 {
    release.files.iter().map(|file| file.size).sum()
}

/// The table of the configuration with the quota of a section.
fn table(section: &str) -> String {
    match section {
        SHELL => "[budget]".to_owned(),
        _ => format!("[budget.sections.{section}]"),
    }
}

/// Formats bytes in MiB, rounded to one decimal.
fn mib(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    let tenths = (bytes.saturating_mul(10) + MIB / 2) / MIB;
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}
