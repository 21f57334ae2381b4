//! Events: records calls of the admin API, reads what the store has, and hands on what is new.
//!
//! A change is in the history, and every other call with a token in the audit log of the store.
//! [`Events::read`] merges both by their times. Each gateway follows the store, so that its event
//! streams and webhooks see what all gateways do.

mod metrics;
mod signature;
mod stream;
mod webhook;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep};

use colonnade_model::deployment::Change;
use colonnade_model::event::{AuditEntry, Event, EventData, Outcome, Position};
use colonnade_store::{Store, StoreError};
use colonnade_web::rate_limiter::RateLimiter;

use crate::deployment::{Deployments, concurrently};

pub use metrics::WebhookMetrics;
pub use stream::EventStream;
pub use webhook::{Webhooks, WebhooksError};

/// How many calls wait to be recorded at most, such as while the store cannot be written.
const MAX_WAITING: usize = 1000;

/// How many events are read at a time.
const PAGE: usize = 100;

/// How many polls of the live state there are for each poll of the calls at other gateways, of
/// which each costs a request in a bucket.
const POLLS: u32 = 4;

/// How many calls of one token, or of one holder of an ID token, that were refused or failed are
/// recorded a minute, so that a loop does not fill the store. The log has all.
const MAX_UNSUCCESSFUL: u32 = 10;

/// The events of a store.
pub struct Events {
    deployments: Arc<Deployments>,
    calls: mpsc::Sender<Call>,
    waiting: Mutex<Option<mpsc::Receiver<Call>>>,
    /// The limits of calls that were refused or failed, by the name of the token.
    unsuccessful: Mutex<HashMap<String, RateLimiter>>,
    /// The last event that was handed on. `None` until the store was read.
    end: watch::Sender<Option<Position>>,
}

/// A call to record, and who waits for it.
struct Call {
    entry: AuditEntry,
    recorded: oneshot::Sender<()>,
}

impl Events {
    /// The events of these deployments. [`Events::run`] records and follows them.
    pub fn new(deployments: &Arc<Deployments>) -> Self {
        let (calls, waiting) = mpsc::channel(MAX_WAITING);
        Self {
            deployments: Arc::clone(deployments),
            calls,
            waiting: Mutex::new(Some(waiting)),
            unsuccessful: Mutex::default(),
            end: watch::Sender::default(),
        }
    }

    /// Records a call in the store, unless it is one of too many that were refused or failed. The
    /// receiver gets a value, or an error if it is not recorded, once that is done.
    pub fn record(&self, entry: AuditEntry) -> oneshot::Receiver<()> {
        let (recorded, done) = oneshot::channel();
        if self.deployments.store().check_writable().is_ok()
            && self.is_recorded(&entry)
            && self.calls.try_send(Call { entry, recorded }).is_err()
        {
            tracing::error!(event = "audit_entry_lost");
        }
        done
    }

    fn is_recorded(&self, entry: &AuditEntry) -> bool {
        if entry.outcome == Outcome::Succeeded {
            return true;
        }
        let now = Instant::now();
        let mut limiters = self.unsuccessful.lock();
        limiters.retain(|_, limiter| !limiter.is_full(now));
        let new = || RateLimiter::new(MAX_UNSUCCESSFUL, now);
        limiters
            .entry(entry.by.clone())
            .or_insert_with(new)
            .try_acquire(now)
    }

    /// The last event that was handed on, if the store was read.
    pub fn end(&self) -> watch::Receiver<Option<Position>> {
        self.end.subscribe()
    }

    /// The events as they happen: those of the store and of this gateway.
    pub fn stream(&self) -> &EventStream {
        self.deployments.events()
    }

    fn store(&self) -> &Store {
        self.deployments.store()
    }

