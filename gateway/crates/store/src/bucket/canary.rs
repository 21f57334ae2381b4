//! The counts of canary analysis in a bucket.

use colonnade_model::canary::GatewayCounts;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::Inner;
use super::upload::CONCURRENCY;
use crate::canary::{MAX_AGE, file_name, if_readable};
use crate::{GatewayId, StoreError};

impl Inner {
    pub(super) async fn exchange_counts(
        &self,
        gateway: GatewayId,
        counts: &GatewayCounts,
    ) -> Result<Vec<GatewayCounts>, StoreError> {
        let own = file_name(gateway);
        self.objects.write(&key(&own), counts).await?;
        let listed = self.objects.list("canary").await?;
        // By the clock of the object store.
        let now = listed.iter().map(|listed| listed.written_at).max();
        let mut others = Vec::new();
        for listed in listed.into_iter().filter(|listed| listed.name != own) {
            let age = now.map(|now| now.duration_since(listed.written_at));
            if age.is_some_and(|age| age.unsigned_abs() > MAX_AGE) {
                self.objects.delete(&key(&listed.name)).await?;
            } else {
                others.push(listed.name);
            }
        }
        let reads = stream::iter(others).map(|name| async move {
            let read = self.objects.read(&key(&name)).await;
            if_readable(read.map(|read| read.map(|(counts, _)| counts)))
        });
        let read: Vec<_> = reads.buffered(CONCURRENCY).try_collect().await?;
        Ok(read.into_iter().flatten().collect())
    }

    pub(super) async fn delete_counts(&self, gateway: GatewayId) -> Result<(), StoreError> {
        self.objects.delete(&key(&file_name(gateway))).await
    }
}

fn key(name: &str) -> String {
    format!("canary/{name}")
}
