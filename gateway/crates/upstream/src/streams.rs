//! Streams: WebSockets, and responses with server-sent events. They last much longer than requests,
//! so that they have permits and limits of their own.

use std::time::Duration;

use colonnade_admission::Limits;
use colonnade_web::client::ClientKey;

use crate::error::UpstreamError;
use crate::metrics::StreamMetrics;
use crate::stream::{StreamEnd, StreamKind};
use crate::upstream::{CallPermit, Upstream};

/// A stream, which is open until it is dropped.
pub(crate) struct OpenStream {
    #[expect(dead_code, reason = "it is released on drop")]
    permit: CallPermit,
    metrics: StreamMetrics,
    end: StreamEnd,
}

impl OpenStream {
    /// Ends it for another reason than that its client has left.
    pub(crate) fn end(&mut self, end: StreamEnd) {
        self.end = end;
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.metrics.closed(self.end);
    }
}

impl Upstream {
    /// Takes a permit for a stream of this client, if it is known.
    pub(crate) async fn open_stream(
        &self,
        kind: StreamKind,
        client: Option<ClientKey>,
    ) -> Result<OpenStream, UpstreamError> {
        let total = self.settings.max_streams;
        let limits = Limits {
            total,
            per_client: self.settings.max_streams_per_client(),
            per_network: total / 2,
            max_wait: Duration::ZERO,
            max_waiting: 0,
        };
        let permit = self.streams.acquire(client, None, limits).await;
        Ok(OpenStream {
            permit: permit?,
            metrics: self.metrics.open_stream(kind),
            end: StreamEnd::ClientClosed,
        })
    }
}
