//! Webhooks: sends events to receivers outside (Standard Webhooks 1.0.0).
//!
//! Each webhook has an object in the store that says how far it has got. A gateway that finds an
//! undelivered event claims the object for a while by compare-and-swap, sends the event, and
//! replaces the object. So one gateway sends at a time, in order, and another one goes on if it
//! stops. An event whose delivery could not be stored is sent again.
//!
//! An event is sent again until the receiver accepts it. One that it refuses with a `4xx` status for
//! [`REFUSED`] is discarded, because it would keep back all later ones.
//!
//! The state of a gateway, such as of its certificates, is in no store: each gateway sends its own,
//! with a few attempts.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use jiff::SignedDuration;
use reqwest::Client;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::sleep;

use colonnade_config::{Origin, Webhook};
use colonnade_model::event::{Event, Position};
use colonnade_store::{StoreError, StoredProgress, WebhookProgress};
use colonnade_upstream::outbound_client;

use crate::events::metrics::{DELIVERED, REJECTED, TIMED_OUT, UNREACHABLE, WebhookMetrics};
use crate::events::{Events, PAGE, signature};

/// How long a gateway keeps the others from sending, besides the time of an attempt.
const CLAIM: Duration = Duration::from_secs(20);

/// The longest time between two attempts.
const MAX_BACKOFF: Duration = Duration::from_mins(10);

/// How long a receiver refuses an event until it is discarded: as long as the example schedule of
/// Standard Webhooks tries.
const REFUSED: SignedDuration = SignedDuration::from_hours(3 * 24);

/// When it is tried again if the store fails.
const STORE_RETRY: Duration = Duration::from_secs(5);

/// How often the state of a gateway is sent at most.
const CONDITION_ATTEMPTS: u32 = 4;

/// The webhooks of the configuration.
pub struct Webhooks(Vec<Sender>);

/// The HTTP client of a webhook cannot be created, because the system's root certificates cannot be
/// loaded.
#[derive(Debug, thiserror::Error)]
#[error("the webhook `{0}` cannot be called over TLS: {1}")]
pub struct WebhooksError(String, reqwest::Error);

/// What sends to one receiver.
struct Sender {
    name: String,
    webhook: Webhook,
    keys: Vec<Vec<u8>>,
    client: Client,
    /// The site's origin.
    site: String,
    events: Arc<Events>,
    metrics: WebhookMetrics,
    /// Whether the receiver said that it is gone for good.
    is_gone: AtomicBool,
}

/// How far the webhook has got while this gateway looks after it.
struct Turn {
    stored: StoredProgress,
    /// Whether other gateways wait.
    is_claimed: bool,
}

/// What follows: the rest, or when to look again.
type Next = ControlFlow<Option<Duration>, Turn>;

/// The body of a message.
#[derive(Serialize)]
struct Message<'a> {
    site: &'a str,
    #[serde(flatten)]
    event: &'a Event,
}

/// Why an attempt failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// With the time that the receiver asks to wait.
    #[error("the receiver responded with the status {0}")]
    Rejected(StatusCode, Duration),
    #[error("the receiver did not respond in time")]
    TimedOut,
    #[error("{0}")]
    Unreachable(String),
}

impl Webhooks {
    /// The webhooks of a site.
    pub fn new(
        webhooks: BTreeMap<String, Webhook>,
        site: &Origin,
        events: &Arc<Events>,
        metrics: &WebhookMetrics,
    ) -> Result<Self, WebhooksError> {
        let senders = webhooks.into_iter().map(|(name, webhook)| {
            metrics.expose(&name);
            let client = outbound_client(&webhook.url).timeout(webhook.timeout).build();
            Ok(Sender {
                client: client.map_err(|error| WebhooksError(name.clone(), error))?,
                name,
                keys: webhook.keys(),
                is_gone: AtomicBool::new(false),
                webhook,
                site: site.as_str().to_owned(),
                events: Arc::clone(events),
                metrics: metrics.clone(),
            })
        });
        Ok(Self(senders.collect::<Result<_, _>>()?))
    }

