//! `[limits]`: what a client may send, keep open and delay. Each field has the name of its
//! configuration key.

use std::time::Duration;

/// What a client may send, keep open and delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of connections of a listener.
    pub max_connections: usize,
    /// The maximum number of connections of one client: an IPv4 address, or the /64 of an IPv6
    /// address.
    pub max_connections_per_client: usize,
    /// The maximum number of requests in flight.
    pub max_requests_in_flight: usize,
    /// The maximum number of requests in flight of one client.
    pub max_requests_in_flight_per_client: usize,
    /// The memory of the gateway with its render workers, in bytes. `None`: that of its control
    /// group or of the machine.
    pub max_memory_bytes: Option<u64>,
    /// The timeout of the TLS handshake.
    pub tls_handshake_timeout: Duration,
    /// The timeout of a connection's first byte; also of the HTTP/2 preface and of a PROXY header.
    pub first_byte_timeout: Duration,
    /// The timeout of a request's header section, from its first byte to its last.
    pub request_header_timeout: Duration,
    /// How long the gateway waits for a client to read or send `min_rate_bytes`. Only time spent
    /// waiting counts.
    pub min_rate_window: Duration,
    /// The bytes a client must read or send per `min_rate_window`; over HTTP/2 for each response in
    /// progress.
    pub min_rate_bytes: u64,
    /// How long an idle connection is kept open.
    pub keepalive_timeout: Duration,
    /// The age at which a connection is closed, after its requests in flight.
    pub max_connection_age: Duration,
    /// The maximum size of a request's header section, in bytes.
    pub max_header_bytes: u32,
    /// The maximum number of header fields of a request.
    pub max_header_fields: usize,
    /// The maximum number of concurrent streams of an HTTP/2 connection.
    pub http2_max_concurrent_streams: u32,
    /// The maximum number of `RST_STREAM` frames that an HTTP/2 client may send per minute and
    /// connection.
    pub http2_max_resets_per_minute: u32,
    /// The maximum number of HTTP/2 frames without a payload for a request, per minute and
    /// connection: PING, SETTINGS, PRIORITY, empty DATA, GOAWAY, unknown frames, and
    /// `WINDOW_UPDATE` for which few bytes were sent.
    pub http2_max_control_frames_per_minute: u32,
    /// How long the readiness check fails before the listener closes on shutdown.
    pub shutdown_delay: Duration,
    /// How long requests in flight may take once the gateway shuts down, and how long an HTTP/2
    /// client may open new streams after the connection has announced its close.
    pub drain_timeout: Duration,
    /// How long an upgrade waits until the new process is ready.
    pub upgrade_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_connections: 10_000,
            max_connections_per_client: 256,
            max_requests_in_flight: 1024,
            max_requests_in_flight_per_client: 256,
            max_memory_bytes: None,
            tls_handshake_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(10),
            request_header_timeout: Duration::from_secs(10),
            min_rate_window: Duration::from_secs(15),
            min_rate_bytes: 1024,
            keepalive_timeout: Duration::from_secs(75),
            max_connection_age: Duration::from_hours(1),
            max_header_bytes: 16 * 1024,
            max_header_fields: 100,
            http2_max_concurrent_streams: 100,
            http2_max_resets_per_minute: 100,
            http2_max_control_frames_per_minute: 1000,
            shutdown_delay: Duration::from_millis(500),
            drain_timeout: Duration::from_secs(10),
            upgrade_timeout: Duration::from_mins(1),
        }
    }
}
