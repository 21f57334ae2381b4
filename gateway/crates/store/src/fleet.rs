//! The states of the gateways: `gateways/<gateway>.json`.

use std::time::Duration;

use colonnade_model::fleet::GatewayState;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::Timestamp;

use crate::error::StoreError;
use crate::inner::{CONCURRENCY, Inner};
use crate::objects::When;
use crate::types::GatewayId;

/// The age at which a state is deleted: its gateway has ended without saying so.
const MAX_AGE: Duration = Duration::from_hours(24);

const FOLDER: &str = "gateways";

/// What a gateway has written about itself.
#[derive(Debug)]
pub struct KnownGateway {
    /// The ID of its process.
    pub id: String,
    /// When it was written, by the clock of the store.
    pub written_at: Timestamp,
    /// What was written.
    pub state: GatewayState,
}

impl Inner {
    pub(crate) async fn write_gateway(
        &self,
        gateway: GatewayId,
        state: &GatewayState,
    ) -> Result<(), StoreError> {
        let key = key(&gateway.to_string());
        self.objects.write(&key, state, When::Always).await?;
        Ok(())
    }

    pub(crate) async fn gateways(&self) -> Result<Vec<KnownGateway>, StoreError> {
        let listed = self.objects.list(FOLDER).await?;
        let newest = listed.iter().map(|listed| listed.written_at).max();
        let mut known = Vec::new();
        for listed in listed {
            let Some(id) = listed.name.strip_suffix(".json") else {
                continue;
            };
            let age = newest.map_or(Duration::ZERO, |newest| {
                newest.duration_since(listed.written_at).unsigned_abs()
            });
            if age <= MAX_AGE {
                known.push((id.to_owned(), listed.written_at));
            } else if !self.objects.is_read_only() {
                self.objects.delete(&key(id)).await?;
            }
        }
        let reads = stream::iter(known).map(|(id, written_at)| async move {
            match self.objects.read(&key(&id)).await {
                // A newer gateway may have written it.
                Err(error) if error.is_damage() => Ok(None),
                read => read.map(|state| {
                    state.map(|state| KnownGateway {
                        id,
                        written_at,
                        state,
                    })
                }),
            }
        });
        let read: Vec<_> = reads.buffered(CONCURRENCY).try_collect().await?;
        Ok(read.into_iter().flatten().collect())
    }

    pub(crate) async fn delete_gateway(&self, gateway: GatewayId) -> Result<(), StoreError> {
        self.objects.delete(&key(&gateway.to_string())).await
    }
}

fn key(id: &str) -> String {
    format!("{FOLDER}/{id}.json")
}
