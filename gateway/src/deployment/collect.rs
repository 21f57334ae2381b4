//! Removing deployments and releases that nothing needs any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::change::{Allows, Author, ChangeError, Plan, require};
use super::state::{Change, Done};
use super::{Deployments, Snapshot};
use crate::clock;
use crate::config::Keep;
use crate::store::{ReleaseId, StoreError};

/// What was, or would be, removed.
#[derive(Debug)]
pub(crate) struct Collected {
    /// Deployments, by their numbers.
    pub(crate) deployments: Vec<u64>,
    /// Releases.
    pub(crate) releases: Vec<ReleaseId>,
}

impl Deployments {
    /// Removes every deployment that need not be kept, and every release that no kept one names; with `dry_run` only
    /// tells which those are.
    pub(crate) async fn collect(
        &self,
        keep: Keep,
        dry_run: bool,
        author: &Author,
        allows: Allows<'_>,
    ) -> Result<Collected, ChangeError> {
        require(allows, [&"*".to_owned()].into_iter())?;
        let _changing = self.changing.lock().await;
        // Removed already when another process was faster with its change.
        let mut removed = BTreeSet::new();
        loop {
            let snapshot = self.renew().await?;
            let since = clock::now()
                .checked_sub(SignedDuration::from_hours(keep.hours))
                .unwrap_or(Timestamp::MIN);
            let deployments = self.unneeded(&snapshot, keep, since).await?;
            let releases = self.unnamed(&deployments, since).await?;
            removed.extend(deployments);
            let collected = Collected {
                deployments: removed.iter().copied().collect(),
                releases,
            };
            if dry_run || collected.is_nothing() {
                return Ok(collected);
            }
            let rollout = snapshot.state().and_then(|state| state.rollout.clone());
            let live = snapshot.live().ok_or(ChangeError::NothingLive)?.number();
            let mut author = author.clone();
            author.reason = author.reason.or_else(|| Some(collected.to_string()));
            // In this order no kept deployment ever names a release that is gone, and every gateway has forgotten the
            // deployments, or is about to, when their releases go.
            for &number in &collected.deployments {
                self.store.remove_deployment(number).await?;
            }
            let state = author.state(&snapshot, Done::Collect, live, rollout, BTreeMap::new());
            if self.attempt(&snapshot, Plan::new(state), live).await?.is_some() {
                return Ok(Collected {
                    deployments: collected.deployments,
                    releases: self.discard(collected.releases).await?,
                });
            }
        }
    }

    /// The deployments that need not be kept: not among the last ones, and not seen by anybody since then.
    async fn unneeded(
        &self,
        snapshot: &Snapshot,
        keep: Keep,
        since: Timestamp,
    ) -> Result<Vec<u64>, ChangeError> {
        let mut needed: BTreeSet<u64> = self.seen(snapshot, since).await?;
        let records = self.records().await?;
        needed.extend(records.keys().rev().take(keep.deployments.max(1)));
        // Stored for a preview, perhaps.
        let young = records.values().filter(|record| record.created_at > since);
        needed.extend(young.map(|record| record.number));
        Ok(records
            .into_keys()
            .filter(|number| !needed.contains(number))
            .collect())
    }

    /// The deployments that visitors saw since then.
    async fn seen(&self, snapshot: &Snapshot, since: Timestamp) -> Result<BTreeSet<u64>, StoreError> {
        let mut seen = BTreeSet::new();
        if let Some(state) = snapshot.state() {
            seen.insert(state.live);
            seen.extend(state.rollout.as_ref().map(|rollout| rollout.deployment));
        }
        let mut change: Option<Change> = snapshot.state().map(|state| state.change.clone());
        while let Some(present) = change {
            seen.insert(present.live);
            if present.at <= since {
                break;
            }
            seen.extend(present.candidate);
            seen.extend(present.before);
            change = self.store.change(present.revision.saturating_sub(1)).await?;
        }
        Ok(seen)
    }

    /// The releases that no deployment but these names, and that are not new.
    async fn unnamed(&self, without: &[u64], since: Timestamp) -> Result<Vec<ReleaseId>, ChangeError> {
        let mut named = BTreeSet::new();
        for (number, deployment) in self.records().await? {
            if !without.contains(&number) {
                named.extend(deployment.ids());
            }
        }
        let mut unnamed = Vec::new();
        for id in self.store.releases().await? {
            if named.contains(&id) {
                continue;
            }
            let stored = self.store.release(&id).await?;
            if stored.is_some_and(|stored| stored.record.published_at <= since) {
                unnamed.push(id);
            }
        }
        Ok(unnamed)
    }

    /// Removes releases. Whoever deploys in another process makes a deployment first and looks for its releases then;
    /// this takes each release away first and looks for deployments then: one of the two notices the other.
    async fn discard(&self, ids: Vec<ReleaseId>) -> Result<Vec<ReleaseId>, ChangeError> {
        let mut aside = Vec::new();
        for id in ids {
            if self.store.set_aside(&id).await? {
                aside.push(id);
            }
        }
        let mut named = BTreeSet::new();
        for deployment in self.records().await?.into_values() {
            named.extend(deployment.ids());
        }
        let mut discarded = Vec::new();
        for id in aside {
            if named.contains(&id) {
                self.store.put_back(&id).await?;
            } else {
                self.store.discard(&id).await?;
                discarded.push(id);
            }
        }
        Ok(discarded)
    }
}

impl Collected {
    fn is_nothing(&self) -> bool {
        self.deployments.is_empty() && self.releases.is_empty()
    }
}

impl fmt::Display for Collected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} deployments and {} releases that nothing needs",
            self.deployments.len(),
            self.releases.len()
        )
    }
}
