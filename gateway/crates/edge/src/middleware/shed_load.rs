//! Load shedding: rejects requests above the concurrency limit with 503 at once, so that the others stay
//! fast.

use std::convert::Infallible;
use std::sync::Arc;

use http::Request;
use tower::Service;

use colonnade_web::client::{ClientAddress, ClientKey};
use colonnade_web::health;
use colonnade_web::middleware::Next;
use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::response::{Response, RouteName};

use crate::CurrentSettings;
use crate::admission::{AdmissionControl, RequestPermit, RequestSource, Saturated};
use crate::metrics::ShedMetrics;

/// Limits the requests in flight.
pub struct LoadShedder {
    admission: AdmissionControl,
    settings: CurrentSettings,
    metrics: ShedMetrics,
}

impl LoadShedder {
    /// Creates a load shedder that follows the limits of these settings.
    pub fn new(settings: CurrentSettings, metrics: ShedMetrics) -> Self {
        Self {
            admission: AdmissionControl::default(),
            settings,
            metrics,
        }
    }

    /// Returns a permit for a request, to be held until its response is sent. Returns `None` if the request
    /// must be shed.
    async fn acquire<B>(&self, request: &Request<B>) -> Option<RequestPermit> {
        let limits = self.settings.load().limits;
        let extensions = request.extensions();
        let source = extensions.get().map(|ClientAddress(address)| RequestSource {
            client: ClientKey::new(*address),
            connection: extensions.get().cloned(),
        });
        let permit = self.admission.acquire(
            source,
            limits.max_requests_in_flight,
            limits.max_requests_in_flight_per_client,
        );
        match permit.await {
            Ok(permit) => return Some(permit),
            Err(Saturated::Limit) => self.metrics.limit_reached(),
            Err(Saturated::ClientLimit) => self.metrics.client_limit_reached(),
        }
        None
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
        response.extensions_mut().insert(RouteName("shed".into()));
        return response;
    };
    let mut response = next.run(request).await;
    response.body_mut().hold(permit);
    response
}
