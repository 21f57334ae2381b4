//! `[upstreams.<name>]`: the backends that serve paths below `/api/`.

mod address;
mod cache;
mod value;

pub use address::{has_link_local_host, is_link_local};
pub use cache::UpstreamCacheSettings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use colonnade_model::release::is_name;
use http::{HeaderName, Method, StatusCode};
use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::certificate::CertificateFiles;
use crate::client_tls::ClientTls;
use crate::config_file::ConfigFile;
use crate::secret::SecretSource;
use crate::secret_headers::{header_secrets, read_headers};
use crate::url::check_encrypted;
use crate::value::{default_ms, integer, milliseconds, number, optional_path, optional_table, seconds};
use value::{
    base_urls, default_methods, forwarded_headers, health_path, methods, path_prefix, server_errors,
};

/// One week in milliseconds. A longer time was probably meant in another unit.
const WEEK: u64 = 7 * 24 * 60 * 60 * 1000;

const KIB: usize = 1024;

/// A backend.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[expect(clippy::struct_excessive_bools, reason = "each one is a key of the file")]
pub struct Upstream {
    /// The prefix of the paths that it serves: `/api/` and at least one segment, without a trailing
    /// slash.
    #[serde(deserialize_with = "path_prefix")]
    pub path: String,
    /// The base URLs of its endpoints. The rest of a request's path is appended to their paths.
    #[serde(deserialize_with = "base_urls")]
    pub urls: Vec<Url>,
    /// The methods that it serves.
    #[serde(default = "default_methods", deserialize_with = "methods")]
    pub methods: Vec<Method>,
    /// The timeout for connecting, including name resolution and the TLS handshake.
    #[serde(rename = "connect_timeout_ms", default = "default_ms::<1_000>")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    pub connect_timeout: Duration,
    /// How long the upstream may take, to the end of the response. Time in which the gateway waits
    /// for the client does not count.
    #[serde(rename = "total_timeout_ms", default = "default_ms::<10_000>")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    pub total_timeout: Duration,
    /// How long an idle connection stays open; with zero every request opens a new one.
    #[serde(rename = "keepalive_timeout_ms", default = "default_ms::<4_000>")]
    #[serde(deserialize_with = "milliseconds::<0, WEEK, _>")]
    pub keepalive_timeout: Duration,
    /// The maximum number of requests in progress.
    #[serde(default = "number::<128, _>")]
    #[serde(deserialize_with = "integer::<1, 65_536, _, _>")]
    pub max_concurrent: usize,
    #[serde(default, deserialize_with = "optional")]
    max_concurrent_per_client: Option<usize>,
    /// The rate limit per client: an IPv4 address, or the /64 of an IPv6 address.
    #[serde(default = "number::<600, _>")]
    #[serde(deserialize_with = "integer::<1, 1_000_000, _, _>")]
    pub rate_limit_per_client_per_minute: u32,
    /// How often a failed idempotent request without a body is sent again.
    #[serde(default = "number::<1, _>")]
    #[serde(deserialize_with = "integer::<0, 10, _, _>")]
    pub max_retries: u32,
    /// The percentage of requests that may be retried, besides a small reserve.
    #[serde(default = "number::<20, _>")]
    #[serde(deserialize_with = "integer::<0, 100, _, _>")]
    pub retry_budget_percent: u16,
    /// The number of failures, within the window or in a row, below which the circuit breaker stays
    /// closed. One client counts for at most a quarter of them.
    #[serde(default = "number::<10, _>")]
    #[serde(deserialize_with = "integer::<1, 1_000_000, _, _>")]
    pub breaker_failure_threshold: u32,
    /// The percentage of failures within the window below which the circuit breaker stays closed.
    #[serde(default = "number::<50, _>")]
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    pub breaker_failure_percent: u16,
    /// The statuses of complete responses that count as failures.
    #[serde(default, deserialize_with = "server_errors")]
    pub breaker_statuses: Vec<StatusCode>,
    /// The time over which the circuit breaker counts requests and failures.
    #[serde(rename = "breaker_window_seconds", default = "default_ms::<10_000>")]
    #[serde(deserialize_with = "seconds::<86_400, _>")]
    pub breaker_window: Duration,
    /// How long the circuit breaker stays open before the upstream is probed.
    #[serde(rename = "breaker_open_seconds", default = "default_ms::<10_000>")]
    #[serde(deserialize_with = "seconds::<86_400, _>")]
    pub breaker_open: Duration,
    /// The path and query of active health checks, appended to each base URL; `None` without them.
    #[serde(default, deserialize_with = "health_path")]
    pub health_path: Option<String>,
    /// The time between two health checks of an endpoint.
    #[serde(rename = "health_interval_ms", default = "default_ms::<5_000>")]
    #[serde(deserialize_with = "milliseconds::<100, WEEK, _>")]
    pub health_interval: Duration,
    /// The number of consecutive failures that ejects an endpoint. One client counts for at most a
    /// quarter of them.
    #[serde(default = "number::<5, _>")]
    #[serde(deserialize_with = "integer::<1, 1_000_000, _, _>")]
    pub ejection_failure_threshold: u32,
    /// How long an ejected endpoint gets no requests.
    #[serde(rename = "ejection_seconds", default = "default_ms::<30_000>")]
    #[serde(deserialize_with = "seconds::<86_400, _>")]
    pub ejection: Duration,
    #[serde(rename = "request_headers", default, deserialize_with = "header_secrets")]
    header_sources: Vec<(HeaderName, SecretSource)>,
    /// The headers that the gateway adds to every request, such as an API key.
    #[serde(skip)]
    pub request_headers: Vec<(HeaderName, SecretString)>,
    /// The headers of visitors that the upstream gets besides those that every upstream gets.
    #[serde(default, deserialize_with = "forwarded_headers")]
    pub forward_request_headers: Vec<HeaderName>,
    /// The maximum size of a request body, in bytes.
    #[serde(rename = "max_request_kib", default = "kibibytes::<1024>")]
    #[serde(deserialize_with = "size")]
    pub max_request_bytes: usize,
    /// The maximum size of a response body, in bytes.
    #[serde(rename = "max_response_kib", default = "kibibytes::<10_240>")]
    #[serde(deserialize_with = "size")]
    pub max_response_bytes: usize,
    /// Whether visitors may open WebSockets to the upstream.
    #[serde(default)]
    pub websocket: bool,
    /// The maximum number of open streams: WebSockets, and responses with server-sent events.
    #[serde(default = "number::<1_024, _>")]
    #[serde(deserialize_with = "integer::<1, 65_536, _, _>")]
    pub max_streams: usize,
    #[serde(default, deserialize_with = "optional")]
    max_streams_per_client: Option<usize>,
    /// How long neither side of a stream may send anything.
    #[serde(rename = "stream_idle_timeout_ms", default = "default_ms::<60_000>")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    pub stream_idle_timeout: Duration,
    /// How long a stream may stay open.
    #[serde(rename = "stream_total_timeout_ms", default = "default_ms::<3_600_000>")]
    #[serde(deserialize_with = "milliseconds::<1, WEEK, _>")]
    pub stream_total_timeout: Duration,
    /// Whether the upstream gets the visitor's cookies, except those of the gateway.
    #[serde(default)]
    pub forward_cookies: bool,
    /// Whether the upstream gets the `Authorization` header, and may ask for it.
    #[serde(default)]
    pub forward_authorization: bool,
    /// Whether the upstream may set cookies, except those of the gateway.
    #[serde(default)]
    pub forward_set_cookie: bool,
    /// Whether its addresses may be link-local or those of a cloud's metadata service.
    #[serde(default)]
    pub allow_link_local: bool,
    #[serde(default)]
    allow_plain_http: bool,
    #[serde(default, deserialize_with = "optional_path")]
    root_certificate: Option<PathBuf>,
    #[serde(default, deserialize_with = "optional_table")]
    client_certificate: Option<CertificateFiles>,
    /// How the gateway verifies the endpoints, and identifies itself to them.
    #[serde(skip)]
    pub tls: ClientTls,
}

