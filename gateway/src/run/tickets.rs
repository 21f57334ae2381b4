//! The keys of session tickets, which the gateways on a store share.

use std::sync::Arc;
use std::time::Duration;

use colonnade_config::Listen;
use colonnade_edge::TicketKeys;
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKey, RotatingKeys, TICKET_LIFETIME};
use colonnade_store::{Store, StoreError};

/// How often the keys are read. Until then, a gateway does not resume sessions with the new key of
/// another gateway.
const INTERVAL: Duration = Duration::from_mins(1);

/// The keys of session tickets in a store.
pub(super) struct SharedTicketKeys {
    /// `None`: no listener uses TLS.
    store: Option<Arc<Store>>,
    /// What was last read from it.
    known: RotatingKeys,
    keys: Arc<TicketKeys>,
    is_failing: bool,
}

impl SharedTicketKeys {
    /// Reads the keys, and adds one if none is active.
    pub(super) async fn open(listen: &Listen, store: &Arc<Store>) -> Self {
        let uses_tls = listen.tls.is_some() || listen.admin_tls.is_some();
        let mut own = Self {
            store: uses_tls.then(|| Arc::clone(store)),
            known: RotatingKeys::default(),
            keys: Arc::new(TicketKeys::new(TICKET_LIFETIME.unsigned_abs())),
            is_failing: false,
        };
        own.refresh().await;
        own
    }

    /// The keys, which follow those of the store.
    pub(super) fn keys(&self) -> &Arc<TicketKeys> {
        &self.keys
    }

    /// Follows the keys of the store. Never returns.
    pub(super) async fn run(mut self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            self.refresh().await;
        }
    }

    /// Without the store, the keys stay as they are until they are too old. Clients that cannot
    /// resume a session start a new one.
    async fn refresh(&mut self) {
        let refreshed = self.try_refresh().await;
        let valid = self.known.valid(KeyPurpose::Tickets, colonnade_clock::now());
        self.keys
            .set(valid.map(|key: &RotatingKey| (key.id.as_str(), key.secret().bytes())));
        if let Err(error) = &refreshed
            && !self.is_failing
        {
            tracing::warn!(event = "ticket_keys_failed", error = %error);
        }
        self.is_failing = refreshed.is_err();
    }

    async fn try_refresh(&mut self) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        self.known = store.rotate_keys(KeyPurpose::Tickets).await?;
        Ok(())
    }
}
