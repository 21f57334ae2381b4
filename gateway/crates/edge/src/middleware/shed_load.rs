//! Load shedding: rejects requests above the concurrency limit, and all while memory is nearly used
//! up, with 503 at once, so that the others stay fast.

use std::time::Duration;

use colonnade_admission::{Full, Permit, Pool};
use colonnade_memory::Pressure;
use colonnade_web::health;
use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::request::Head;
use colonnade_web::response::{Response, ServedBy};

use crate::metrics::ShedMetrics;
use crate::{ConnectionHandle, CurrentSettings};

/// How long a request waits for the permits of another connection. Closing it takes no time, but
/// its task may have to wait for a busy CPU.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The maximum number of requests that wait while no other request yields to them.
const MAX_WAITING: usize = 64;

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

    /// Returns a permit for a request, to be held until its response is sent. A health check needs
    /// none: a busy gateway is healthy.
    ///
    /// # Errors
    ///
    /// The request must be shed.
    pub async fn admit(
        &self,
        head: &Head,
        connection: Option<ConnectionHandle>,
    ) -> Result<Option<Permit<ConnectionHandle>>, Full> {
        if health::is_health_path(head.uri.path()) {
            return Ok(None);
        }
        if Pressure::current() == Pressure::Critical {
            self.metrics.shed_for_memory();
            return Err(Full::Total);
        }
        let limits = self.settings.load().limits;
        let limits = colonnade_admission::Limits {
            total: limits.max_requests_in_flight,
            per_client: limits.max_requests_in_flight_per_client,
            per_network: usize::MAX,
            max_wait: MAX_WAIT,
            max_waiting: MAX_WAITING,
        };
        let permit = self
            .pool
            .acquire(Some(head.client.key()), connection, limits)
            .await;
        permit.map(Some).inspect_err(|full| self.metrics.shed(*full))
    }
}

/// The response to a request that is shed.
pub fn overloaded() -> Response {
    let mut response = respond(&HttpError::Overloaded, Audience::Program);
    ServedBy::of(&mut response).route = Some("shed".into());
    response
}
