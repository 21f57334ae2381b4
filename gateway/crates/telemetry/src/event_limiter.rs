//! The rate limit of log events: a client that keeps causing an event, or a section that always
//! fails, must not fill the log.
//!
//! Each place in the code has its own limit, for each release, listener and cause that its events
//! name, so that neither a section nor a frequent cause hides the others. Events about what
//! operators and teams do are not limited.

use std::collections::HashMap;
use std::fmt::Debug;

use parking_lot::Mutex;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use tokio::time::Instant;
use tracing::Event;
use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};

use colonnade_web::log::AUDIT;
use colonnade_web::metrics::Labels;
use colonnade_web::rate_limiter::RateLimiter;
use colonnade_web::register_metrics;

/// The maximum number of events per minute.
const EVENTS_PER_MINUTE: u32 = 60;

/// The number of limits below which none is removed.
const MIN_SWEEP_LEN: usize = 256;

/// Limits how often events are logged.
#[derive(Default)]
pub(super) struct EventLimiter {
    suppressed: Family<Labels<1, String>, Counter>,
    limits: Mutex<Limits>,
}

#[derive(Default)]
struct Limits {
    by_key: HashMap<Key, Limit>,
    /// The number of limits at which unused ones are removed next.
    sweep_len: usize,
}

/// A place in the code, and the release, listener, upstream and cause of its event.
type Key = (Identifier, String);

struct Limit {
    rate: RateLimiter,
    /// The number of events left out since the last logged one.
    suppressed: u64,
}

/// What an event is about.
#[derive(Default)]
struct Subject {
    event: String,
    /// The release, listener, upstream and cause.
    name: String,
}

impl EventLimiter {
    /// Adds the metrics to the registry.
    pub(super) fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "log_events_suppressed": self.suppressed,
                "Log events that were left out because the same event was logged too often";
        }
    }

    /// Returns the number of such events that were left out before this one, or `None` if this one
    /// is left out.
    pub(super) fn try_acquire(&self, event: &Event<'_>) -> Option<u64> {
        if event.metadata().target() == AUDIT {
            return Some(0);
        }
        let mut subject = Subject::default();
        event.record(&mut subject);
        let acquired = self
            .limits
            .lock()
            .try_acquire((event.metadata().callsite(), subject.name));
        if acquired.is_none() {
            let label = [("event", subject.event)];
            self.suppressed.get_or_create(&label).inc();
        }
        acquired
    }
}

impl Limits {
    fn try_acquire(&mut self, key: Key) -> Option<u64> {
        let now = Instant::now();
        let limit = self.by_key.entry(key).or_insert_with(|| Limit {
            rate: RateLimiter::new(EVENTS_PER_MINUTE, now),
            suppressed: 0,
        });
        let is_acquired = limit.rate.try_acquire(now);
        let acquired = is_acquired.then(|| std::mem::take(&mut limit.suppressed));
        limit.suppressed += u64::from(!is_acquired);
        if self.by_key.len() > self.sweep_len {
            self.by_key.retain(|_, limit| !limit.rate.is_full(now));
            self.sweep_len = (2 * self.by_key.len()).max(MIN_SWEEP_LEN);
        }
        acquired
    }
}

impl Visit for Subject {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "event" => value.clone_into(&mut self.event),
            "cause" | "listener" | "release" | "upstream" => self.name.extend([value, " "]),
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "release" {
            self.name.extend([&*format!("{value:?}"), " "]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use parking_lot::Mutex;
    use tracing::subscriber::with_default;
    use tracing::{Event, Subscriber};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
    use tracing_subscriber::registry;

    use colonnade_web::log::AUDIT;

    use super::{EVENTS_PER_MINUTE, EventLimiter, MIN_SWEEP_LEN};

    /// Collects what the limiter answers.
    #[derive(Clone, Default)]
    struct Answers(Arc<(EventLimiter, Mutex<Vec<Option<u64>>>)>);

    impl<S: Subscriber> Layer<S> for Answers {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            let (limiter, answers) = &*self.0;
            answers.lock().push(limiter.try_acquire(event));
        }
    }

    impl Answers {
        /// Collects the answers for the events of `log`.
        fn of(&self, log: impl FnOnce()) -> Vec<Option<u64>> {
            with_default(registry().with(self.clone()), log);
            std::mem::take(&mut *self.0.1.lock())
        }
    }

    fn fail(release: &str) {
        tracing::warn!(event = "render_failed", release = %release);
    }

    #[tokio::test(start_paused = true)]
    async fn repeated_events_are_left_out_and_counted() {
        let answers = Answers::default();
        let burst = answers.of(|| (0..EVENTS_PER_MINUTE + 1000).for_each(|_| fail("a@1.0.0")));
        assert_eq!(burst.iter().flatten().count(), 60);
        assert_eq!(answers.of(|| fail("b@1.0.0")), [Some(0)], "another release");
        let rejected = |cause| tracing::info!(event = "connection_closed", listener = "site", cause);
        let flood = answers.of(|| (0..=EVENTS_PER_MINUTE).for_each(|_| rejected("protocol_error")));
        assert_eq!(flood.last(), Some(&None));
        assert_eq!(answers.of(|| rejected("rapid_reset")), [Some(0)], "another cause");
        assert_eq!(
            answers.of(|| tracing::warn!(event = "panic", release = "a@1.0.0")),
            [Some(0)]
        );
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(answers.of(|| fail("a@1.0.0")), [Some(1000)]);
        assert_eq!(answers.of(|| fail("a@1.0.0")), [None]);
    }

    #[test]
    fn audit_events_are_not_limited() {
        let log = || (0..1000).for_each(|_| tracing::info!(target: AUDIT, event = "admin_request"));
        assert_eq!(Answers::default().of(log), [Some(0); 1000]);
    }

    #[tokio::test(start_paused = true)]
    async fn limits_of_old_events_are_forgotten() {
        let answers = Answers::default();
        for minute in 0..20 {
            answers.of(|| (0..MIN_SWEEP_LEN).for_each(|number| fail(&format!("{minute}-{number}"))));
            tokio::time::advance(Duration::from_mins(1)).await;
        }
        let len = answers.0.0.limits.lock().by_key.len();
        assert!(len <= 2 * MIN_SWEEP_LEN, "{len}");
    }
}
