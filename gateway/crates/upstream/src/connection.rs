//! One HTTP/1.1 connection to an endpoint.
//!
//! It has no task of its own. The task that sends a request drives the connection until the end of the response. Only if the
//! response begins before the end of the request, the connection gets a task of its own for what is left of both. See
//! `docs/decisions/0003-two-http-clients.md`.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::task::{JoinSet, unconstrained};
use tokio::time::{Instant, timeout};

use crate::client::Client;
use crate::observed_stream::{ObservedStream, Received};
use crate::request_body::OutgoingBody;

/// The maximum size of a response's head in bytes. It also bounds what is buffered of a body.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// How long the rest of a request is sent after its response has ended.
const MAX_LINGER: Duration = Duration::from_secs(5);

/// TCP, or TLS over it.
pub(crate) type Stream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: SendRequest<OutgoingBody>,
    /// `None` once the connection is closed.
    driver: Option<Driver>,
    opened_at: Instant,
    received: Received,
}

/// Reads and writes.
type Driver = http1::Connection<TokioIo<ObservedStream<TokioIo<Stream>>>, OutgoingBody>;

impl Connection {
    /// Creates the connection over a stream that has just been opened.
    pub(crate) async fn new(stream: Stream) -> hyper::Result<Self> {
        let mut http1 = http1::Builder::new();
        // hyper itself limits the number of header fields to 100. If told so, it parses heads more slowly.
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
            opened_at: Instant::now(),
            received,
        })
    }

    /// Returns whether the connection can send a request: the endpoint has not closed it, and has sent nothing that belongs to no
    /// response.
    pub(crate) fn is_idle(&mut self) -> bool {
        self.drive(&mut never_woken());
        self.was_idle()
    }

    /// Returns whether the connection was idle when it was last driven.
    fn was_idle(&self) -> bool {
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

    /// Sends a request. The error contains it if no byte of it was sent. hyper checks an idle connection for its end, and for
    /// unexpected bytes, before it writes.
    pub(crate) fn send(
        &mut self,
        request: Request<OutgoingBody>,
    ) -> impl Future<Output = Result<Response<Incoming>, TrySendError<Request<OutgoingBody>>>> {
        self.received.reset();
        // Outside of the future, so that the request is not copied with it.
        let response = self.sender.try_send_request(request);
        async move {
            // Polled without a waker, so it must not wait for the task's cooperative budget.
            let mut response = pin!(unconstrained(response));
            let mut was_polled = false;
            let response = poll_fn(|cx| {
                if was_polled {
                    // First without a waker: what has already arrived, such as the body with its head, must not wake this task again.
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

    /// Reads and writes what it can. Wakes the task when it can do more.
    fn drive(&mut self, cx: &mut Context<'_>) {
        if let Some(driver) = &mut self.driver
            && Pin::new(driver).poll(cx).is_ready()
        {
            // Its error is also that of the request or the body.
            self.driver = None;
        }
    }
}

/// The body of a response, which drives its connection. At the end of the response, the connection goes back to the pool.
#[derive(Debug)]
pub(crate) struct ConnectionBody {
    incoming: Incoming,
    /// Whether it was read to its end.
    has_ended: bool,
    /// `None` once it is dropped, or has a task of its own.
    connection: Option<Box<Connection>>,
    /// The task of the connection, if it has one. Dropping it closes the connection.
    task: Option<JoinSet<()>>,
    /// Has the pool. `None` if the connection is not used again.
    client: Option<Arc<Client>>,
}

impl ConnectionBody {
    /// The connection goes back to the pool of `client`, if there is one.
    pub(crate) fn new(incoming: Incoming, connection: Box<Connection>, client: Option<Arc<Client>>) -> Self {
        Self {
            incoming,
            has_ended: false,
            connection: Some(connection),
            task: None,
            client,
        }
    }

    /// Closes the connection instead of using it again.
    pub(crate) fn close(mut self) {
        self.client = None;
    }

    /// Drives the connection in a task of its own, so that the rest of the request is sent even while nobody reads the response:
    /// some clients read nothing before they have sent everything. What is buffered of both stays bounded. The connection is not
    /// used again. If the response ends first, the upstream gets what arrives of the request within [`MAX_LINGER`].
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
        if let Some(client) = &self.client
            && let Some(mut connection) = self.connection.take()
            && (connection.was_idle() || connection.is_idle())
        {
            client.keep_idle(connection);
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

/// The context to poll what makes progress only while the connection is driven: what arrives for it wakes the task.
fn never_woken() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Arc;
    use std::time::Duration;

    use http::{Request, StatusCode};
    use hyper_rustls::MaybeHttpsStream;
    use hyper_util::rt::TokioIo;
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::coop::consume_budget;
    use tokio::task::yield_now;
    use tokio::time::timeout;
    use tokio::{join, spawn};

    use super::Connection;
    use crate::client::{Client, tls_config};
    use crate::request_body::OutgoingBody;

    /// An endpoint, and the client of it.
    struct Endpoint {
        listener: TcpListener,
        client: Arc<Client>,
    }

    impl Endpoint {
        async fn new() -> Self {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
            let listener = listener.expect("a port");
            let url = format!("http://{}/", listener.local_addr().expect("an address"));
            let settings = json!({ "path": "/api/test", "urls": [url] });
            let settings = serde_json::from_value(settings).expect("settings");
            let tls = tls_config("test", &settings).expect("no certificates");
            let client = Client::new(&settings, tls, url.parse().expect("a URI"));
            Self {
                listener,
                client: Arc::new(client),
            }
        }

        /// An idle connection, and the endpoint's side of it.
        async fn connect(&self) -> (Connection, TcpStream) {
            let address = self.listener.local_addr().expect("an address");
            let stream = TcpStream::connect(address).await.expect("a connection");
            let stream = MaybeHttpsStream::Http(TokioIo::new(stream));
            let mut connection = Connection::new(stream).await.expect("a connection");
            assert!(connection.is_idle());
            let (accepted, _) = self.listener.accept().await.expect("the connection");
            (connection, accepted)
        }

        /// Responds to a request on a new connection.
        fn respond(self) {
            spawn(async move {
                let (mut stream, _) = self.listener.accept().await.expect("a new connection");
                stream.read_exact(&mut [0; 18]).await.expect("the request");
                let response = b"HTTP/1.1 204 No Content\r\n\r\n";
                stream.write_all(response).await.expect("room");
            });
        }
    }

    #[tokio::test]
    async fn unsent_request_is_sent_again_on_a_new_connection() {
        let endpoint = Endpoint::new().await;
        let client = Arc::clone(&endpoint.client);
        let (mut idle, _idle) = endpoint.connect().await;
        let (mut other, _other) = endpoint.connect().await;
        // The idle connection does not see its end, as if the endpoint closed it just before the first byte.
        std::mem::swap(&mut idle.driver, &mut other.driver);
        client.keep_idle(Box::new(idle));
        endpoint.respond();
        let (response, ()) = join!(client.send(Request::new(OutgoingBody::Empty), true), async {
            other.driver = None;
            yield_now().await;
        });
        assert_eq!(response.expect("a response").status(), StatusCode::NO_CONTENT);
    }

    #[tokio::test]
    async fn request_is_sent_after_many_closed_connections() {
        // More than the cooperative budget of a task, which ends at one of two operations.
        for operations in 0..2 {
            let endpoint = Endpoint::new().await;
            let client = Arc::clone(&endpoint.client);
            for _ in 0..100 {
                let (idle, closed) = endpoint.connect().await;
                client.keep_idle(Box::new(idle));
                drop(closed);
            }
            endpoint.respond();
            let request = spawn(async move {
                // Until the runtime has seen the ends of the connections.
                yield_now().await;
                for _ in 0..operations {
                    consume_budget().await;
                }
                client.send(Request::new(OutgoingBody::Empty), true).await
            });
            let response = timeout(Duration::from_secs(30), request).await;
            let response = response.expect("a response in time").expect("no panic");
            assert_eq!(response.expect("a response").status(), StatusCode::NO_CONTENT);
        }
    }
}
