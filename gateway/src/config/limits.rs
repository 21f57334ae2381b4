//! `[limits]`: what a client may send, hold open and wait for.

use std::time::Duration;

use super::reader::{Read, Table, count, number};

/// What a client may send, hold open and wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Connections of a listener, in all.
    pub(crate) connections: usize,
    /// Connections of one client: an IPv4 address, or the /64 of an IPv6 address.
    pub(crate) connections_per_client: usize,
    /// Requests being answered, in all.
    pub(crate) requests: usize,
    /// Requests of one client being answered.
    pub(crate) requests_per_client: usize,
    /// How long the TLS handshake may take.
    pub(crate) handshake: Duration,
    /// How long a connection may take for its first byte; for the HTTP/2 preface and a PROXY header, too.
    pub(crate) first_byte: Duration,
    /// How long the head of a request may take.
    pub(crate) head: Duration,
    /// How long a client may be waited for until it has read or sent `progress_bytes` more.
    pub(crate) progress: Duration,
    /// The bytes that count as progress; over HTTP/2 for each answer that has begun and not ended.
    pub(crate) progress_bytes: u64,
    /// How long a connection is kept on which nothing is asked.
    pub(crate) idle: Duration,
    /// How long a connection lives; what is under way then is finished.
    pub(crate) life: Duration,
    /// The most bytes of a request's head.
    pub(crate) head_bytes: u32,
    /// The most header fields of a request.
    pub(crate) headers: usize,
    /// The most requests of one HTTP/2 connection at a time.
    pub(crate) streams: u32,
    /// The most requests of one HTTP/2 connection that its client takes back, a minute.
    pub(crate) resets: u32,
    /// The most HTTP/2 frames of one connection that carry nothing, a minute: PING, SETTINGS, priorities, empty DATA, GOAWAY,
    /// and `WINDOW_UPDATE` for which little was sent.
    pub(crate) control_frames: u32,
    /// How long the gateway says that it is not ready before it stops to listen.
    pub(crate) stop_delay: Duration,
    /// How long what is under way may take to finish once the gateway is told to stop, and how long an HTTP/2 client may
    /// still ask once its connection's life is over.
    pub(crate) drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            connections_per_client: 256,
            requests: 1024,
            requests_per_client: 256,
            handshake: Duration::from_secs(10),
            first_byte: Duration::from_secs(10),
            head: Duration::from_secs(10),
            progress: Duration::from_secs(15),
            progress_bytes: 1024,
            idle: Duration::from_secs(75),
            life: Duration::from_hours(1),
            head_bytes: 16 * 1024,
            headers: 100,
            streams: 100,
            resets: 100,
            control_frames: 1000,
            stop_delay: Duration::from_millis(500),
            drain: Duration::from_secs(10),
        }
    }
}

/// Longer than anybody waits: a week. What is longer was meant in another unit.
const LONGEST_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// Reads `[limits]`, in which every key is optional.
pub(super) fn read(mut table: Table<'_>) -> Option<Limits> {
    let default = Limits::default();
    let keys = &mut table;
    let times = Times::read(keys, &default);
    let amounts = Amounts::read(keys, &default);
    table.finish();
    let (times, amounts) = (times?, amounts?);
    Some(Limits {
        connections: amounts.connections,
        connections_per_client: amounts.connections_per_client,
        requests: amounts.requests,
        requests_per_client: amounts.requests_per_client,
        head_bytes: amounts.head_kib * 1024,
        headers: amounts.headers,
        streams: amounts.streams,
        resets: amounts.resets,
        control_frames: amounts.control_frames,
        progress_bytes: amounts.progress_bytes.into(),
        ..times
    })
}

/// Reads the keys that are times; all of them, so that all problems are noted.
struct Times;

impl Times {
    fn read(table: &mut Table<'_>, default: &Limits) -> Option<Limits> {
        let mut time = |key, default| {
            let time = table.optional(key, "a number of milliseconds from 1 to 604800000", |value| {
                up_to(LONGEST_MS)(count(value)?)
            })?;
            Some(time.map_or(default, Duration::from_millis))
        };
        let handshake = time("handshake_ms", default.handshake);
        let first_byte = time("first_byte_ms", default.first_byte);
        let head = time("head_ms", default.head);
        let progress = time("progress_ms", default.progress);
        let idle = time("idle_ms", default.idle);
        let life = time("life_ms", default.life);
        let drain = time("drain_ms", default.drain);
        // The one time that may be none at all.
        let expected = "a number of milliseconds from 0 to 604800000";
        let stop_delay = table.optional("stop_delay_ms", expected, |value| {
            up_to(LONGEST_MS)(number(value)?)
        });
        Some(Limits {
            handshake: handshake?,
            first_byte: first_byte?,
            head: head?,
            progress: progress?,
            idle: idle?,
            life: life?,
            drain: drain?,
            stop_delay: stop_delay?.map_or(default.stop_delay, Duration::from_millis),
            ..*default
        })
    }
}

/// The keys that are amounts.
struct Amounts {
    connections: usize,
    connections_per_client: usize,
    requests: usize,
    requests_per_client: usize,
    progress_bytes: u32,
    head_kib: u32,
    headers: usize,
    streams: u32,
    resets: u32,
    control_frames: u32,
}

impl Amounts {
    fn read(table: &mut Table<'_>, default: &Limits) -> Option<Self> {
        let million = "a whole number from 1 to 1000000";
        let mut amount = |key, default: usize| {
            let amount = table.optional(key, million, |value| up_to(1_000_000)(count(value)?))?;
            Some(amount.map_or(default, |amount| usize::try_from(amount).unwrap_or(usize::MAX)))
        };
        let connections = amount("connections", default.connections);
        let connections_per_client = amount("connections_per_client", default.connections_per_client);
        let requests = amount("requests", default.requests);
        let requests_per_client = amount("requests_per_client", default.requests_per_client);
        let mut amount = |key, default: u32| {
            let amount = table.optional(key, million, |value| up_to(1_000_000)(count(value)?))?;
            Some(amount.map_or(default, |amount| u32::try_from(amount).unwrap_or(u32::MAX)))
        };
        let progress_bytes = amount("progress_bytes", 1024);
        let streams = amount("streams", default.streams);
        let resets = amount("resets", default.resets);
        let control_frames = amount("control_frames", default.control_frames);
        // hyper's buffer cannot be smaller than 8 KiB.
        let head_kib = table.optional("head_kib", "a whole number of KiB from 8 to 1024", |value| {
            let kib = up_to(1024)(count(value)?)?;
            u32::try_from(kib)
                .ok()
                .filter(|kib| *kib >= 8)
                .ok_or(format!("is {kib}"))
        });
        // hyper clears room for so many of each request, and no request has more than a few dozen.
        let headers = table.optional("headers", "a whole number from 1 to 1000", |value| {
            let headers = up_to(1000)(count(value)?)?;
            usize::try_from(headers).map_err(|_| format!("is {headers}"))
        });
        Some(Self {
            connections: connections?,
            connections_per_client: connections_per_client?,
            requests: requests?,
            requests_per_client: requests_per_client?,
            progress_bytes: progress_bytes?,
            head_kib: head_kib?.unwrap_or(16),
            headers: headers?.unwrap_or(default.headers),
            streams: streams?,
            resets: resets?,
            control_frames: control_frames?,
        })
    }
}

fn up_to(most: u64) -> impl Fn(u64) -> Read<u64> {
    move |number| {
        Some(number)
            .filter(|number| *number <= most)
            .ok_or(format!("is {number}"))
    }
}
