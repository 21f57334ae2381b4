//! An HTTP/1 connection with the tunnel that follows a switch of its protocol.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::new_streams::{NewStreams, Stream};
use crate::protocol::ServedConnection;

/// A connection. The tunnel runs in its task, with its deadlines, once hyper has given up the
/// socket.
pub(crate) struct WithTunnel<C> {
    connection: C,
    /// hyper has no trait for it.
    shut_down: fn(Pin<&mut C>),
    new: NewStreams,
    tunnel: Option<Stream>,
}

impl<C> WithTunnel<C> {
    /// A connection whose requests give their tunnel to the executor of `new`.
    pub(crate) fn new(connection: C, shut_down: fn(Pin<&mut C>), new: NewStreams) -> Self {
        Self {
            connection,
            shut_down,
            new,
            tunnel: None,
        }
    }
}

impl<C: Future<Output = hyper::Result<()>> + Unpin> Future for WithTunnel<C> {
    type Output = hyper::Result<()>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<hyper::Result<()>> {
        let this = &mut *self;
        if this.tunnel.is_none() {
            ready!(Pin::new(&mut this.connection).poll(cx))?;
            this.tunnel = this.new.take().pop();
        }
        match &mut this.tunnel {
            Some(tunnel) => tunnel.as_mut().poll(cx).map(Ok),
            None => Poll::Ready(Ok(())),
        }
    }
}

impl<C: Future<Output = hyper::Result<()>> + Unpin> ServedConnection for WithTunnel<C> {
    fn shut_down_gracefully(mut self: Pin<&mut Self>) {
        let shut_down = self.shut_down;
        shut_down(Pin::new(&mut self.connection));
    }
}
