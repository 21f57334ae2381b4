//! What the handlers of the admin API share.

use std::sync::Arc;

use arc_swap::ArcSwap;
use prometheus_client::registry::Registry;
use tokio::sync::Semaphore;

use colonnade_config::{AdminSettings, Config, Origin, Retention};
use colonnade_edge::CurrentSettings;
use colonnade_platform::deployment::Deployments;
use colonnade_platform::events::Events;
use colonnade_platform::publish::{PublishRules, Publisher};
use colonnade_platform::rollout::CanaryAnalysis;
use colonnade_web::health::ShutdownSignal;

use crate::access::Access;
use crate::auth::FailureLimiters;
use crate::console::Console;
use crate::member::{Member, ReadProcess};
use crate::metrics::AuthMetrics;
use crate::sessions::Sessions;
use crate::token_permits::TokenPermits;

/// The maximum number of open event streams, in total and for each token.
const MAX_STREAMS: usize = 64;
const MAX_STREAMS_PER_TOKEN: usize = 16;

/// How many authorization codes are exchanged at the same time.
const MAX_SIGN_INS: usize = 8;

/// The maximum number of releases that are uploaded, wait or are published, in total and for each
/// token. An upload takes much of the store's disk, and may take long: three tokens leave a place to
/// the others.
const MAX_PUBLISHES: usize = 10;
const MAX_PUBLISHES_PER_TOKEN: usize = 3;

/// The maximum number of bytes of source maps that are sent at the same time. Four of the largest
/// fit in.
const MAX_SOURCE_MAP_BYTES: usize = 64 * 1024 * 1024;

/// Removes the responses whose path and query begin with a prefix from the cache, and returns their
/// number.
pub type PurgeResponses = Arc<dyn Fn(&str) -> usize + Send + Sync>;

/// The admin API of one gateway.
pub struct Admin {
    pub(crate) access: ArcSwap<Access>,
    pub(crate) failure_limiters: FailureLimiters,
    /// One permit for each exchange of an authorization code.
    pub(crate) sign_ins: Semaphore,
    pub(crate) sessions: Sessions,
    /// One permit for each open event stream.
    pub(crate) streams: Arc<TokenPermits>,
    pub(crate) settings: CurrentSettings,
    pub(crate) console: Console,
    /// The gateway's version.
    pub(crate) version: &'static str,
    pub(crate) member: Member,
    /// Whether log events contain the client's IP address.
    pub(crate) log_client_ip: bool,
    /// Whether other machines can reach the listener.
    pub(crate) is_exposed: bool,
    pub(crate) origin: Origin,
    pub(crate) retention: Retention,
    pub(crate) publisher: Publisher,
    /// One permit for each upload, until it is published.
    pub(crate) publishes: Arc<TokenPermits>,
    /// One permit for each byte of the source maps that are sent.
    pub(crate) source_maps: Arc<Semaphore>,
    /// The permit for a trial.
    pub(crate) trials: Arc<TokenPermits>,
    pub(crate) deployments: Arc<Deployments>,
    pub(crate) analysis: Arc<CanaryAnalysis>,
    pub(crate) events: Arc<Events>,
    pub(crate) purge_responses: PurgeResponses,
    pub(crate) metrics: Arc<Registry>,
    pub(crate) auth_metrics: AuthMetrics,
    pub(crate) shutdown: ShutdownSignal,
}

/// What the API needs of the other parts of the gateway.
pub struct AdminParts {
    /// Who may use the API.
    pub access: AdminSettings,
    /// Whether other machines can reach the listener. `/metrics` then needs a token.
    pub is_exposed: bool,
    /// The files of the console.
    pub console: Console,
    /// The version of the gateway.
    pub version: &'static str,
    /// Reads the memory and the certificates of the gateway.
    pub read_process: ReadProcess,
    /// The settings that are in effect.
    pub settings: CurrentSettings,
    /// The deployments.
    pub deployments: Arc<Deployments>,
    /// The analysis of their rollouts.
    pub analysis: Arc<CanaryAnalysis>,
    /// What happens at the site.
    pub events: Arc<Events>,
    /// Removes the cached responses of upstreams.
    pub purge_responses: PurgeResponses,
    /// All metrics.
    pub metrics: Arc<Registry>,
    /// The metrics of tokens.
    pub auth_metrics: AuthMetrics,
    /// How the gateway shuts down.
    pub shutdown: ShutdownSignal,
}

impl Admin {
    /// Creates the API of a gateway with this configuration.
    pub fn new(config: &Config, parts: AdminParts) -> Self {
        let AdminParts {
            access,
            is_exposed,
            console,
            version,
            read_process,
            settings,
            deployments,
            analysis,
            events,
            purge_responses,
            metrics,
            auth_metrics,
            shutdown,
        } = parts;
        auth_metrics.set_tokens(access.tokens());
        Self {
            access: ArcSwap::from_pointee(Access::new(access, &Access::default())),
            failure_limiters: FailureLimiters::default(),
            sign_ins: Semaphore::new(MAX_SIGN_INS),
            sessions: Sessions::new(config.listen.admin_tls.is_some()),
            streams: TokenPermits::new(MAX_STREAMS, MAX_STREAMS_PER_TOKEN),
            settings,
            console,
            version,
            member: Member::new(read_process),
            log_client_ip: config.telemetry.logs_client_ip("admin"),
            is_exposed,
            origin: config.site.origin.clone(),
            retention: config.store.retention(),
            publisher: Publisher::new(PublishRules::from(config)),
            publishes: TokenPermits::new(MAX_PUBLISHES, MAX_PUBLISHES_PER_TOKEN),
            source_maps: Arc::new(Semaphore::new(MAX_SOURCE_MAP_BYTES)),
            trials: TokenPermits::new(1, 1),
            deployments,
            analysis,
            events,
            purge_responses,
            metrics,
            auth_metrics,
            shutdown,
        }
    }

    /// Applies what SIGHUP reloads of the configuration. Takes its access settings.
    pub fn reload(&self, config: &mut Config) {
        let mut access = std::mem::take(&mut config.admin);
        access.keep_token_file(&self.access.load().settings);
        self.set_access(access);
        self.publisher.replace_rules(config);
    }

    /// Who may use the API.
    pub fn access(&self) -> AdminSettings {
        self.access.load().settings.clone()
    }

    /// Replaces who may use the API.
    pub fn set_access(&self, settings: AdminSettings) {
        self.auth_metrics.set_tokens(settings.tokens());
        let access = Access::new(settings, &self.access.load());
        self.access.store(Arc::new(access));
    }

    /// Whether a section with this name is live.
    pub(crate) fn is_live(&self, name: &str) -> bool {
        let snapshot = self.deployments.current();
        snapshot.live().is_some_and(|live| live.release(name).is_some())
    }
}
