//! Opens what serves deployments: the store, upstreams, rendering and rollouts.

use std::mem::take;
use std::sync::Arc;

use colonnade_config::{Config, Retention};
use colonnade_diagnostics::Diagnostics;
use colonnade_platform::deployment::{Deployments, Warm};
use colonnade_platform::events::{Events, Webhooks};
use colonnade_platform::rollout::RolloutController;
use colonnade_render::Renderer;
use colonnade_site::document::{Documents, SiteView};
use colonnade_store::Store;
use colonnade_upstream::Upstreams;
use tokio::task::JoinSet;

use crate::metrics::Metrics;
use crate::run::error::StartError;
use crate::run::queries::UpstreamQueries;
use crate::run::store;

/// The store, and what serves its deployments.
pub(super) struct Platform {
    pub(super) store: Arc<Store>,
    pub(super) upstreams: Arc<Upstreams>,
    pub(super) deployments: Arc<Deployments>,
    pub(super) documents: Arc<Documents>,
    pub(super) rollouts: RolloutController,
    pub(super) events: Arc<Events>,
    webhooks: Webhooks,
}

impl Platform {
    /// Opens the store and loads the live deployment. With `recover`, a missing live state is
    /// recovered from the history first. Takes the settings of upstreams, webhooks and
    /// Prometheus.
    pub(super) async fn open(
        config: &mut Config,
        recover: bool,
        metrics: &Metrics,
    ) -> Result<Self, StartError> {
        let store = store::open(config, recover, &metrics.store).await?;
        let (upstreams, cache) = (take(&mut config.upstreams), config.upstream_cache);
        let upstreams = Upstreams::new(upstreams, cache, &config.site.origin, &metrics.upstreams)?;
        let upstreams = Arc::new(upstreams);
        let diagnostics = Arc::new(Diagnostics::new(metrics.sections.clone()));
        let site = SiteView::new(config);
        let renderer = Arc::new(Renderer::start(
            config.render,
            Arc::clone(site.values()),
            Arc::new(UpstreamQueries(Arc::clone(&upstreams))),
            &metrics.renders,
            Arc::clone(&diagnostics),
        ));
        let (pages, counters) = (Arc::clone(&renderer), metrics.site.documents.clone());
        let documents = Arc::new(Documents::new(config, site, Arc::clone(&store), pages, counters));
        let deployments = Deployments::open(
            Arc::clone(&store),
            Some(renderer),
            Some(Arc::clone(&documents) as Arc<dyn Warm>),
            diagnostics,
            metrics.deployments.clone(),
        );
        let deployments = Arc::new(deployments.await?);
        deployments.replace_settings(config).await;
        deployments.report_hidden_pages(config.files.contents.keys().cloned().collect());
        let events = Arc::new(Events::new(&deployments));
        let webhooks = take(&mut config.webhooks);
        let webhooks = Webhooks::new(webhooks, &config.site.origin, &events, &metrics.webhooks)?;
        Ok(Self {
            rollouts: RolloutController::new(&deployments, config.rollout.clone())
                .with_prometheus(take(&mut config.prometheus))?,
            store,
            upstreams,
            deployments,
            documents,
            events,
            webhooks,
        })
    }

    /// What is recorded about sections.
    pub(super) fn diagnostics(&self) -> &Arc<Diagnostics> {
        self.deployments.diagnostics()
    }

    /// Runs what goes on while the gateway serves.
    pub(super) fn spawn_tasks(self, tasks: &mut JoinSet<()>, retention: Retention) {
        let Self {
            upstreams,
            deployments,
            rollouts,
            events,
            webhooks,
            ..
        } = self;
        tasks.spawn(async move { rollouts.run().await });
        tasks.spawn(async move { events.run().await });
        webhooks.spawn(tasks);
        tasks.spawn(upstreams.maintain());
        tasks.spawn(async move { deployments.follow_store(retention).await });
    }
}