    /// The first events after a position, at most `limit`.
    pub async fn read(&self, after: Position, limit: usize) -> Result<Vec<Event>, StoreError> {
        // Before the calls: a deploy follows the publishes of its releases.
        let snapshot = self.deployments.current();
        let newest = snapshot.state().map(|state| &state.change);
        let end = newest.map_or(0, |newest| newest.revision);
        // Another gateway can know later changes than this one.
        let revisions = (after.revision.saturating_add(1)..=end).take(limit);
        let reads = revisions.map(async |revision| match newest {
            Some(newest) if newest.revision == revision => Ok(Some(newest.clone())),
            _ => self.store().history_entry(revision).await,
        });
        let mut changes = Vec::new();
        for read in concurrently(reads).await {
            match read {
                Err(error) if error.is_damage() => {}
                change => changes.extend(change?),
            }
        }
        let (call, calls) = self.store().audit_after(after.call, limit).await?;
        let position = Position { call, ..after };
        let with_sources = merged(position, changes, calls).map(|mut event| {
            if let EventData::Change(change) = &event.data {
                event.sources = snapshot.sources(change.releases());
            }
            event
        });
        Ok(with_sources.take(limit).collect())
    }

    /// Records calls, and hands on what is new in the store. Never returns.
    pub async fn run(&self) {
        let Some(mut waiting) = self.waiting.lock().take() else {
            return;
        };
        let mut changes = self.deployments.revision();
        let poll = self.store().poll_interval() * POLLS;
        let mut unrecorded: Vec<Call> = Vec::new();
        // A persistent error is logged once, not at every poll.
        let mut reported = None;
        loop {
            // The poll of the live state logs a store that cannot be read.
            let _ = self.follow().await;
            tokio::select! {
                _ = changes.changed() => {}
                _ = waiting.recv_many(&mut unrecorded, PAGE), if unrecorded.len() < MAX_WAITING => {}
                () = sleep(poll) => {}
            }
            let error = self.append(&mut unrecorded).await.err();
            let error = error.map(|error| error.to_string());
            if let Some(error) = &error
                && reported.as_ref() != Some(error)
            {
                tracing::error!(event = "audit_entry_delayed", error);
            }
            reported = error;
        }
    }

    async fn append(&self, unrecorded: &mut Vec<Call>) -> Result<(), StoreError> {
        if unrecorded.is_empty() {
            return Ok(());
        }
        let entries: Vec<AuditEntry> = unrecorded.iter().map(|call| call.entry.clone()).collect();
        self.store().append_audit(&entries).await?;
        for call in unrecorded.drain(..) {
            // The caller may have stopped waiting.
            let _ = call.recorded.send(());
        }
        Ok(())
    }

    async fn follow(&self) -> Result<(), StoreError> {
        let known = *self.end.borrow();
        let Some(mut position) = known else {
            let position = Position {
                revision: self.deployments.current().revision(),
                call: self.store().audit_end().await?,
            };
            self.end.send_replace(Some(position));
            return Ok(());
        };
        loop {
            let events = self.read(position, PAGE).await?;
            let is_end = events.len() < PAGE;
            for event in events {
                position = event.position.unwrap_or(position);
                self.stream().send(event);
            }
            self.end
                .send_if_modified(|end| end.replace(position) != Some(position));
            if is_end {
                return Ok(());
            }
        }
    }
}

/// The events after `position`, in the order of their times, which have seconds: of one second, the
/// calls come first, because a deploy follows the publishes of its releases.
fn merged(
    mut position: Position,
    changes: Vec<Change>,
    calls: Vec<(u64, AuditEntry)>,
) -> impl Iterator<Item = Event> {
    let (mut changes, mut calls) = (changes.into_iter().peekable(), calls.into_iter().peekable());
    std::iter::from_fn(move || {
        let change = changes.next_if(|change| calls.peek().is_none_or(|(_, call)| change.at < call.at));
        if let Some(change) = change {
            position.revision = change.revision;
            return Some(Event::of_change(change, position));
        }
        let (number, entry) = calls.next()?;
        position.call = number;
        Some(Event::of_call(entry, position))
    })
}
