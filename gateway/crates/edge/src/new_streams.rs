//! Streams that run in the task of their connection.

use std::future::poll_fn;
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Weak};
use std::task::Poll;

use hyper::rt::Executor;
use parking_lot::Mutex;

/// A request of an HTTP/2 connection, or what follows a switch of the protocol.
pub(crate) type Stream = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Streams that have not been polled.
#[derive(Default)]
pub(crate) struct NewStreams(Arc<Mutex<Vec<Stream>>>);

/// Adds streams to [`NewStreams`]. Weak, because each stream owns a copy.
#[derive(Clone)]
pub(crate) struct StreamExecutor(Weak<Mutex<Vec<Stream>>>);

impl NewStreams {
    /// The executor for hyper, and for what follows a switch of the protocol.
    pub(crate) fn executor(&self) -> StreamExecutor {
        StreamExecutor(Arc::downgrade(&self.0))
    }

    /// Takes all new streams.
    pub(crate) fn take(&self) -> Vec<Stream> {
        take(&mut *self.0.lock())
    }

    /// Returns whether no new stream waits to be taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for StreamExecutor {
    fn execute(&self, stream: F) {
        let stream = async move {
            let mut stream = pin!(stream);
            // A panic resets this stream, and no other one.
            poll_fn(|cx| {
                let polled = catch_unwind(AssertUnwindSafe(|| stream.as_mut().poll(cx)));
                polled.unwrap_or(Poll::Ready(()))
            })
            .await;
        };
        // A connection that has ended accepts no streams.
        if let Some(new) = self.0.upgrade() {
            new.lock().push(Box::pin(stream));
        }
    }
}
