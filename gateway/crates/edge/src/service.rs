//! The service of a listener.

use std::error::Error;

use bytes::Bytes;
use colonnade_admission::{Waiter, Yield};
use colonnade_web::body::RequestBody;
use colonnade_web::request::Head;
use http::Response;
use http_body::Body;

use crate::state::ConnectionState;

/// What a listener runs for each request.
pub trait HttpService: Send + Sync + 'static {
    /// The body of its responses.
    type Body: Body<Data = Bytes, Error: Error + Send + Sync> + Send + Unpin + 'static;

    /// Responds to a request. Its `connection` may be closed in favor of other clients; `None` if
    /// several clients share it.
    fn respond(
        &self,
        head: &Head,
        body: RequestBody,
        connection: Option<ConnectionHandle>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

/// A handle to the connection of a request.
#[derive(Debug, Clone)]
pub struct ConnectionHandle(pub(crate) ConnectionState);

/// A request yields by closing its connection, if it waits for its client.
impl Yield for ConnectionHandle {
    fn yield_to(&self, waiter: Waiter) -> bool {
        self.0.yield_requests(waiter)
    }
}
