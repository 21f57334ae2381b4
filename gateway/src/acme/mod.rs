//! Gets the site's certificate from a certificate authority by ACME (RFC 8555), and renews it.
//!
//! Account, certificate and pending challenges are in the store. The gateways on it share them: one
//! at a time orders, and all answer the challenges. Each serves the certificate as soon as its file
//! changes; that of a bucket is copied to such a file.

mod challenges;
mod hook;
mod order;

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use colonnade_config::{AcmeChallenge, CertificateFiles, Config, LoadedCertificate};
use colonnade_model::event::EventType;
use colonnade_platform::events::EventStream;
use colonnade_store::AcmeFiles;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::metrics::AcmeMetrics;
pub(crate) use challenges::Challenges;
use order::{OrderError, Orders};

/// How often a gateway checks whether the certificate is due, and when it tries again after an
/// order.
const CHECK_INTERVAL: Duration = Duration::from_hours(1);

/// When a gateway checks again whether another gateway's order is complete.
const ORDERED_INTERVAL: Duration = Duration::from_secs(30);

/// How long an order that was not ended, because its gateway was, keeps others from ordering. Longer
/// than the clocks of gateways differ.
const ABANDONED: SignedDuration = SignedDuration::from_mins(3);

/// How often a gateway that orders says so.
const KEEP_INTERVAL: Duration = Duration::from_secs(30);

/// The delay after the first failure. It doubles up to `CHECK_INTERVAL`.
const FIRST_RETRY: Duration = Duration::from_mins(1);

/// The ACME client of this gateway.
pub(crate) struct Client {
    orders: Orders,
    files: CertificateFiles,
    challenges: Arc<Challenges>,
    metrics: AcmeMetrics,
    events: EventStream,
    failures: u32,
}

/// Gets and renews the certificate, and answers the challenges of all gateways. Never returns.
pub(crate) async fn run(client: Option<Client>) {
    let Some(mut client) = client else {
        return std::future::pending().await;
    };
    let (challenges, store) = (Arc::clone(&client.challenges), client.orders.store.clone());
    let settings = &client.orders.settings;
    let (is_dns, poll_interval) = (settings.challenge == AcmeChallenge::Dns01, settings.poll_interval);
    let follow = async {
        if !is_dns {
            challenges.follow(&store, poll_interval).await;
        }
    };
    tokio::join!(follow, async {
        loop {
            let wait = client.step().await;
            tokio::time::sleep(wait).await;
        }
    });
}

impl Client {
    /// The client that the configuration describes, if it does.
    pub(crate) fn new(
        config: &Config,
        store: AcmeFiles,
        challenges: Arc<Challenges>,
        metrics: AcmeMetrics,
        events: EventStream,
    ) -> Option<Self> {
        Some(Self {
            orders: Orders {
                settings: config.listen.acme.clone()?,
                contact: format!("mailto:{}", config.site.contact),
                store,
            },
            files: config.listen.tls.as_ref()?.files().into_iter().next()?,
            challenges,
            metrics,
            events,
            failures: 0,
        })
    }

    /// Orders a certificate if it is due and no other gateway does. Returns when to check again.
    async fn step(&mut self) -> Duration {
        // While the store is unreachable, the newest known certificate may be good enough.
        let fetched = self.orders.store.fetch_certificate().await;
        if let Some(wait) = self.time_until_due().await {
            return wait;
        }
        let turn = match fetched {
            Ok(()) => self.orders.store.begin_order(ABANDONED).await,
            Err(error) => Err(error),
        };
        let mut turn = match turn {
            Ok(Some(turn)) => turn,
            Ok(None) => return ORDERED_INTERVAL,
            Err(error) => return self.failed(&error.into()),
        };
        let store = self.orders.store.clone();
        let outcome = tokio::select! {
            outcome = self.order() => outcome,
            () = store.keep_order(&mut turn, KEEP_INTERVAL) => Err(OrderError::Superseded),
        };
        // Otherwise it ends by its age.
        let _ = store.end_order(turn).await;
        outcome.unwrap_or_else(|error| self.failed(&error))
    }

    /// Orders a certificate, unless another gateway did so just before. Returns when to check again.
    async fn order(&mut self) -> Result<Duration, OrderError> {
        self.orders.store.fetch_certificate().await?;
        if let Some(wait) = self.time_until_due().await {
            return Ok(wait);
        }
        self.orders.order().await?;
        self.failures = 0;
        self.metrics.ordered(true);
        let hosts = self.orders.settings.names.join(", ");
        tracing::info!(event = "acme_certificate_issued", hosts);
        Ok(CHECK_INTERVAL)
    }

    /// The old certificate stays.
    fn failed(&mut self, error: &OrderError) -> Duration {
        self.metrics.ordered(false);
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        let directory = &self.orders.settings.directory;
        tracing::error!(event = "acme_failed", directory, error = text);
        let hosts = self.orders.settings.names.join(", ");
        self.events
            .report(EventType::CertificateFailing, hosts, Some(text));
        let delay = FIRST_RETRY * 2_u32.saturating_pow(self.failures);
        self.failures = (self.failures + 1).min(10);
        // Many gateways must not retry at the same moment.
        delay.min(CHECK_INTERVAL).mul_f64(rand::random_range(0.8..1.2))
    }

    /// How long to wait before the certificate is checked again; `None` if it is due.
    async fn time_until_due(&self) -> Option<Duration> {
        let files = self.files.clone();
        let loaded = tokio::task::spawn_blocking(move || files.load().ok())
            .await
            .ok()??;
        let is_complete = self.orders.settings.names.iter().all(|host| loaded.covers(host));
        let left = renewal_time(&loaded).duration_since(colonnade_clock::now());
        let left = Duration::try_from(left)
            .ok()
            .filter(|left| is_complete && !left.is_zero());
        left.map(|left| left.min(CHECK_INTERVAL))
    }
}

/// When a certificate is renewed: at two thirds of its lifetime, and up to a thirtieth later. The
/// certificate determines the time, so that certificates of one day are not renewed in one moment,
/// and the gateways on a store agree.
fn renewal_time(certificate: &LoadedCertificate) -> Timestamp {
    let lifetime = certificate.not_after.duration_since(certificate.not_before);
    let digest = Sha256::digest(certificate.key.cert.first().map_or(&[][..], |own| own));
    let jitter = lifetime.as_secs() / 30 * i64::from(digest[0]) / 256;
    let delay = lifetime * 2 / 3 + SignedDuration::from_secs(jitter);
    certificate
        .not_before
        .saturating_add(delay)
        .unwrap_or(certificate.not_after)
}
