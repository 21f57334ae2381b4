//! The streams of a connection, which run in the task of the connection.
//!
//! hyper gives each stream to an executor. In a task of its own, a stream would be scheduled once
//! itself, and then the connection again for each response, which would be written alone. So a
//! connection uses one core. A response takes microseconds of it: what takes longer runs in render
//! workers or on threads for blocking work.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use hyper_util::server::graceful::GracefulConnection;

use crate::new_streams::{NewStreams, Stream};
use crate::protocol::ServedConnection;
use crate::state::ConnectionState;

/// A connection with its streams. They end with it.
pub(crate) struct WithStreams<C> {
    connection: C,
    new: NewStreams,
    streams: FuturesUnordered<Stream>,
    state: ConnectionState,
}

impl<C> WithStreams<C> {
    /// A connection that gives its streams to the executor of `new`.
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
        self.streams.extend(self.new.take());
        let before = self.streams.len();
        while let Poll::Ready(Some(())) = self.streams.poll_next_unpin(cx) {}
        before - self.streams.len()
    }
}

impl<C: GracefulConnection + Unpin> WithStreams<C> {
    /// Encodes and sends the responses of streams that have ended.
    fn poll_responses(&mut self, cx: &mut Context<'_>, count: usize) -> Poll<C::Output> {
        if count > 1 {
            self.state.write_hold().begin();
        }
        let connection = Pin::new(&mut self.connection).poll(cx);
        if self.state.write_hold().end() && connection.is_pending() {
            return Pin::new(&mut self.connection).poll(cx);
        }
        connection
    }
}

impl<C: GracefulConnection + Unpin> Future for WithStreams<C> {
    type Output = C::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut connection = Pin::new(&mut this.connection).poll(cx);
        let responses = this.poll_streams(cx);
        if connection.is_pending() && responses > 0 {
            connection = this.poll_responses(cx, responses);
            // The next poll serves the requests that arrived meanwhile, after other connections.
            if !this.new.is_empty() {
                cx.waker().wake_by_ref();
            }
        }
        connection
    }
}

impl<C: GracefulConnection<Error = hyper::Error> + Unpin> ServedConnection for WithStreams<C> {
    fn shut_down_gracefully(mut self: Pin<&mut Self>) {
        Pin::new(&mut self.connection).graceful_shutdown();
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::Arc;
    use std::task::{Context, Waker};

    use hyper::rt::Executor as _;

    use super::{NewStreams, WithStreams};
    use crate::Limits;
    use crate::state::ConnectionState;

    fn streams(new: NewStreams) -> WithStreams<()> {
        WithStreams::new((), new, ConnectionState::new(Limits::default()))
    }

    #[tokio::test]
    async fn panic_of_a_stream_ends_no_other_stream() {
        let new = NewStreams::default();
        new.executor().execute(async { panic!("a stream") });
        new.executor().execute(ready(()));
        let mut streams = streams(new);
        let ended = streams.poll_streams(&mut Context::from_waker(Waker::noop()));
        assert_eq!(ended, 2);
    }

    #[tokio::test]
    async fn streams_are_freed_with_their_connection() {
        let (new, used) = (NewStreams::default(), Arc::new(()));
        // As hyper does: each stream owns the executor.
        let owned = (new.executor(), Arc::clone(&used));
        new.executor().execute(async move {
            let _owned = owned;
            pending::<()>().await;
        });
        drop(streams(new));
        assert_eq!(Arc::strong_count(&used), 1);
    }
}
