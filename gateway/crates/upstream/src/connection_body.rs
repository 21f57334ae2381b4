//! The body of a response, which drives its connection.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::connection::{Connection, never_woken};
use crate::connection_pool::ConnectionPool;

/// How long the rest of a request is sent after its response has ended.
const MAX_LINGER: Duration = Duration::from_secs(5);

/// The body of a response, which drives its connection. At the end of the response, the connection
/// goes back to the pool.
#[derive(Debug)]
pub(crate) struct ConnectionBody {
    incoming: Incoming,
    /// Whether it was read to its end.
    has_ended: bool,
    /// `None` once it is dropped, or has a task of its own.
    connection: Option<Box<Connection>>,
    /// The task of the connection, if it has one. Dropping it closes the connection.
    task: Option<JoinSet<()>>,
    /// `None` if the connection is not used again.
    pool: Option<Arc<ConnectionPool>>,
}

impl ConnectionBody {
    /// The connection goes back to `pool`, if there is one.
    pub(crate) fn new(
        incoming: Incoming,
        connection: Box<Connection>,
        pool: Option<Arc<ConnectionPool>>,
    ) -> Self {
        Self {
            incoming,
            has_ended: false,
            connection: Some(connection),
            task: None,
            pool,
        }
    }

    /// Closes the connection instead of using it again.
    pub(crate) fn close(mut self) {
        self.pool = None;
    }

    /// Takes the connection, which is not used again.
    pub(crate) fn into_connection(mut self) -> Option<Box<Connection>> {
        self.connection.take()
    }

    /// Drives the connection in a task of its own, so that the rest of the request is sent even
    /// while the response is not read: some clients read nothing before they have sent everything.
    /// What is buffered of both stays bounded. The connection is not used again. If the response
    /// ends first, the upstream gets what arrives of the request within [`MAX_LINGER`].
    pub(crate) fn drive_in_task(&mut self) {
        let driver = self.connection.take().and_then(|connection| connection.driver);
        self.task = driver.map(|driver| {
            let mut task = JoinSet::new();
            task.spawn(async move {
                // Its error is also that of the body.
                let _ = driver.await;
            });
            task
        });
    }
}

impl Body for ConnectionBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let this = self.get_mut();
        let mut incoming = Pin::new(&mut this.incoming);
        let frame = match &mut this.connection {
            None => incoming.as_mut().poll_frame(cx),
            Some(connection) => match incoming.as_mut().poll_frame(&mut never_woken()) {
                Poll::Pending => {
                    connection.drive(cx);
                    incoming.as_mut().poll_frame(&mut never_woken())
                }
                ready @ Poll::Ready(_) => ready,
            },
        };
        this.has_ended |= matches!(frame, Poll::Ready(None));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Drop for ConnectionBody {
    fn drop(&mut self) {
        // A connection that has not received all of the response is not idle.
        if let Some(pool) = &self.pool
            && let Some(mut connection) = self.connection.take()
            && (connection.was_idle() || connection.is_idle())
        {
            pool.keep(connection);
        }
        // The rest of the request.
        if (self.has_ended || self.incoming.is_end_stream())
            && let Some(mut task) = self.task.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(timeout(MAX_LINGER, async move { task.join_next().await }));
        }
    }
}
