//! Shedding load: past a number of requests the gateway says so at once, instead of being slow for everybody.

use std::convert::Infallible;
use std::sync::Arc;

use http::Request;
use tower::Service;

use super::layer::Next;
use super::seating::{Full, Guest, Seat, Seating};
use crate::config::Limits;
use crate::health;
use crate::metrics::ShedMetrics;
use crate::net::{Client, CurrentSettings};
use crate::reply::{Held, Peer, Reply, Route};
use crate::rescue::{Audience, Error, rescue};

/// The requests that are being answered.
pub(super) struct Shed {
    seating: Seating,
    settings: CurrentSettings,
    metrics: ShedMetrics,
}

impl Shed {
    /// As many as the settings allow.
    pub(super) fn new(settings: CurrentSettings, metrics: ShedMetrics) -> Self {
        Self {
            seating: Seating::default(),
            settings,
            metrics,
        }
    }

    /// A seat for a request, held until the last byte of its answer is written, or never will be.
    async fn seat<B>(&self, request: &Request<B>) -> Option<Seat> {
        let limits: Limits = self.settings.load().limits;
        let extensions = request.extensions();
        let guest = extensions.get().map(|Peer(address)| Guest {
            client: Client::at(*address),
            line: extensions.get().cloned(),
        });
        let seat = self
            .seating
            .take(guest, limits.requests, limits.requests_per_client);
        match seat.await {
            Ok(seat) => return Some(seat),
            Err(Full::All) => self.metrics.of_all(),
            Err(Full::Client) => self.metrics.of_client(),
        }
        None
    }
}

/// Passes on what there is room for.
pub(super) async fn admit<S, B>(request: Request<B>, next: Next<S>, shed: Arc<Shed>) -> Reply
where
    S: Service<Request<B>, Response = Reply, Error = Infallible>,
{
    // Whoever watches the gateway is to see that it is busy, not that it is gone.
    if health::is_asked(request.uri().path()) {
        return next.run(request).await;
    }
    let Some(seat) = shed.seat(&request).await else {
        let mut reply = rescue(&Error::Busy, Audience::Program);
        reply.extensions_mut().insert(Route("shed".into()));
        return reply;
    };
    let mut reply = next.run(request).await;
    reply.extensions_mut().insert(Held(Arc::new(seat)));
    reply
}
