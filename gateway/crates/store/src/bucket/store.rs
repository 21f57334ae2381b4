//! [`Store`] for a bucket.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use colonnade_model::canary::GatewayCounts;
use colonnade_model::deployment::{Change, Deployment, LiveState};
use colonnade_model::release::{Digest, ReleaseId};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;
use tempfile::TempDir;

use super::{BucketStore, LIVE, POLL_INTERVAL, deployment_key};
use crate::{
    GatewayId, ListedFile, PutOutcome, StagedRelease, Store, StoreError, StoreFuture, StoredRelease,
    UnusedMark,
};

impl Store for BucketStore {
    fn check_writable(&self) -> Result<(), StoreError> {
        self.inner.objects.check_writable(LIVE)
    }

    fn is_offline(&self) -> bool {
        self.inner.is_offline()
    }

    fn fall_back(&self) -> bool {
        self.inner.fall_back()
    }

    fn poll_interval(&self) -> Duration {
        POLL_INTERVAL
    }

    fn scratch_folder(&self) -> StoreFuture<'_, TempDir> {
        let inner = Arc::clone(&self.inner);
        let create = request_scope::run_blocking(move || inner.scratch.create_folder());
        Box::pin(self.inner.measure("scratch_folder", create))
    }

    fn put_release(&self, release: StagedRelease) -> StoreFuture<'_, PutOutcome> {
        Box::pin(
            self.inner
                .measure_online("put_release", self.inner.put_release(release)),
        )
    }

    fn releases<'a>(&'a self, section: Option<&'a str>) -> StoreFuture<'a, Vec<ReleaseId>> {
        let releases = self.inner.releases(section);
        Box::pin(self.inner.measure_online("releases", releases))
    }

    fn release<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<StoredRelease>> {
        Box::pin(self.inner.measure("release", self.inner.release(id)))
    }

    fn tombstone<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<Digest>> {
        Box::pin(self.inner.measure_online("tombstone", self.inner.tombstone(id)))
    }

    fn read_file<'a>(
        &'a self,
        id: &'a ReleaseId,
        file: ListedFile<'a>,
        coding: Coding,
    ) -> StoreFuture<'a, Option<Bytes>> {
        let read = async move {
            let read = self.inner.read_file(id, file, coding).await;
            if let Err(StoreError::Damaged { path } | StoreError::MissingFile(path)) = &read {
                self.inner.metrics.record_damaged(path);
            }
            read
        };
        Box::pin(self.inner.measure("read_file", read))
    }

    fn deployments(&self) -> StoreFuture<'_, Vec<u64>> {
        Box::pin(self.inner.measure("deployments", self.inner.deployments()))
    }

    fn deployment(&self, number: u64) -> StoreFuture<'_, Option<Deployment>> {
        Box::pin(self.inner.measure("deployment", self.inner.deployment(number)))
    }

    fn create_deployment<'a>(&'a self, deployment: &'a Deployment) -> StoreFuture<'a, bool> {
        let create = async move {
            let key = deployment_key(deployment.number);
            if self.inner.objects.create(&key, deployment).await? {
                return Ok(true);
            }
            // The client may have repeated a request that had succeeded.
            let existing = self.inner.deployment(deployment.number).await?;
            Ok(existing.as_ref() == Some(deployment))
        };
        Box::pin(self.inner.measure_online("create_deployment", create))
    }

    fn delete_deployment(&self, number: u64) -> StoreFuture<'_, ()> {
        let delete = self.inner.delete_deployment(number);
        Box::pin(self.inner.measure_online("delete_deployment", delete))
    }

    fn mark_unused<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<UnusedMark>> {
        let mark = self.inner.mark_unused(id);
        Box::pin(self.inner.measure_online("mark_unused", mark))
    }

    fn claim_release<'a>(&'a self, id: &'a ReleaseId) -> StoreFuture<'a, Option<StoredRelease>> {
        let claim = self.inner.claim_release(id);
        Box::pin(self.inner.measure_online("claim_release", claim))
    }

    fn delete_unused<'a>(&'a self, mark: &'a UnusedMark) -> StoreFuture<'a, bool> {
        let delete = self.inner.delete_unused(mark);
        Box::pin(self.inner.measure_online("delete_unused", delete))
    }

    fn delete_orphans(&self) -> StoreFuture<'_, ()> {
        Box::pin(
            self.inner
                .measure_online("delete_orphans", self.inner.delete_orphans()),
        )
    }

    fn live_state(&self) -> StoreFuture<'_, Option<LiveState>> {
        Box::pin(self.inner.measure("live_state", self.inner.live_state()))
    }

    fn compare_and_swap_state<'a>(
        &'a self,
        expected: Option<&'a LiveState>,
        next: &'a LiveState,
    ) -> StoreFuture<'a, bool> {
        let swap = self.inner.swap_live_state(expected, next);
        Box::pin(self.inner.measure_online("compare_and_swap_state", swap))
    }

    fn history_entry(&self, revision: u64) -> StoreFuture<'_, Option<Change>> {
        Box::pin(
            self.inner
                .measure_online("history_entry", self.inner.history_entry(revision)),
        )
    }

    fn keys(&self, purpose: KeyPurpose) -> StoreFuture<'_, RotatingKeys> {
        Box::pin(self.inner.measure("keys", self.inner.keys(purpose)))
    }

    fn compare_and_swap_keys<'a>(
        &'a self,
        purpose: KeyPurpose,
        expected: &'a RotatingKeys,
        next: &'a RotatingKeys,
    ) -> StoreFuture<'a, bool> {
        let swap = self.inner.swap_keys(purpose, expected, next);
        Box::pin(self.inner.measure_online("compare_and_swap_keys", swap))
    }

    fn exchange_counts<'a>(
        &'a self,
        gateway: GatewayId,
        counts: &'a GatewayCounts,
    ) -> StoreFuture<'a, Vec<GatewayCounts>> {
        let exchange = self.inner.exchange_counts(gateway, counts);
        Box::pin(self.inner.measure_online("exchange_counts", exchange))
    }

    fn delete_counts(&self, gateway: GatewayId) -> StoreFuture<'_, ()> {
        Box::pin(
            self.inner
                .measure_online("delete_counts", self.inner.delete_counts(gateway)),
        )
    }
}