    /// Sends events in tasks that end if the receiver is gone.
    pub fn spawn(self, tasks: &mut JoinSet<()>) {
        for sender in self.0 {
            tasks.spawn(async move {
                // A gateway that only reads the store cannot say how far it has got.
                let is_writable = sender.events.store().check_writable().is_ok();
                tokio::join!(sender.send_conditions(), async {
                    if is_writable {
                        sender.follow().await;
                    }
                });
            });
        }
    }
}

impl Sender {
    /// Sends what happens at the site, until the receiver is gone.
    async fn follow(&self) {
        let mut end = self.events.end();
        let mut passed = Position::default();
        while !self.is_gone() {
            let known = *end.borrow_and_update();
            let wait = match known {
                Some(known) => self.deliver(known, &mut passed).await.unwrap_or_else(|error| {
                    tracing::error!(event = "webhook_store_failed", webhook = self.name, error = %error);
                    Some(STORE_RETRY)
                }),
                None => None,
            };
            match wait {
                Some(wait) => sleep(wait).await,
                None => {
                    // The other half is in `events`.
                    let _ = end.changed().await;
                }
            }
        }
        // It gets nothing more, so that it is not behind.
        self.metrics.set_oldest_undelivered(&self.name, None);
    }

    /// Sends what was not delivered, if no other gateway does. Returns when to try again; `None`:
    /// when there is something new. `end` is the last event, and up to `passed` the receiver wants
    /// none.
    async fn deliver(&self, end: Position, passed: &mut Position) -> Result<Option<Duration>, StoreError> {
        let Some(stored) = self.events.store().webhook(&self.name).await? else {
            // A new webhook gets what happens from now on.
            let progress = WebhookProgress::at(end);
            self.store(None, progress, Duration::ZERO).await?;
            return Ok(Some(Duration::ZERO));
        };
        let mut turn = Turn {
            stored,
            is_claimed: false,
        };
        loop {
            let position = turn.stored.progress.position.max(*passed);
            let events = self.events.read(position, PAGE).await?;
            let wanted: Vec<&Event> = events.iter().filter(|event| self.wants(event)).collect();
            let oldest = wanted.first().map(|event| event.timestamp);
            self.metrics.set_oldest_undelivered(&self.name, oldest);
            let next = match (&wanted[..], events.last().and_then(|event| event.position)) {
                ([_, ..], _) => {
                    let claimed = self.claim(turn, position).await?;
                    self.deliver_all(claimed, &wanted).await?
                }
                ([], Some(last)) => {
                    *passed = last;
                    self.pass(turn, last, events.len() == PAGE).await?
                }
                ([], None) => Break(None),
            };
            match next {
                Continue(next) => turn = next,
                Break(wait) => return Ok(wait),
            }
        }
    }

    /// Keeps other gateways from sending what comes after `position`, unless one of them does.
    async fn claim(&self, turn: Turn, position: Position) -> Result<Next, StoreError> {
        if turn.is_claimed {
            return Ok(Continue(turn));
        }
        if let Some(wait) = remaining(&turn.stored) {
            return Ok(Break(Some(wait)));
        }
        let progress = WebhookProgress {
            position,
            ..turn.stored.progress
        };
        self.replace(&turn.stored, progress, Some(self.claim_time()))
            .await
    }

    /// Sends events, until one fails.
    async fn deliver_all(&self, mut next: Next, events: &[&Event]) -> Result<Next, StoreError> {
        for (later, event) in (0..events.len()).rev().zip(events) {
            let Continue(turn) = next else { break };
            self.metrics
                .set_oldest_undelivered(&self.name, Some(event.timestamp));
            next = self.deliver_event(turn, event, later > 0).await?;
        }
        Ok(next)
    }

