//! Connections of a listener: how many there are, and which were not wanted.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Connections of all listeners.
#[derive(Default)]
pub(super) struct Connections {
    open: Family<OfListener, Gauge>,
    refused: Family<Refused, Counter>,
    given_up: Family<OfListener, Counter>,
}

/// Connections of one listener.
#[derive(Clone)]
pub(crate) struct ConnectionMetrics {
    listener: &'static str,
    open: Gauge,
    refused: Family<Refused, Counter>,
    given_up: Counter,
}

/// Why a connection is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There are as many as there may be.
    All,
    /// Its client has as many as one may have.
    Client,
    /// It did not say in time, or soundly, what it speaks.
    Greeting,
    /// The system could not accept it.
    System,
}

/// Counts a connection as open until it is dropped.
pub(crate) struct Open(Gauge);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfListener {
    listener: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    listener: &'static str,
    cause: &'static str,
}

impl Connections {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("connections_open", "Connections that are open", self.open.clone());
        registry.register(
            "connections_refused",
            "Connections that were not served, by cause",
            self.refused.clone(),
        );
        registry.register(
            "connections_given_up",
            "Connections ended because the client did not do its part in time",
            self.given_up.clone(),
        );
    }

    pub(super) fn of(&self, listener: &'static str) -> ConnectionMetrics {
        let label = OfListener { listener };
        ConnectionMetrics {
            listener,
            open: self.open.get_or_create_owned(&label),
            refused: self.refused.clone(),
            given_up: self.given_up.get_or_create_owned(&label),
        }
    }
}

impl ConnectionMetrics {
    /// A connection was accepted.
    pub(crate) fn opened(&self) -> Open {
        self.open.inc();
        Open(self.open.clone())
    }

    /// A connection is not served.
    pub(crate) fn refused(&self, refusal: Refusal) {
        let cause = match refusal {
            Refusal::All => "all",
            Refusal::Client => "client",
            Refusal::Greeting => "greeting",
            Refusal::System => "system",
        };
        let listener = self.listener;
        self.refused.get_or_create(&Refused { listener, cause }).inc();
    }

    /// A connection's client did not do its part in time.
    pub(crate) fn given_up(&self) {
        self.given_up.inc();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}
