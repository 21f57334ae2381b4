//! The streams of a connection, which run in the task of the connection.
//!
//! hyper gives each stream to an executor. In a task of its own, each would be scheduled twice, and a connection would write
//! the responses of requests that arrived together one by one.

use std::mem::take;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use hyper::rt::Executor;
use hyper_util::server::graceful::GracefulConnection;
use parking_lot::Mutex;

use crate::connection::{ConnectionState, ServedConnection};

type Stream = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Keeps new streams for [`WithStreams`].
#[derive(Clone, Default)]
pub(crate) struct NewStreams(Arc<Mutex<Vec<Stream>>>);

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for NewStreams {
    fn execute(&self, stream: F) {
        self.0.lock().push(Box::pin(stream));
    }
}

/// A connection with its streams. They end with it.
pub(crate) struct WithStreams<C> {
    connection: C,
    new: NewStreams,
    streams: FuturesUnordered<Stream>,
    state: ConnectionState,
}

impl<C> WithStreams<C> {
    /// A connection that gives its streams to `new`.
    pub(crate) fn new(connection: C, new: NewStreams, state: ConnectionState) -> Self {
        Self {
            connection,
            new,
            streams: FuturesUnordered::new(),
            state,
        }
    }

    /// Polls the streams. Returns how many have ended.
    fn poll_streams(&mut self, cx: &mut Context<'_>) -> usize {
        self.streams.extend(take(&mut *self.new.0.lock()));
        let before = self.streams.len();
        while let Poll::Ready(Some(())) = self.streams.poll_next_unpin(cx) {}
        before - self.streams.len()
    }
}

impl<C: GracefulConnection + Unpin> Future for WithStreams<C> {
    type Output = C::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut connection = Pin::new(&mut this.connection).poll(cx);
        while connection.is_pending() {
            let responses = this.poll_streams(cx);
            if responses == 0 {
                break;
            }
            if responses > 1 {
                this.state.write_hold().begin();
            }
            // Sends the responses, and accepts further requests.
            connection = Pin::new(&mut this.connection).poll(cx);
        }
        if this.state.write_hold().end() && connection.is_pending() {
            return Pin::new(&mut this.connection).poll(cx);
        }
        connection
    }
}

impl<C: GracefulConnection<Error = hyper::Error> + Unpin> ServedConnection for WithStreams<C> {
    fn shut_down_gracefully(mut self: Pin<&mut Self>) {
        Pin::new(&mut self.connection).graceful_shutdown();
    }
}
