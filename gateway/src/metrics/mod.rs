//! The metrics of all crates in one registry.

mod acme;
mod memory;
mod process;
mod reload;

use std::sync::Arc;

use colonnade_admin::metrics::AuthMetrics;
use colonnade_diagnostics::SectionMetrics;
use colonnade_edge::metrics::{ConnectionMetrics, ShedMetrics};
use colonnade_platform::deployment::DeploymentMetrics;
use colonnade_platform::events::WebhookMetrics;
use colonnade_render::metrics::RenderMetrics;
use colonnade_site::metrics::SiteMetrics;
use colonnade_store::metrics::StoreMetrics;
use colonnade_telemetry::metrics::HttpMetrics;
use colonnade_telemetry::{Log, OtlpMetrics};
use colonnade_upstream::metrics::UpstreamMetrics;
use colonnade_web::register_metrics;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

pub(crate) use acme::AcmeMetrics;
pub(crate) use memory::MemoryMetrics;
pub(crate) use reload::ReloadMetrics;

/// The commit that the gateway was built from, if the build names it.
const COMMIT: Option<&str> = option_env!("COLONNADE_COMMIT");

/// The metrics of all crates.
pub(crate) struct Metrics {
    /// The registry that `/metrics` exposes.
    pub(crate) registry: Arc<Registry>,
    pub(crate) acme: AcmeMetrics,
    pub(crate) auth: AuthMetrics,
    pub(crate) connections: ConnectionMetrics,
    pub(crate) deployments: DeploymentMetrics,
    pub(crate) memory: MemoryMetrics,
    pub(crate) otlp: OtlpMetrics,
    pub(crate) reloads: ReloadMetrics,
    pub(crate) requests: HttpMetrics,
    pub(crate) shed: ShedMetrics,
    pub(crate) renders: RenderMetrics,
    pub(crate) sections: SectionMetrics,
    pub(crate) site: SiteMetrics,
    pub(crate) store: StoreMetrics,
    pub(crate) upstreams: UpstreamMetrics,
    pub(crate) webhooks: WebhookMetrics,
    /// Failed upgrades.
    pub(crate) upgrade_failures: Counter,
}

impl Metrics {
    /// Creates the metrics, with those of a log.
    pub(crate) fn new(log: &Log) -> Self {
        let (connections, requests, shed) = <(ConnectionMetrics, HttpMetrics, ShedMetrics)>::default();
        let (renders, site) = <(RenderMetrics, SiteMetrics)>::default();
        let (deployments, store) = <(DeploymentMetrics, StoreMetrics)>::default();
        let (auth, reloads, sections) = <(AuthMetrics, ReloadMetrics, SectionMetrics)>::default();
        let (acme, memory, upstreams) = <(AcmeMetrics, MemoryMetrics, UpstreamMetrics)>::default();
        let (otlp, webhooks) = <(OtlpMetrics, WebhookMetrics)>::default();
        let mut registry = Registry::default();
        registry.register_collector(Box::new(process::ProcessMetrics::default()));
        let own = registry.sub_registry_with_prefix("colonnade");
        let labels = [
            ("version", env!("CARGO_PKG_VERSION")),
            ("commit", COMMIT.unwrap_or("unknown")),
        ];
        let help = "The version and the commit of the gateway";
        own.register("build", help, Info::new(labels));
        let upgrade_failures = Counter::default();
        register_metrics! { own;
            "upgrade_failures": upgrade_failures, "Upgrades that failed, so that this process goes on";
        }
        log.register(own);
        acme.register(own);
        auth.register(own);
        reloads.register(own);
        deployments.register(own);
        memory.register(own);
        otlp.register(own);
        store.register(own);
        renders.register(own);
        sections.register(own);
        site.register(own);
        upstreams.register(own);
        webhooks.register(own);
        connections.register(own);
        requests.register(own);
        shed.register(own);
        Self {
            registry: Arc::new(registry),
            acme,
            auth,
            connections,
            deployments,
            memory,
            otlp,
            reloads,
            requests,
            shed,
            renders,
            sections,
            site,
            store,
            upstreams,
            webhooks,
            upgrade_failures,
        }
    }
}
