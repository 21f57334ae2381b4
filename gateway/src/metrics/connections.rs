//! Connections of a listener: how many there are, and which were not wanted.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::Described;

/// Connections of all listeners.
#[derive(Default)]
pub(super) struct Connections {
    open: Family<OfListener, Gauge>,
    refused: Family<Cause, Counter>,
    ended: Family<Cause, Counter>,
    given_up: Family<OfListener, Counter>,
}

/// Connections of one listener.
#[derive(Clone)]
pub(crate) struct ConnectionMetrics {
    listener: &'static str,
    open: Gauge,
    refused: Family<Cause, Counter>,
    ended: Family<Cause, Counter>,
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

/// Why a connection that was served has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Its client left, or an answer was said to be its last.
    Closed,
    /// Nothing was asked for long.
    Idle,
    /// Nothing was being asked, and its place was needed.
    Crowded,
    /// It had lived long enough.
    Life,
    /// The gateway was told to stop.
    Stopped,
    /// Its client asked for nothing at all.
    Silent,
    /// The head of a request came too slowly.
    SlowHead,
    /// The body of a request came too slowly.
    SlowBody,
    /// Answers were taken too slowly.
    SlowReader,
    /// Its requests waited for its client, whose others held most of all, when there was no place for another client.
    Displaced,
    /// There were too many frames that carry nothing.
    Flood,
    /// Too many requests were taken back.
    Resets,
    /// What was said is no HTTP.
    Malformed,
}

impl Ended {
    /// All of them, so that each is there to be read before it has happened.
    const ALL: [Self; 13] = [
        Self::Closed,
        Self::Idle,
        Self::Crowded,
        Self::Life,
        Self::Stopped,
        Self::Silent,
        Self::SlowHead,
        Self::SlowBody,
        Self::SlowReader,
        Self::Displaced,
        Self::Flood,
        Self::Resets,
        Self::Malformed,
    ];

    /// What it is called in metrics and in the log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Idle => "idle",
            Self::Crowded => "crowded",
            Self::Life => "life",
            Self::Stopped => "stopped",
            Self::Silent => "silent",
            Self::SlowHead => "slow_head",
            Self::SlowBody => "slow_body",
            Self::SlowReader => "slow_reader",
            Self::Displaced => "displaced",
            Self::Flood => "flood",
            Self::Resets => "resets",
            Self::Malformed => "malformed",
        }
    }

    /// Whether the client did not do its part in time.
    pub(crate) fn is_slowness(self) -> bool {
        matches!(
            self,
            Self::Silent | Self::SlowHead | Self::SlowBody | Self::SlowReader | Self::Displaced
        )
    }

    /// Whether it is the client's fault.
    pub(crate) fn is_fault(self) -> bool {
        self.is_slowness() || matches!(self, Self::Flood | Self::Resets | Self::Malformed)
    }
}

/// Counts a connection as open until it is dropped.
pub(crate) struct Open(Gauge);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfListener {
    listener: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Cause {
    listener: &'static str,
    cause: &'static str,
}

impl Connections {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("connections_open", "Connections that are open", self.open.clone());
        registry.register(
            "connections_refused",
            "Connections that were not served, by cause",
            Described(self.refused.clone()),
        );
        registry.register(
            "connections_ended",
            "Connections that were served and have ended, by cause",
            Described(self.ended.clone()),
        );
        registry.register(
            "requests_given_up",
            "Requests over HTTP/2 whose bodies came too slowly; over HTTP/1 their connections are",
            self.given_up.clone(),
        );
    }

    pub(super) fn of(&self, listener: &'static str) -> ConnectionMetrics {
        let label = OfListener { listener };
        for ended in Ended::ALL {
            let cause = ended.name();
            drop(self.ended.get_or_create(&Cause { listener, cause }));
        }
        ConnectionMetrics {
            listener,
            open: self.open.get_or_create_owned(&label),
            refused: self.refused.clone(),
            ended: self.ended.clone(),
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
        self.refused.get_or_create(&Cause { listener, cause }).inc();
    }

    /// A connection that was served has ended.
    pub(crate) fn ended(&self, ended: Ended) {
        let (listener, cause) = (self.listener, ended.name());
        self.ended.get_or_create(&Cause { listener, cause }).inc();
    }

    /// The body of a request over HTTP/2 came too slowly.
    pub(crate) fn given_up(&self) {
        self.given_up.inc();
    }

    /// The listener's name.
    pub(crate) fn listener(&self) -> &'static str {
        self.listener
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}
