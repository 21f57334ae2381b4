//! Garbage collection: deleting deployments outside the retention rules, and releases that no
//! deployment uses and no rollback needs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::MissedTickBehavior;

use crate::deployment::change_error::ChangeError;
use crate::deployment::change_queue::Place;
use crate::deployment::deployments::Deployments;
use crate::deployment::plan::{ChangeRequest, Command};
use crate::deployment::snapshot::{Snapshot, concurrently};
use crate::deployment::types::{Author, CollectedGarbage, MayChange};
use colonnade_config::Retention;
use colonnade_model::deployment::{Deployment, EarlierRole};
use colonnade_model::release::ReleaseId;
use colonnade_store::StoreError;

/// How often it is checked whether the interval has passed.
const CHECK_INTERVAL: Duration = Duration::from_mins(10);

/// More than a change takes from its first record to the new live state, with clocks that differ.
const DEPLOY_TIME: SignedDuration = SignedDuration::from_hours(1);

impl Deployments {
    /// Collects garbage after each interval, unless another gateway does. Never returns.
    pub(super) async fn collect_garbage_regularly(&self, keep: Retention) {
        let interval = keep.collection_hours.map(SignedDuration::from_hours);
        let (Some(interval), Ok(())) = (interval, self.store.check_writable()) else {
            return std::future::pending().await;
        };
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let author = Author::gateway(None, None);
        loop {
            ticks.tick().await;
            let is_full = self.current().stored_count() > keep.max_deployments;
            let collected = match self.store.begin_collection(interval).await {
                Ok(false) if !is_full => continue,
                Ok(_) => self.collect_garbage(keep, false, &author, &|_| true).await,
                Err(error) => Err(error.into()),
            };
            match collected {
                Ok(collected) => tracing::info!(
                    event = "garbage_collected",
                    deployments = collected.deployments.len(),
                    releases = collected.releases.len(),
                ),
                Err(error) => tracing::error!(event = "garbage_collection_failed", error = %error),
            }
        }
    }