    /// Sends one event. With `has_more` it keeps the claim.
    async fn deliver_event(&self, turn: Turn, event: &Event, has_more: bool) -> Result<Next, StoreError> {
        let mut progress = turn.stored.progress;
        if let Err(failure) = self.attempt(event).await {
            progress.failures = progress.failures.saturating_add(1);
            // An outage between two refusals may last for days.
            let refused_since = progress.refused_since.unwrap_or_else(colonnade_clock::now);
            progress.refused_since = failure.is_refusal().then_some(refused_since);
            if !is_refused_for_good(&progress) {
                // Other gateways hear it from the receiver, too.
                let wait = if self.is_gone() {
                    Duration::ZERO
                } else {
                    failure.wait(progress.failures)
                };
                self.log(&failure, event, progress.failures, wait);
                self.store(Some(&turn.stored), progress, wait).await?;
                return Ok(Break(Some(wait)));
            }
            self.discard(&failure, event, progress.failures);
        } else if progress.failures > 0 {
            let failures = progress.failures;
            tracing::info!(event = "webhook_recovered", webhook = self.name, failures);
        }
        let passed = WebhookProgress::at(event.position.unwrap_or(progress.position));
        let claim = has_more.then(|| self.claim_time());
        self.replace(&turn.stored, passed, claim).await
    }

    fn discard(&self, failure: &Failure, event: &Event, failures: u32) {
        self.metrics.discarded(&self.name);
        tracing::error!(
            event = "webhook_event_discarded",
            webhook = self.name,
            error = %failure,
            id = event.id,
            failures,
        );
    }

    /// Passes events that the receiver does not want. Now and then it is stored, so that they are
    /// not read again after each restart.
    async fn pass(&self, turn: Turn, last: Position, is_stored: bool) -> Result<Next, StoreError> {
        // Whoever sends stores its own.
        if !is_stored || remaining(&turn.stored).is_some() {
            return Ok(Continue(turn));
        }
        let progress = WebhookProgress {
            position: last,
            ..turn.stored.progress
        };
        self.replace(&turn.stored, progress, None).await
    }

    /// Replaces how far the webhook has got. If another gateway was faster, starts again.
    async fn replace(
        &self,
        stored: &StoredProgress,
        progress: WebhookProgress,
        claim: Option<Duration>,
    ) -> Result<Next, StoreError> {
        let wait = claim.unwrap_or_default();
        let stored = self.store(Some(stored), progress, wait).await?;
        let is_claimed = claim.is_some();
        Ok(match stored {
            Some(stored) => Continue(Turn { stored, is_claimed }),
            None => Break(Some(Duration::ZERO)),
        })
    }

    fn claim_time(&self) -> Duration {
        self.webhook.timeout + CLAIM
    }

    /// Stores how far the webhook has got, and for how long other gateways wait; `None` if one of
    /// them was faster.
    async fn store(
        &self,
        known: Option<&StoredProgress>,
        progress: WebhookProgress,
        wait: Duration,
    ) -> Result<Option<StoredProgress>, StoreError> {
        let now = colonnade_clock::now();
        let wait = SignedDuration::try_from(wait).unwrap_or_default();
        let progress = WebhookProgress {
            next_attempt_at: now.saturating_add(wait).unwrap_or(now),
            ..progress
        };
        self.events
            .store()
            .swap_webhook(&self.name, known, progress)
            .await
    }

