//! A response with server-sent events: its limits, and its end.
//!
//! It ends as if the upstream had ended it: browsers then connect again.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use colonnade_clock::poll;
use colonnade_config::Upstream;
use colonnade_web::stream::{Ending, StreamConnection};
use tokio::time::{Instant, Sleep};

use crate::call_state::CallState;
use crate::stream::StreamEnd;
use crate::streams::OpenStream;

/// A response with server-sent events.
pub(crate) struct EventStream {
    stream: OpenStream,
    idle_timeout: Duration,
    ends_at: Instant,
    /// The end of its client's connection.
    ending: Ending,
}

impl EventStream {
    /// The stream begins, to this connection of its client.
    pub(crate) fn new(stream: OpenStream, settings: &Upstream, connection: &StreamConnection) -> Self {
        Self {
            stream,
            idle_timeout: settings.stream_idle_timeout,
            ends_at: poll::now() + settings.stream_total_timeout,
            ending: connection.0.ending(),
        }
    }

    /// The upstream has sent something.
    pub(crate) fn extend(&self, state: &CallState) {
        state.set_deadline(self.ends_at.min(poll::now() + self.idle_timeout));
    }

    /// Returns whether the stream must end; otherwise wakes the task when it must.
    pub(crate) fn poll_ended(
        &mut self,
        state: &CallState,
        timer: &mut Option<Pin<Box<Sleep>>>,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if self.ending.as_mut().poll(cx).is_ready() {
            self.stream.end(StreamEnd::GoingAway);
        } else if !state.poll_expired(timer, cx) {
            return Poll::Pending;
        } else if poll::refresh() >= self.ends_at {
            self.stream.end(StreamEnd::TotalTimeout);
        } else {
            self.stream.end(StreamEnd::IdleTimeout);
        }
        Poll::Ready(())
    }

    /// The upstream has closed it.
    pub(crate) fn close(&mut self) {
        self.stream.end(StreamEnd::UpstreamClosed);
    }
}
