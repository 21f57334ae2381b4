//! `GET /api/v1/events`: the events of the site and of this gateway, as they happen.
//!
//! A client that was away resumes after the last event that it got, so that it misses none of the
//! newest ones in the store.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};

use colonnade_config::Action;
use colonnade_model::event::{Event, EventType, Position};
use colonnade_web::body::ResponseBody;
use colonnade_web::health::Lifecycle;
use colonnade_web::request_scope;
use colonnade_web::response::{Response, response};

use crate::access::Credential;
use crate::operation::Call;
use crate::sessions::Session;
use crate::{Admin, AdminError};

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// The position that a client resumes after (WHATWG HTML, section 9.2).
const LAST_EVENT_ID: &str = "last-event-id";

/// The longest time without an event. A client that receives nothing for several of these has lost
/// the stream.
const PERIOD: Duration = Duration::from_secs(5);

/// How long a stream lasts. The client then opens a new one.
const LIFETIME: Duration = Duration::from_mins(30);

/// How many events may wait for a client that does not read. Then the stream ends.
const MAX_WAITING: usize = 16;

/// How many events are read at a time for a client that resumes.
const PAGE: usize = 100;

/// How many changes, and how many other calls, a client that resumes gets at most.
const MAX_MISSED: u64 = 500;

/// A stream that is open.
struct EventSender {
    admin: Arc<Admin>,
    client: mpsc::Sender<Bytes>,
    events: broadcast::Receiver<Arc<Event>>,
    credential: Credential,
    session: Option<Session>,
    /// The last event of the store that was sent, or that came before.
    sent: Position,
    padding: String,
    periods: Interval,
}

/// The stream ends.
struct Ended;