    /// Sends the state of this gateway, until the receiver is gone.
    async fn send_conditions(&self) {
        let mut stream = self.events.stream().subscribe();
        while !self.is_gone() {
            match stream.recv().await {
                Ok(event) if event.position.is_none() && self.wants(&event) => {
                    for attempt in 1..=CONDITION_ATTEMPTS {
                        let Err(failure) = self.attempt(&event).await else {
                            break;
                        };
                        if self.is_gone() {
                            break;
                        }
                        // Not as long as the receiver asks: newer conditions would wait behind it.
                        let wait = backoff(attempt);
                        self.log(&failure, &event, attempt, wait);
                        sleep(wait).await;
                    }
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn wants(&self, event: &Event) -> bool {
        self.webhook.events.contains(&event.kind)
    }

    fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    /// Sends an event once.
    async fn attempt(&self, event: &Event) -> Result<(), Failure> {
        let result = self.send(event).await;
        let label = match &result {
            Ok(()) => DELIVERED,
            Err(failure) => failure.result(),
        };
        self.metrics.attempted(&self.name, label);
        if matches!(result, Err(Failure::Rejected(StatusCode::GONE, _)))
            && !self.is_gone.swap(true, Ordering::Relaxed)
        {
            self.metrics.disabled(&self.name);
            tracing::error!(event = "webhook_disabled", webhook = self.name, id = event.id);
        }
        result
    }

    async fn send(&self, event: &Event) -> Result<(), Failure> {
        let message = Message {
            site: &self.site,
            event,
        };
        let body = serde_json::to_vec(&message).map_err(|error| Failure::Unreachable(error.to_string()))?;
        let timestamp = colonnade_clock::now().as_second();
        let request = self
            .client
            .post(self.webhook.url.clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header("webhook-id", &event.id)
            .header("webhook-timestamp", timestamp)
            .header(
                "webhook-signature",
                signature::sign(&self.keys, &event.id, timestamp, &body),
            );
        let response = request.body(body).send().await.map_err(Failure::http)?;
        let status = response.status();
        if status.is_success() {
            Ok(())
        } else {
            Err(Failure::Rejected(status, retry_after(response.headers())))
        }
    }

    fn log(&self, failure: &Failure, event: &Event, failures: u32, wait: Duration) {
        if self.is_gone() {
            return;
        }
        tracing::warn!(
            event = "webhook_failed",
            webhook = self.name,
            cause = failure.result(),
            error = %failure,
            id = event.id,
            failures,
            retry_seconds = wait.as_secs(),
        );
    }
}

impl Failure {
    /// The URL is left out, because it can contain a secret.
    fn http(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::TimedOut;
        }
        let error = error.without_url();
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        Self::Unreachable(text)
    }

    /// Whether the receiver refuses this event, and does not ask for it later.
    fn is_refusal(&self) -> bool {
        const LATER: [StatusCode; 4] = [
            StatusCode::GONE,
            StatusCode::REQUEST_TIMEOUT,
            StatusCode::TOO_EARLY,
            StatusCode::TOO_MANY_REQUESTS,
        ];
        matches!(self, Self::Rejected(status, _) if status.is_client_error() && !LATER.contains(status))
    }

    /// The time until the next attempt after so many failures: at least as long as the receiver asks.
    fn wait(&self, failures: u32) -> Duration {
        let asked = match self {
            Self::Rejected(_, asked) => *asked,
            Self::TimedOut | Self::Unreachable(_) => Duration::ZERO,
        };
        backoff(failures).max(asked.min(MAX_BACKOFF))
    }

    fn result(&self) -> &'static str {
        match self {
            Self::Rejected(..) => REJECTED,
            Self::TimedOut => TIMED_OUT,
            Self::Unreachable(_) => UNREACHABLE,
        }
    }
}

/// What a receiver asks to wait in seconds (RFC 9110, section 10.2.3). A date depends on its clock.
fn retry_after(headers: &HeaderMap) -> Duration {
    let value = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = value.and_then(|value| value.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

/// Whether the receiver has refused the next event for so long that it never gets it.
fn is_refused_for_good(progress: &WebhookProgress) -> bool {
    let refused = |since| colonnade_clock::now().duration_since(since) >= REFUSED;
    progress.refused_since.is_some_and(refused)
}

/// How long only the gateway that wrote this sends. Longer than any gateway writes is the time of a
/// wrong clock.
fn remaining(stored: &StoredProgress) -> Option<Duration> {
    let wait = stored
        .progress
        .next_attempt_at
        .duration_since(colonnade_clock::now());
    let wait = Duration::try_from(wait).ok()?;
    (!wait.is_zero() && wait <= MAX_BACKOFF * 2).then_some(wait)
}

/// The time until the next attempt after so many failures: it doubles from a second to ten minutes.
/// Webhooks of many sites must not retry at the same moment.
fn backoff(failures: u32) -> Duration {
    let delay = Duration::from_secs(1) * 2_u32.saturating_pow(failures.saturating_sub(1).min(16));
    delay.min(MAX_BACKOFF).mul_f64(rand::random_range(0.8..1.2))
}
