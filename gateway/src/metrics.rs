//! The metrics of all crates in one registry.

use std::sync::Arc;

use colonnade_edge::metrics::{ConnectionMetrics, ShedMetrics};
use colonnade_platform::deployment::DeploymentMetrics;
use colonnade_render::metrics::RenderMetrics;
use colonnade_site::metrics::SiteMetrics;
use colonnade_store::StoreMetrics;
use colonnade_telemetry::metrics::HttpMetrics;
use prometheus_client::registry::Registry;

/// The metrics of all crates.
pub(crate) struct Metrics {
    /// The registry that `/metrics` exposes.
    pub(crate) registry: Arc<Registry>,
    pub(crate) connections: ConnectionMetrics,
    pub(crate) requests: HttpMetrics,
    pub(crate) shed: ShedMetrics,
    pub(crate) renders: RenderMetrics,
    pub(crate) site: SiteMetrics,
    pub(crate) deployments: DeploymentMetrics,
    pub(crate) store: StoreMetrics,
}

impl Default for Metrics {
    fn default() -> Self {
        let (connections, requests, shed) = <(ConnectionMetrics, HttpMetrics, ShedMetrics)>::default();
        let (renders, site) = <(RenderMetrics, SiteMetrics)>::default();
        let (deployments, store) = <(DeploymentMetrics, StoreMetrics)>::default();
        let mut registry = Registry::with_prefix("colonnade");
        renders.register(&mut registry);
        site.register(&mut registry);
        deployments.register(&mut registry);
        store.register(&mut registry);
        connections.register(&mut registry);
        requests.register(&mut registry);
        shed.register(&mut registry);
        Self {
            registry: Arc::new(registry),
            connections,
            requests,
            shed,
            renders,
            site,
            deployments,
            store,
        }
    }
}
