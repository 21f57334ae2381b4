//! Streams last much longer than other responses: event streams, and connections of another
//! protocol (RFC 9110, section 7.8; RFC 8441). They end with the connection of their request.

use std::pin::Pin;
use std::sync::Arc;

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};

/// The media type of server-sent events.
pub const EVENT_STREAM: &str = "text/event-stream";

/// The connection of a request that asks for a stream, in the extensions of its head.
#[derive(Clone)]
pub struct StreamConnection(pub Arc<dyn Connection>);

/// What a stream needs of its connection.
pub trait Connection: Send + Sync {
    /// Runs what follows a switch of the protocol, in the task of the connection.
    fn run(&self, tunnel: Pin<Box<dyn Future<Output = ()> + Send>>);

    /// Waits until the connection must end, because the gateway stops or at its maximum age.
    fn ending(&self) -> Ending;
}

/// The time at which a connection must end.
pub type Ending = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

/// Returns whether a client asks for server-sent events. Browsers then accept nothing else.
pub fn accepts_events(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).map(HeaderValue::as_bytes);
    accept.is_some_and(|value| value.starts_with(EVENT_STREAM.as_bytes()))
}
