//! The protocol of a connection, and what serves it.

use std::pin::Pin;

use hyper_util::server::graceful::GracefulConnection;

/// The protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// HTTP/1.0 or HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
}

/// A connection that serves requests until it is closed.
pub(crate) trait ServedConnection: Future<Output = hyper::Result<()>> {
    /// Announces that it will be closed after its requests in flight.
    fn shut_down_gracefully(self: Pin<&mut Self>);
}

impl<C: GracefulConnection<Error = hyper::Error>> ServedConnection for C {
    fn shut_down_gracefully(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}
