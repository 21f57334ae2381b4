//! Active health checks.

use std::sync::Arc;

use http::Request;
use http::header::{HeaderValue, USER_AGENT};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::endpoint::Endpoint;
use crate::request_body::OutgoingBody;
use crate::upstream::Upstream;

const AGENT: HeaderValue = HeaderValue::from_static("colonnade-health-check");

impl Upstream {
    /// Checks an endpoint again and again. Returns at once if the upstream has no health checks.
    pub(crate) async fn check_endpoint(self: Arc<Self>, endpoint: Arc<Endpoint>) {
        let Some(path) = &self.settings.health_path else {
            return;
        };
        let mut ticks = interval(self.settings.health_interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let check = timeout(self.settings.total_timeout, is_healthy(&endpoint, path));
            let is_healthy = check.await.unwrap_or(false);
            self.endpoints.record_check(&endpoint, is_healthy);
            if is_healthy {
                self.breaker.check_succeeded();
            }
        }
    }
}

/// Returns whether an endpoint responds with 2xx.
async fn is_healthy(endpoint: &Endpoint, path: &str) -> bool {
    let Ok(uri) = endpoint.uri(path) else {
        return false;
    };
    let mut request = Request::new(OutgoingBody::Empty);
    *request.uri_mut() = uri;
    request.headers_mut().insert(USER_AGENT, AGENT);
    let response = endpoint.send(request, true).await;
    response.is_ok_and(|response| response.status().is_success())
}
