//! Creates the routes of each listener, with their middleware.

use std::sync::Arc;

use colonnade_admin::console::Console;
use colonnade_admin::{Admin, AdminParts, Process, PurgeResponses, ReadProcess};
use colonnade_config::Config;
use colonnade_diagnostics::Diagnostics;
use colonnade_edge::HttpService;
use colonnade_site::{Site, SiteParts};
use colonnade_telemetry::metrics::KINDS;
use colonnade_telemetry::{Exporter, Log, Recorder};
use colonnade_web::health::ShutdownSignal;
use colonnade_web::response::RequestKind;

use crate::metrics::Metrics;
use crate::redirect::HttpsRedirect;
use crate::run::edge::Edge;
use crate::run::error::StartError;
use crate::run::platform::Platform;
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
        exporter: &Exporter,
        diagnostics: &Arc<Diagnostics>,
    ) -> Self {
        let telemetry = &config.telemetry;
        let recorder = |listener, kinds| {
            let metrics = &metrics.requests;
            let metrics = metrics.for_listener(listener, kinds, telemetry.metrics_by_route);
            Recorder::new(telemetry, log, metrics, exporter, Arc::clone(diagnostics))
        };
        let redirect = config.listen.redirect_http;
        Self {
            site: recorder("site", &KINDS),
            admin: recorder("admin", &[RequestKind::Health, RequestKind::Other]),
            redirect: redirect.map(|_| recorder("redirect", &[RequestKind::Other])),
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

/// Creates the admin API. Takes the access settings of the configuration.
fn admin(config: &mut Config, platform: &Platform, edge: &Edge, metrics: &Metrics) -> Admin {
    let parts = AdminParts {
        access: std::mem::take(&mut config.admin),
        is_exposed: !edge.listeners.admin.address.ip().is_loopback(),
        console: Console::new(crate::console::FILES),
        version: env!("COLONNADE_VERSION"),
        read_process: read_process(metrics),
        settings: Arc::clone(&edge.settings.admin),
        deployments: Arc::clone(&platform.rollouts.deployments),
        analysis: Arc::clone(&platform.rollouts.analysis),
        events: Arc::clone(&platform.events),
        purge_responses: purge(platform),
        metrics: Arc::clone(&metrics.registry),
        auth_metrics: metrics.auth.clone(),
        shutdown: ShutdownSignal(edge.shutdown.lifecycle.subscribe()),
    };
    Admin::new(config, parts)
}

/// Reads what the metrics of the process say.
fn read_process(metrics: &Metrics) -> ReadProcess {
    let (memory, certificates) = (metrics.memory.clone(), metrics.reloads.clone());
    Box::new(move || Process {
        memory: memory.current(),
        certificate_expires_at: certificates.certificate_expires_at("site"),
    })
}

/// Removes the cached responses of upstreams below a path.
fn purge(platform: &Platform) -> PurgeResponses {
    let upstreams = Arc::clone(&platform.upstreams);
    Arc::new(move |prefix| upstreams.purge(prefix))
}