    /// Deletes the deployments that `keep` does not retain, and the releases that no other
    /// deployment uses and no rollback needs. With `dry_run`, only returns them.
    pub async fn collect_garbage(
        &self,
        keep: Retention,
        dry_run: bool,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<CollectedGarbage, ChangeError> {
        let request = ChangeRequest {
            command: &Command::CollectGarbage(keep),
            author,
            may_change,
        };
        if !dry_run {
            request.authorize()?;
            self.store.check_writable()?;
            self.store.delete_orphans().await?;
            let audited = SignedDuration::from_hours(24 * keep.audit_days);
            self.store.delete_audit(before_now(audited)).await?;
        }
        // The search can take minutes in a bucket, so that other changes go on meanwhile.
        let garbage = loop {
            let (snapshot, plan) = self.planned(&request).await?;
            let Some(plan) = plan else {
                return Ok(CollectedGarbage::default());
            };
            if dry_run {
                return Ok(plan.garbage);
            }
            let _changing = self.start_change(Place::Limited).await?;
            if let Some(outcome) = self.try_apply(&snapshot, plan, Vec::new()).await? {
                break outcome.garbage;
            }
        };
        // Deployments first: no stored deployment may use a deleted release.
        let numbers = garbage.deployments.iter();
        let deletes = numbers.map(|number| self.store.delete_deployment(*number));
        for deleted in concurrently(deletes).await {
            deleted?;
        }
        let releases = self.delete_unused_releases(garbage.releases).await?;
        let _changing = self.start_change(Place::Limited).await?;
        self.refresh().await?;
        Ok(CollectedGarbage {
            deployments: garbage.deployments,
            releases,
        })
    }

    /// What `keep` does not retain.
    pub(super) async fn garbage(
        &self,
        snapshot: &Snapshot,
        keep: Retention,
    ) -> Result<CollectedGarbage, ChangeError> {
        let since = before_now(SignedDuration::from_hours(keep.hours));
        let deployments = self.expired_deployments(snapshot, keep, since).await?;
        let retained = self.retained_releases(snapshot, keep.releases).await?;
        let releases = self.unused_releases(&deployments, retained, since).await?;
        Ok(CollectedGarbage {
            deployments,
            releases,
        })
    }

    /// The deployments to delete: neither among the newest, nor visible or created since `since`.
    /// And the oldest ones, if these are too many.
    async fn expired_deployments(
        &self,
        snapshot: &Snapshot,
        keep: Retention,
        since: Timestamp,
    ) -> Result<Vec<u64>, ChangeError> {
        let mut needed = BTreeSet::new();
        if let Some(state) = snapshot.state() {
            needed.extend(state.visible.numbers());
            let earlier = state.visible.earlier().iter();
            let recent = earlier.filter(|earlier| earlier.ended_at > since);
            needed.extend(recent.map(|earlier| earlier.number));
        }
        let records = self.intact_records().await?;
        needed.extend(records.keys().rev().take(keep.deployments.max(1)));
        // These may be previews. Those above all that visitors get may be of a change that is about
        // to replace the live state.
        let newest_visible = snapshot.newest_visible();
        let hour_ago = before_now(DEPLOY_TIME);
        let recent = records.values().filter(|record| {
            let is_pending = record.number > newest_visible && record.created_at > hour_ago;
            is_pending || record.created_at > since
        });
        needed.extend(recent.map(|record| record.number));
        let newest = records.keys().rev().take(keep.deployments.max(1));
        let mut always: BTreeSet<u64> = newest.copied().collect();
        if let Some(state) = snapshot.state() {
            always.extend(state.visible.numbers());
            let lives = state.visible.earlier().iter().rev();
            let lives = lives.filter(|earlier| earlier.role == EarlierRole::Live);
            always.extend(lives.take(keep.deployments.max(1)).map(|earlier| earlier.number));
        }
        let excess = needed.len().saturating_sub(keep.max_deployments);
        let mut others: Vec<u64> = needed.difference(&always).copied().collect();
        // Previews first: no tab of other visitors is pinned to one.
        others.sort_by_key(|number| !records.get(number).is_some_and(|record| record.preview));
        let too_old: BTreeSet<u64> = others.into_iter().take(excess).collect();
        let is_expired = |number: &u64| !needed.contains(number) || too_old.contains(number);
        Ok(records.into_keys().filter(is_expired).collect())
    }

    /// The releases published before `since` that are not retained, and that no deployment uses
    /// except those in `without`.
    async fn unused_releases(
        &self,
        without: &[u64],
        retained: BTreeSet<ReleaseId>,
        since: Timestamp,
    ) -> Result<Vec<ReleaseId>, ChangeError> {
        let mut in_use = retained;
        for (number, deployment) in self.intact_records().await? {
            if !without.contains(&number) {
                in_use.extend(deployment.release_ids());
            }
        }
        let mut candidates = self.store.releases(None).await?;
        candidates.retain(|id| !in_use.contains(id));
        let reads = concurrently(candidates.iter().map(|id| self.store.release(id))).await;
        let mut unused = Vec::new();
        for (id, stored) in candidates.into_iter().zip(reads) {
            let stored = match stored {
                // Its age is unknown, so it is retained.
                Err(error) if error.is_damage() => continue,
                stored => stored?,
            };
            if stored.is_some_and(|stored| stored.record.published_at <= since) {
                unused.push(id);
            }
        }
        Ok(unused)
    }

    /// Deletes the releases that no deployment uses; returns those it deleted. It marks the
    /// releases before it reads the deployments, and a deploy stores its deployment before it
    /// claims the releases. So either the deployment is found, or the mark is gone and the release
    /// stays. If this ends early, the marks change nothing.
    async fn delete_unused_releases(&self, ids: Vec<ReleaseId>) -> Result<Vec<ReleaseId>, ChangeError> {
        let mut marks = Vec::new();
        for mark in concurrently(ids.iter().map(|id| self.store.mark_unused(id))).await {
            marks.extend(mark?);
        }
        let mut in_use = BTreeSet::new();
        for deployment in self.intact_records().await?.into_values() {
            in_use.extend(deployment.release_ids());
        }
        let calls = marks.into_iter().map(async |mark| {
            if in_use.contains(&mark.release) {
                self.store.claim_release(&mark.release).await?;
                return Ok(None);
            }
            Ok::<_, StoreError>(self.store.delete_unused(&mark).await?.then_some(mark.release))
        });
        let mut deleted = Vec::new();
        for release in concurrently(calls).await {
            deleted.extend(release?);
        }
        Ok(deleted)
    }
}

impl Deployments {
    /// All records. The releases of a damaged one are unknown, so that nothing can be collected.
    async fn intact_records(&self) -> Result<BTreeMap<u64, Deployment>, ChangeError> {
        let numbers = self.store.deployments().await?;
        let (records, damaged) = self.records(numbers).await?;
        match damaged.first() {
            Some(number) => Err(ChangeError::DamagedRecord(format!(
                "the record of deployment {number}"
            ))),
            None => Ok(records),
        }
    }
}

fn before_now(duration: SignedDuration) -> Timestamp {
    let before = colonnade_clock::now().checked_sub(duration);
    before.unwrap_or(Timestamp::MIN)
}
