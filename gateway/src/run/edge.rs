//! Opens what is between the sockets and the routes.

use std::sync::Arc;

use colonnade_config::Config;
use colonnade_edge::SharedTls;

use crate::acme::{self, Challenges};
use crate::metrics::Metrics;
use crate::run::error::StartError;
use crate::run::listeners::{self, OpenListeners};
use crate::run::platform::Platform;
use crate::run::settings::CurrentListenerSettings;
use crate::run::signals::{self, Shutdown};
use crate::run::tickets::SharedTicketKeys;
use crate::run::upgrade::takeover::Takeover;

/// The listeners, and what belongs to them.
pub(super) struct Edge {
    pub(super) settings: CurrentListenerSettings,
    pub(super) ticket_keys: SharedTicketKeys,
    pub(super) challenges: Arc<Challenges>,
    pub(super) acme: Option<acme::Client>,
    pub(super) listeners: OpenListeners,
    pub(super) shutdown: Shutdown,
}

impl Edge {
    /// Opens the listeners. They accept no connections yet.
    pub(super) async fn open(
        config: &Config,
        platform: &Platform,
        metrics: &Metrics,
        takeover: Option<&Takeover>,
    ) -> Result<Self, StartError> {
        let settings = CurrentListenerSettings::new(config, platform.upstreams.has_websockets());
        let ticket_keys = SharedTicketKeys::open(&config.listen, &platform.store).await;
        let challenges = Arc::new(Challenges::default());
        let shared_tls = SharedTls {
            ticket_keys: Arc::clone(ticket_keys.keys()),
            challenges: Arc::clone(challenges.certificates()),
        };
        let listeners = listeners::open(config, metrics, &settings, &shared_tls, takeover).await?;
        platform
            .deployments
            .report_degradation(listeners.serving.degradation());
        let files = platform.store.acme_files();
        let events = platform.deployments.events().clone();
        Ok(Self {
            shutdown: signals::shutdown(Arc::clone(&settings.site))?,
            acme: acme::Client::new(
                config,
                files,
                Arc::clone(&challenges),
                metrics.acme.clone(),
                events,
            ),
            settings,
            ticket_keys,
            challenges,
            listeners,
        })
    }
}
