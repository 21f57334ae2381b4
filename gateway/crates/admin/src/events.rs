//! `GET /api/v1/events`: server-sent events that say when to read again.
//!
//! An event has numbers only. A client compares them with those of the event before, and reads what
//! has changed by the other calls. So a lost event costs nothing, and the permissions of each call
//! apply.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

use colonnade_diagnostics::current_minute;
use colonnade_web::body::ResponseBody;
use colonnade_web::health::Lifecycle;
use colonnade_web::request_scope;
use colonnade_web::response::{Response, response};

use super::routes::Call;
use super::session::Session;
use super::{Admin, AdminError};

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// The maximum number of open streams, in total and for each token.
pub(crate) const MAX_STREAMS: usize = 64;
pub(crate) const MAX_STREAMS_PER_TOKEN: usize = 16;

/// The longest time without an event. A client that receives nothing for several of these has lost
/// the stream.
const PERIOD: Duration = Duration::from_secs(5);

/// How long a stream lasts. The client then opens a new one.
const LIFETIME: Duration = Duration::from_mins(30);

/// How many events may wait for a client that does not read. Then the stream ends.
const MAX_WAITING: usize = 16;

/// What an event contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct State {
    /// The revision of the live state.
    revision: u64,
    /// The newest entry of the section log.
    entry: u64,
    /// The current minute of the traffic.
    minute: u64,
}

/// Learn when to read again
///
/// Server-sent events named `state`. Their data is a JSON object with the revision of the live
/// state (`revision`), the newest entry of the section log (`entry`) and the current minute of the
/// traffic (`minute`). There is one for each change, and at least one every 5 seconds. The stream
/// ends with the session, when the gateway stops, and after half an hour. At most 64 streams are
/// open, 16 of each token.
#[utoipa::path(
    get, path = "/api/v1/events", tag = "console", operation_id = "streamEvents",
    responses(
        (status = 200, body = String, content_type = "text/event-stream", description = "The events."),
        (status = 503, description = "Too many streams are open, or the gateway shuts down."),
    ),
)]
pub(super) fn stream(admin: &Arc<Admin>, call: &Call<'_>) -> Result<Response, AdminError> {
    if *admin.shutdown.0.borrow() != Lifecycle::Running {
        return Err(AdminError::ShuttingDown);
    }
    let (token, session) = (call.caller.token.hash, call.caller.session);
    let permit = admin
        .streams
        .try_acquire(token)
        .ok_or(AdminError::TooManyStreams)?;
    let (events, stream) = mpsc::channel(MAX_WAITING);
    let sender = Arc::clone(admin);
    request_scope::spawn(async move {
        sender.send_events(events, token, session).await;
        drop(permit);
    });
    let mut response = response(StatusCode::OK, EVENT_STREAM, Bytes::new());
    *response.body_mut() = ResponseBody::streamed(stream);
    Ok(response)
}

impl Admin {
    /// Sends an event for each change, and one for each period, until the client leaves, the
    /// session ends or the gateway stops.
    async fn send_events(&self, events: mpsc::Sender<Bytes>, token: [u8; 32], session: Option<Session>) {
        let mut entry = self.deployments.diagnostics().log.last_id();
        let mut shutdown = self.shutdown.clone();
        let limits = self.settings.load().limits;
        // Over HTTP/2 the minimum data rate applies to an open response.
        let padding = format!(": {:.<1$}\n\n", "", limits.min_rate_bytes.try_into().unwrap_or(0));
        let period = PERIOD
            .min(limits.min_rate_window / 3)
            .max(Duration::from_millis(100));
        let mut periods = interval(period);
        periods.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let end = tokio::time::sleep(LIFETIME);
        tokio::pin!(end);
        loop {
            let is_change = tokio::select! {
                biased;
                _ = shutdown.stopping() => return,
                () = events.closed() => return,
                () = &mut end => return,
                changed = entry.changed() => changed.is_ok(),
                _ = periods.tick() => false,
            };
            if !self.is_authorized(token, session.as_ref()) {
                return;
            }
            let state = State {
                revision: self.deployments.current().revision(),
                entry: *entry.borrow_and_update(),
                minute: current_minute(),
            };
            let data = serde_json::to_string(&state).unwrap_or_default();
            let padding = if is_change { "" } else { padding.as_str() };
            let event = format!("retry: 2000\nevent: state\ndata: {data}\n\n{padding}");
            // A client that does not read loses the stream, not the memory of the gateway.
            if events.try_send(event.into()).is_err() {
                return;
            }
        }
    }
}
