//! Load shedding: rejects requests above the concurrency limit with 503 at once, so that the others stay
//! fast.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use tower::Service;

use colonnade_admission::{Permit, Pool};
use colonnade_web::client::client_key;
use colonnade_web::health;
use colonnade_web::middleware::Next;
use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::response::{Response, ServedBy};

use crate::metrics::ShedMetrics;
use crate::{ConnectionHandle, CurrentSettings};

/// How long a request waits for the permits of another connection. Closing it takes no time, but its task may
/// have to wait for a busy CPU.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The maximum number of requests that wait although no other request gives way to them yet.
const MAX_HOPEFUL: usize = 64;

/// Limits the requests in flight.
pub struct LoadShedder {
    pool: Pool<ConnectionHandle>,
    settings: CurrentSettings,
    metrics: ShedMetrics,
}

impl LoadShedder {
    /// Creates a load shedder that follows the limits of these settings.
    pub fn new(settings: CurrentSettings, metrics: ShedMetrics) -> Self {
        Self {
            pool: Pool::default(),
            settings,
            metrics,
        }
    }

    /// Returns a permit for a request, to be held until its response is sent. Returns `None` if the request
    /// must be shed.
    async fn acquire<B>(&self, request: &Request<B>) -> Option<Permit<ConnectionHandle>> {
        let limits = self.settings.load().limits;
        let limits = colonnade_admission::Limits {
            total: limits.max_requests_in_flight,
            per_client: limits.max_requests_in_flight_per_client,
            max_wait: MAX_WAIT,
            max_hopeful: MAX_HOPEFUL,
        };
        let extensions = request.extensions();
        let permit = self
            .pool
            .acquire(client_key(extensions), extensions.get().cloned(), limits);
        permit.await.inspect_err(|full| self.metrics.shed(*full)).ok()
    }
}

/// Passes the request on within the concurrency limit, else responds with 503.
pub async fn shed_load<S, B>(request: Request<B>, next: Next<S>, shedder: Arc<LoadShedder>) -> Response
where
    S: Service<Request<B>, Response = Response, Error = Infallible>,
{
    // A busy gateway is healthy.
    if health::is_health_path(request.uri().path()) {
        return next.run(request).await;
    }
    let Some(permit) = shedder.acquire(&request).await else {
        let mut response = respond(&HttpError::Overloaded, Audience::Program);
        ServedBy::of(&mut response).route = Some("shed".into());
        return response;
    };
    let mut response = next.run(request).await;
    response.body_mut().hold(permit);
    response
}
