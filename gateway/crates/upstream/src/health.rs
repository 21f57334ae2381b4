//! Active health checks.

use std::sync::Arc;

use http::Request;
use http::header::{HeaderValue, USER_AGENT};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::endpoint::{Check, Endpoint};
use crate::request_body::OutgoingBody;
use crate::upstream::Upstream;

const AGENT: HeaderValue = HeaderValue::from_static("colonnade-health-check");

impl Upstream {
    /// Checks an endpoint periodically. Returns at once if the upstream has no health checks.
    pub(crate) async fn check_endpoint(self: Arc<Self>, endpoint: Arc<Endpoint>) {
        let Some(path) = &self.settings.health_path else {
            return;
        };
        let mut ticks = interval(self.settings.health_interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let check = timeout(self.settings.total_timeout, check(&endpoint, path));
            let check = check.await.unwrap_or(Check::Unanswered);
            self.endpoints.record_check(&endpoint, check);
            if check == Check::Passed {
                self.breaker.check_succeeded();
            }
        }
    }
}

/// Sends a health check to an endpoint.
async fn check(endpoint: &Endpoint, path: &str) -> Check {
    let mut request = Request::new(OutgoingBody::Empty);
    if endpoint.address(&mut request, path).is_err() {
        return Check::Refused;
    }
    request.headers_mut().insert(USER_AGENT, AGENT);
    match endpoint.send(request, true).await {
        Ok(response) if response.status().is_success() => Check::Passed,
        Ok(_) => Check::Refused,
        Err(_) => Check::Unanswered,
    }
}
