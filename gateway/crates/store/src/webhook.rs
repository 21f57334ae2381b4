//! How far each webhook has got: `webhooks/<name>.json`. The gateways on a store take turns by it.

use colonnade_model::event::Position;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::inner::Inner;
use crate::keys::webhook_key;
use crate::objects::{Version, When};

/// How far a webhook has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookProgress {
    /// The last event that the receiver has accepted, or does not want.
    pub position: Position,
    /// How often the next one has failed.
    pub failures: u32,
    /// Since when the receiver refuses it with a `4xx` status, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_since: Option<Timestamp>,
    /// Until then, only the gateway that wrote this sends.
    pub next_attempt_at: Timestamp,
}

impl WebhookProgress {
    /// The receiver has got everything up to this event. Another gateway may go on now.
    pub fn at(position: Position) -> Self {
        Self {
            position,
            failures: 0,
            refused_since: None,
            next_attempt_at: colonnade_clock::now(),
        }
    }
}

/// The same as it was read or written.
#[derive(Debug)]
pub struct StoredProgress {
    /// How far the webhook has got.
    pub progress: WebhookProgress,
    version: Version,
}

impl Inner {
    pub(crate) async fn webhook(&self, name: &str) -> Result<Option<StoredProgress>, StoreError> {
        let stored = self.objects.read_content(&webhook_key(name)).await?;
        Ok(stored.map(|(progress, version)| StoredProgress { progress, version }))
    }

    pub(crate) async fn swap_webhook(
        &self,
        name: &str,
        known: Option<&StoredProgress>,
        progress: WebhookProgress,
    ) -> Result<Option<StoredProgress>, StoreError> {
        let when = known.map_or(When::Absent, |known| When::Is(&known.version));
        let version = self.objects.write(&webhook_key(name), &progress, when).await?;
        Ok(version.map(|version| StoredProgress { progress, version }))
    }
}