/// Follow the events
///
/// Server-sent events without a name, whose data is an event as JSON, and events named `ping`, at
/// least one every 5 seconds. With the `id` of one in `Last-Event-ID` the stream begins after
/// it, with the newest 500 changes and 500 other calls at most; the audit log has all. Events of
/// the type `admin.request` need a token that permits `audit` on `*`. The stream ends
/// with the session, when the gateway stops, after half an hour, and if the client reads too
/// slowly. At most 64 streams are open, 16 of each token.
#[utoipa::path(
    get, path = "/api/v1/events", tag = "console", operation_id = "streamEvents",
    params(("last-event-id" = Option<String>, Header, pattern = "^[0-9]{1,15}-[0-9]{1,15}$",
        description = "The `id` of a server-sent event: the stream begins after it.")),
    responses(
        (status = 200, body = String, content_type = "text/event-stream", description = "The events."),
        (status = 503, description = "Too many streams are open, or the gateway shuts down."),
    ),
)]
pub(super) fn stream(admin: &Arc<Admin>, call: &Call<'_>) -> Result<Response, AdminError> {
    if *admin.shutdown.0.borrow() != Lifecycle::Running {
        return Err(AdminError::ShuttingDown);
    }
    let after = last_event_id(&call.head.headers)?;
    let caller = call.caller;
    let access = (caller.identity.credential.clone(), caller.session.cloned());
    let permit = admin
        .streams
        .try_acquire(caller.identity.key)
        .ok_or(AdminError::TooManyStreams)?;
    let (client, stream) = mpsc::channel(MAX_WAITING);
    let sender = EventSender::new(admin, client, access, after);
    request_scope::spawn(async move {
        sender.run(after.is_some()).await;
        drop(permit);
    });
    let mut response = response(StatusCode::OK, EVENT_STREAM, Bytes::new());
    *response.body_mut() = ResponseBody::streamed(stream);
    Ok(response)
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<Position>, AdminError> {
    let Some(id) = headers.get(LAST_EVENT_ID) else {
        return Ok(None);
    };
    let position = id.to_str().ok().and_then(|id| id.parse().ok());
    let invalid = || AdminError::Query("`Last-Event-ID` must be that of an event, such as 42-17".to_owned());
    position.map(Some).ok_or_else(invalid)
}

/// Where a stream begins. A restored store can end before the last event that a client knows.
fn resumed(after: Option<Position>, end: Option<Position>) -> Position {
    let end = end.unwrap_or_default();
    let newest = |after: u64, end: u64| after.clamp(end.saturating_sub(MAX_MISSED), end);
    after.map_or(end, |after| Position {
        revision: newest(after.revision, end.revision),
        call: newest(after.call, end.call),
    })
}

impl EventSender {
    fn new(
        admin: &Arc<Admin>,
        client: mpsc::Sender<Bytes>,
        (credential, session): (Credential, Option<Session>),
        after: Option<Position>,
    ) -> Self {
        let limits = admin.settings.load().limits;
        let period = PERIOD
            .min(limits.min_rate_window / 3)
            .max(Duration::from_millis(100));
        let mut periods = interval(period);
        periods.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // First, so that nothing is missed in between.
        let events = admin.events.stream().subscribe();
        let end = *admin.events.end().borrow();
        Self {
            admin: Arc::clone(admin),
            client,
            events,
            credential,
            session,
            sent: resumed(after, end),
            // Over HTTP/2 the minimum data rate applies to an open response.
            padding: format!(": {:.<1$}\n\n", "", limits.min_rate_bytes.try_into().unwrap_or(0)),
            periods,
        }
    }

    /// Sends events until the client leaves, the session ends or the gateway stops.
    async fn run(mut self, resumes: bool) {
        let mut shutdown = self.admin.shutdown.clone();
        let client = self.client.clone();
        let sending = async {
            if resumes {
                self.catch_up().await?;
            }
            loop {
                self.next().await?;
            }
        };
        tokio::select! {
            biased;
            _ = shutdown.stopping() => {}
            () = client.closed() => {}
            () = tokio::time::sleep(LIFETIME) => {}
            Err::<(), Ended>(Ended) = sending => {}
        }
    }

    /// Sends what happened while the client was away.
    async fn catch_up(&mut self) -> Result<(), Ended> {
        loop {
            let missed = self.admin.events.read(self.sent, PAGE).await;
            // The client tries again if the store cannot be read.
            let missed = missed.map_err(|_| Ended)?;
            if missed.is_empty() {
                return Ok(());
            }
            for event in missed {
                self.send(&event).await?;
            }
        }
    }

    async fn next(&mut self) -> Result<(), Ended> {
        tokio::select! {
            // A client that is too far behind resumes after the last event that it got.
            event = self.events.recv() => self.send(&*event.map_err(|_| Ended)?).await,
            _ = self.periods.tick() => {
                let ping = format!("retry: 2000\nid: {}\nevent: ping\ndata: {{}}\n\n{}", self.sent, self.padding);
                self.write(ping).await
            }
        }
    }

    async fn send(&mut self, event: &Event) -> Result<(), Ended> {
        let mut id = String::new();
        if let Some(position) = event.position {
            if !position.is_after(self.sent) {
                return Ok(());
            }
            self.sent = self.sent.max(position);
            id = format!("id: {}\n", self.sent);
        }
        if event.kind == EventType::AdminRequest && !self.may_audit() {
            return Ok(());
        }
        let data = serde_json::to_string(event).unwrap_or_default();
        self.write(format!("{id}data: {data}\n\n")).await
    }

    /// A client that does not read loses the stream, not the memory of the gateway.
    async fn write(&self, text: String) -> Result<(), Ended> {
        if !self.admin.is_authorized(&self.credential, self.session.as_ref()) {
            return Err(Ended);
        }
        let sent = timeout(PERIOD, self.client.send(text.into())).await;
        sent.map_err(|_| Ended)?.map_err(|_| Ended)
    }

    fn may_audit(&self) -> bool {
        let identity = self.admin.access.load().identity(&self.credential);
        identity.is_some_and(|identity| identity.allows(Action::Audit, "*"))
    }
}

#[cfg(test)]
mod tests {
    use colonnade_model::event::Position;

    use super::{MAX_MISSED, resumed};

    #[test]
    fn client_resumes_within_the_newest_events() {
        let at = |revision, call| Some(Position { revision, call });
        let end = at(MAX_MISSED + 10, 7);
        for (after, expected) in [
            (None, end),
            (at(0, 0), at(10, 0)),
            (at(11, 3), at(11, 3)),
            (at(MAX_MISSED + 11, 8), end),
        ] {
            assert_eq!(Some(resumed(after, end)), expected, "{after:?}");
        }
    }
}
