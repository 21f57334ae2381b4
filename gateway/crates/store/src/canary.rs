//! The counts of canary analysis: `canary/<gateway>.json`.

use std::time::Duration;

use colonnade_model::canary::GatewayCounts;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::error::StoreError;
use crate::inner::{CONCURRENCY, Inner};
use crate::objects::When;
use crate::types::GatewayId;

/// The age at which counts are deleted: their gateway has ended, or cannot reach the store.
const MAX_AGE: Duration = Duration::from_mins(1);

impl Inner {
    pub(crate) async fn exchange_counts(
        &self,
        gateway: GatewayId,
        counts: &GatewayCounts,
    ) -> Result<Vec<GatewayCounts>, StoreError> {
        let own = file_name(gateway);
        self.objects.write(&key(&own), counts, When::Always).await?;
        let listed = self.objects.list("canary").await?;
        // By the clock of the store.
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
        let reads =
            stream::iter(others).map(|name| async move { if_readable(self.objects.read(&key(&name)).await) });
        let read: Vec<_> = reads.buffered(CONCURRENCY).try_collect().await?;
        Ok(read.into_iter().flatten().collect())
    }

    pub(crate) async fn delete_counts(&self, gateway: GatewayId) -> Result<(), StoreError> {
        self.objects.delete(&key(&file_name(gateway))).await
    }
}

fn key(name: &str) -> String {
    format!("canary/{name}")
}

fn file_name(gateway: GatewayId) -> String {
    format!("{gateway}.json")
}

/// The counts of one gateway, unless they cannot be read, such as those of a newer gateway.
fn if_readable(read: Result<Option<GatewayCounts>, StoreError>) -> Result<Option<GatewayCounts>, StoreError> {
    match read {
        Err(error) if error.is_damage() => {
            tracing::warn!(event = "canary_counts_ignored", error = %error);
            Ok(None)
        }
        read => read,
    }
}