impl Upstream {
    /// The maximum number of requests in progress per client: an IPv4 address, or the /64 of an
    /// IPv6 address. At most `max_concurrent`.
    pub fn max_concurrent_per_client(&self) -> usize {
        of_client(self.max_concurrent_per_client, self.max_concurrent)
    }

    /// The maximum number of open streams per client. At most `max_streams`.
    pub fn max_streams_per_client(&self) -> usize {
        of_client(self.max_streams_per_client, self.max_streams)
    }

    /// Reads the secrets, and checks the name and the addresses. A relative path starts at
    /// `folder`.
    pub(crate) fn resolve(&mut self, name: &str, folder: &Path, file: &mut ConfigFile<'_>) {
        if !is_name(name) {
            let wrong = format!("`{name}` is not a name");
            let expected = "a name that matches [a-z][a-z0-9-]{0,31}";
            file.problem(&["upstreams", name], &wrong, expected);
        }
        let path = ["upstreams", name, "request_headers"];
        self.request_headers = read_headers(&self.header_sources, &path, folder, file);
        for (key, total, per_client) in [
            (
                "max_concurrent",
                self.max_concurrent,
                self.max_concurrent_per_client,
            ),
            ("max_streams", self.max_streams, self.max_streams_per_client),
        ] {
            if let Some(per_client) = per_client.filter(|per_client| *per_client > total) {
                let path = ["upstreams", name, &format!("{key}_per_client")];
                let wrong = format!("is {per_client}, above `{key}`, which is {total}");
                file.problem(&path, &wrong, &format!("at most `{key}`"));
            }
        }
        self.check_urls(name, file);
        let keys = ["root_certificate", "client_certificate"].map(|key| ["upstreams", name, key]);
        let (root, certificate) = (self.root_certificate.as_ref(), self.client_certificate.as_ref());
        self.tls = ClientTls::load([&keys[0], &keys[1]], root, certificate, folder, file);
    }

