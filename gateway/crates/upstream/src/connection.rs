//! One HTTP/1.1 connection to an endpoint.
//!
//! It has no task of its own. The task that sends a request drives the connection until the end of
//! the response. Only if the response begins before the end of the request, the connection gets a
//! task of its own for what is left of both. See `docs/decisions/0003-two-http-clients.md`.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::header::UPGRADE;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::unconstrained;
use tokio::time::Instant;

use crate::observed_stream::{ObservedStream, Received};
use crate::request_body::OutgoingBody;

/// The maximum size of a response's head in bytes. It also bounds what is buffered of a body.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// TCP, or TLS over it.
pub(crate) type Stream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: SendRequest<OutgoingBody>,
    /// `None` once the connection is closed.
    pub(crate) driver: Option<Driver>,
    /// Whether the last request may switch the protocol.
    may_switch: bool,
    /// The stream after the switch, and what was received of it.
    switched: Option<(Switched, Bytes)>,
    opened_at: Instant,
    received: Received,
}

/// The future that drives the connection's I/O.
pub(crate) type Driver = http1::Connection<TokioIo<Switched>, OutgoingBody>;

/// What is left of a connection that has switched to another protocol.
pub(crate) type Switched = ObservedStream<TokioIo<Stream>>;

impl Connection {
    /// Creates the connection over a stream that has just been opened.
    pub(crate) async fn new(stream: Stream) -> hyper::Result<Self> {
        let mut http1 = http1::Builder::new();
        // hyper itself limits the number of header fields to 100. If told so, it parses heads more
        // slowly.
        http1.max_buf_size(MAX_HEAD_BYTES);
        let received = Received::default();
        let stream = ObservedStream {
            stream: TokioIo::new(stream),
            received: received.clone(),
        };
        let (sender, driver) = http1.handshake(TokioIo::new(stream)).await?;
        Ok(Self {
            sender,
            driver: Some(driver),
            may_switch: false,
            switched: None,
            opened_at: Instant::now(),
            received,
        })
    }

    /// Returns whether the connection can send a request: the endpoint has not closed it, and has
    /// sent nothing that belongs to no response.
    pub(crate) fn is_idle(&mut self) -> bool {
        self.drive(&mut never_woken());
        self.was_idle()
    }

    /// Returns whether the connection was idle when it was last driven.
    pub(crate) fn was_idle(&self) -> bool {
        self.driver.is_some() && self.sender.is_ready()
    }

    /// When it was opened.
    pub(crate) fn opened_at(&self) -> Instant {
        self.opened_at
    }

    /// Returns whether anything of a response to the last request was received.
    pub(crate) fn has_received(&self) -> bool {
        self.received.get()
    }

    /// Sends a request. The error contains it if no byte of it was sent. hyper checks an idle
    /// connection for its end, and for unexpected bytes, before it writes.
    pub(crate) fn send(
        &mut self,
        request: Request<OutgoingBody>,
    ) -> impl Future<Output = Result<Response<Incoming>, TrySendError<Request<OutgoingBody>>>> {
        self.received.reset();
        self.may_switch = request.headers().contains_key(UPGRADE);
        // Outside of the future, so that the request is not copied with it.
        let response = self.sender.try_send_request(request);
        async move {
            // Polled without a waker, so it must not wait for the task's cooperative budget.
            let mut response = pin!(unconstrained(response));
            let mut was_polled = false;
            let response = poll_fn(|cx| {
                if was_polled {
                    // First without a waker: what has already arrived, such as the body with its
                    // head, must not wake this task again.
                    self.drive(&mut never_woken());
                    if let Poll::Ready(response) = response.as_mut().poll(&mut never_woken()) {
                        return Poll::Ready(response);
                    }
                }
                was_polled = true;
                self.drive(cx);
                response.as_mut().poll(&mut never_woken())
            });
            response.await
        }
    }

    /// Returns the stream after a response that switches the protocol, and what was received of it.
    pub(crate) async fn switch(mut self) -> Option<(Switched, Bytes)> {
        poll_fn(|cx| {
            self.drive(cx);
            if self.driver.is_none() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        self.switched
    }

    /// Reads and writes what it can. Wakes the task when it can do more.
    pub(crate) fn drive(&mut self, cx: &mut Context<'_>) {
        if let Some(driver) = &mut self.driver
            && Pin::new(driver).poll(cx).is_ready()
        {
            // Its error is also that of the request or the body.
            let driver = self.driver.take().filter(|_| self.may_switch);
            let parts = driver.map(Driver::into_parts);
            self.switched = parts.map(|parts| (parts.io.into_inner(), parts.read_buf));
        }
    }
}

/// The context to poll what makes progress only while the connection is driven: what arrives for it
/// wakes the task.
pub(crate) fn never_woken() -> Context<'static> {
    Context::from_waker(Waker::noop())
}
