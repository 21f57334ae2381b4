//! The queries of pages: JSON that the gateway itself requests.

use std::sync::Arc;

use bytes::Bytes;
use colonnade_web::body::{ReadTimeout, read_to_end};
use colonnade_web::problem::Problem as _;
use colonnade_web::query::{Freshness, QueryResult};
use http::{Method, StatusCode};
use serde_json::value::RawValue;

use crate::error::UpstreamError;
use crate::request_headers;
use crate::send::Outgoing;
use crate::upstream::Upstream;

/// The maximum size of a result in bytes. It becomes a part of the page.
const MAX_RESULT_BYTES: usize = 256 * 1024;

impl Upstream {
    /// Requests JSON without cookies and authorization. `target` is the whole path and query, and `rest` what follows the
    /// prefix.
    pub(crate) async fn query(self: &Arc<Self>, target: &str, rest: String) -> QueryResult {
        match self.fetch_json(target, rest).await {
            Ok((value, freshness)) => QueryResult {
                outcome: Ok(value),
                freshness,
            },
            Err(status) => QueryResult::failed(status.as_u16()),
        }
    }

    async fn fetch_json(
        self: &Arc<Self>,
        target: &str,
        rest: String,
    ) -> Result<(Arc<RawValue>, Freshness), StatusCode> {
        if !self.settings.methods.contains(&Method::GET) {
            return Err(StatusCode::METHOD_NOT_ALLOWED);
        }
        let request = Outgoing {
            method: Method::GET,
            target: target.to_owned(),
            rest,
            headers: request_headers::of_query(),
            spans: None,
        };
        let served = self.send_get(request).await.map_err(|error| error.status())?;
        let (head, body) = served.response.into_parts();
        if head.status != StatusCode::OK {
            let is_error = head.status.is_client_error() || head.status.is_server_error();
            return Err(if is_error {
                head.status
            } else {
                StatusCode::BAD_GATEWAY
            });
        }
        // The body has the deadline of the call, and knows why it breaks.
        let timeout = ReadTimeout::Total(self.settings.total_timeout);
        let bytes = read_to_end(body, MAX_RESULT_BYTES, timeout).await;
        let bytes = Bytes::from(bytes.map_err(|_| StatusCode::BAD_GATEWAY)?);
        serde_json::from_slice::<Box<RawValue>>(&bytes)
            .map(|value| (Arc::from(value), served.freshness))
            .map_err(|_| UpstreamError::InvalidResponse.status())
    }
}