    fn check_urls(&self, name: &str, file: &mut ConfigFile<'_>) {
        let path = ["upstreams", name, "urls"];
        for url in &self.urls {
            if has_link_local_host(url) && !self.allow_link_local {
                let wrong =
                    format!("`{url}` has a link-local address, or that of a cloud's metadata service");
                file.problem(&path, &wrong, "another address, or `allow_link_local`");
            }
            if let Some(wrong) = check_encrypted(url).err().filter(|_| !self.allow_plain_http) {
                file.problem(&path, &wrong, "https, or `allow_plain_http`");
            }
        }
    }
}

/// Checks that no two upstreams have the same path.
pub(crate) fn check_paths(upstreams: &BTreeMap<String, Upstream>, file: &mut ConfigFile<'_>) {
    let mut names = BTreeMap::new();
    for (name, upstream) in upstreams {
        if let Some(other) = names.insert(&upstream.path, name) {
            let wrong = format!("`{}` is the path of `{other}`", upstream.path);
            file.problem(&["upstreams", name, "path"], &wrong, "a path of its own");
        }
    }
}

/// The part of one client in a limit of all: an eighth by default, but at least 8.
fn of_client(limit: Option<usize>, total: usize) -> usize {
    limit.unwrap_or((total / 8).max(8)).min(total)
}

fn kibibytes<const N: usize>() -> usize {
    N * KIB
}

/// A number of requests in progress.
fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    integer::<1, 65_536, usize, _>(deserializer).map(Some)
}

/// A number of KiB up to 1 GiB, in bytes.
fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    integer::<1, 1_048_576, usize, _>(deserializer).map(|kibibytes| kibibytes * KIB)
}
