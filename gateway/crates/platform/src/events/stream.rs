//! The events of this gateway as they happen.

use std::sync::{Arc, LazyLock};

use tokio::sync::broadcast::{Receiver, Sender, channel};

use colonnade_model::event::{Condition, Event, EventType};

/// How many events a receiver may be behind.
const MAX_BEHIND: usize = 1000;

/// The host name of this machine.
static HOST: LazyLock<String> = LazyLock::new(|| {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_| "unknown".to_owned(), |name| name.trim().to_owned())
});

/// Hands events to their receivers. Copies share them.
#[derive(Debug, Clone)]
pub struct EventStream(Sender<Arc<Event>>);

impl Default for EventStream {
    fn default() -> Self {
        Self(channel(MAX_BEHIND).0)
    }
}

impl EventStream {
    /// The events from now on. A receiver that is too far behind gets an error.
    pub fn subscribe(&self) -> Receiver<Arc<Event>> {
        self.0.subscribe()
    }

    /// Reports the state of this gateway.
    pub fn report(&self, kind: EventType, subject: impl Into<String>, error: Option<String>) {
        let condition = Condition {
            gateway: HOST.clone(),
            subject: subject.into(),
            error,
        };
        self.send(Event::of_condition(kind, colonnade_clock::now(), condition));
    }

    pub(super) fn send(&self, event: Event) {
        // Without receivers nobody misses it.
        let _ = self.0.send(Arc::new(event));
    }
}
