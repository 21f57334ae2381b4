//! Creates the routes of each listener, with their middleware.

use std::sync::Arc;

use colonnade_admin::console::Console;
use colonnade_admin::{Admin, AdminParts, PurgeResponses};
use colonnade_config::Config;
use colonnade_diagnostics::Diagnostics;
use colonnade_edge::HttpService;
use colonnade_site::{Site, SiteParts};
use colonnade_telemetry::{Log, Recorder, Traces};
use colonnade_web::health::ShutdownSignal;

use super::edge::Edge;
use super::error::StartError;
use super::platform::Platform;
use crate::metrics::Metrics;
use crate::redirect::HttpsRedirect;
use crate::stack;

/// The recorders of requests, by listener.
pub(super) struct Recorders {
    site: Recorder,
    admin: Recorder,
    /// If there is a redirect listener.
    redirect: Option<Recorder>,
}

impl Recorders {
    /// Creates the recorders.
    pub(super) fn new(
        config: &Config,
        log: &Log,
        metrics: &Metrics,
        traces: &Traces,
        diagnostics: &Arc<Diagnostics>,
    ) -> Self {
        let recorder = |listener, routes: Vec<_>| {
            let metrics = metrics.requests.for_listener(listener, routes);
            Recorder::new(&config.telemetry, log, metrics, traces, Arc::clone(diagnostics))
        };
        Self {
            site: recorder("site", Site::route_names(config)),
            admin: recorder("admin", Admin::route_names()),
            redirect: config
                .listen
                .redirect_http
                .map(|_| recorder("redirect", HttpsRedirect::route_names())),
        }
    }
}

/// The routes.
pub(super) struct App<S> {
    pub(super) site: Arc<Site>,
    pub(super) admin: Arc<Admin>,
    /// The services of the site, admin and redirect listeners.
    pub(super) services: S,
}

/// Creates the routes. The site takes the configuration.
pub(super) fn app(
    mut config: Config,
    platform: &Platform,
    edge: &Edge,
    metrics: &Metrics,
    recorders: Recorders,
) -> Result<App<(impl HttpService, impl HttpService, Option<impl HttpService>)>, StartError> {
    let settings = &edge.settings;
    let redirect = recorders.redirect.map(|recorder| {
        let redirect = HttpsRedirect::new(config.site.origin.clone(), Arc::clone(&edge.challenges));
        stack::redirect(redirect, Arc::clone(&settings.redirect), recorder)
    });
    let admin = Arc::new(admin(&mut config, platform, edge, metrics));
    let parts = SiteParts {
        deployments: Arc::clone(&platform.deployments),
        canary: Arc::clone(&platform.rollouts.analysis),
        documents: Arc::clone(&platform.documents),
        upstreams: Arc::clone(&platform.upstreams),
        shutdown: ShutdownSignal(edge.shutdown.lifecycle.subscribe()),
    };
    let site = Arc::new(Site::new(config, parts, &metrics.site)?);
    let shed = metrics.shed.clone();
    let services = (
        stack::site(
            Arc::clone(&site),
            Arc::clone(&settings.site),
            shed,
            recorders.site,
        ),
        stack::admin(Arc::clone(&admin), Arc::clone(&settings.admin), recorders.admin),
        redirect,
    );
    Ok(App {
        site,
        admin,
        services,
    })
}

/// Creates the admin API. Takes the tokens of the configuration.
fn admin(config: &mut Config, platform: &Platform, edge: &Edge, metrics: &Metrics) -> Admin {
    let parts = AdminParts {
        tokens: std::mem::take(&mut config.admin.tokens),
        is_exposed: !edge.listeners.admin.address.ip().is_loopback(),
        console: Console::new(crate::console::FILES),
        version: env!("COLONNADE_VERSION"),
        settings: Arc::clone(&edge.settings.admin),
        deployments: Arc::clone(&platform.rollouts.deployments),
        analysis: Arc::clone(&platform.rollouts.analysis),
        purge_responses: purge(platform),
        metrics: Arc::clone(&metrics.registry),
        auth_metrics: metrics.auth.clone(),
        shutdown: ShutdownSignal(edge.shutdown.lifecycle.subscribe()),
    };
    Admin::new(config, parts)
}

/// Removes the cached responses of upstreams below a path.
fn purge(platform: &Platform) -> PurgeResponses {
    let upstreams = Arc::clone(&platform.upstreams);
    Arc::new(move |prefix| upstreams.purge(prefix))
}
