//! Logs connections that were closed because of their client.
//!
//! Most of them had no request, so no other log event mentions them. The log leaves out events that
//! are too frequent; the metric `connections_closed_total` counts all connections.

use std::error::Error as _;
use std::net::IpAddr;

use crate::metrics::CloseReason;

/// Logs the closed connections of a listener.
pub(crate) struct CloseLog {
    listener: &'static str,
    log_client_ip: bool,
}

impl CloseLog {
    /// Creates the log of a listener. Events contain the client's IP address if `log_client_ip` is
    /// true.
    pub(crate) fn new(listener: &'static str, log_client_ip: bool) -> Self {
        Self {
            listener,
            log_client_ip,
        }
    }

    /// Logs a closed connection.
    pub(super) fn log(&self, reason: CloseReason, client: IpAddr) {
        tracing::info!(
            event = "connection_closed",
            listener = self.listener,
            cause = reason.name(),
            client_ip = self.log_client_ip.then(|| tracing::field::display(client)),
        );
    }
}

/// Returns the client's fault behind an error of hyper, if any. A client that disconnects is not at
/// fault.
pub(super) fn client_fault(error: &hyper::Error) -> Option<CloseReason> {
    if error.is_parse() {
        return Some(CloseReason::ProtocolError);
    }
    let error = error.source()?.downcast_ref::<h2::Error>()?;
    match error.reason()? {
        _ if error.is_remote() => None,
        h2::Reason::NO_ERROR => None,
        // From the limits of h2 itself: CONTINUATION frames, and streams that it had to reset.
        h2::Reason::ENHANCE_YOUR_CALM => Some(CloseReason::ControlFrameFlood),
        _ => Some(CloseReason::ProtocolError),
    }
}
