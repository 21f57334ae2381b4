//! `[signup]`: the sign-up backend.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::config_file::ConfigFile;
use crate::secret::{SECRET, SecretSource};
use crate::site::page_path;
use crate::upstream::has_link_local_host;
use crate::url::{Origin, secure_url};
use crate::value::{
    UNBOUNDED, as_strings, convert, default_ms, integer, milliseconds, number, seconds, string,
};

/// How sign-ups are forwarded to the backend.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Signup {
    /// The origin of the backend.
    pub backend: Origin,
    #[serde(rename = "backend_api_key")]
    api_key_source: SecretSource,
    /// The backend's API key, sent as a bearer token.
    #[serde(skip)]
    pub backend_api_key: SecretString,
    /// The name of the service, as visitors know it.
    #[serde(default, deserialize_with = "optional_string")]
    pub name: Option<String>,
    /// Where visitors sign in after a sign-up.
    #[serde(default, deserialize_with = "optional_url")]
    pub sign_in_url: Option<Url>,
    /// The affiliate tracking tag sent with every sign-up.
    #[serde(deserialize_with = "string")]
    pub affiliate_subid: String,
    /// The hosts that the backend may redirect to besides this origin.
    #[serde(default, deserialize_with = "host_names")]
    pub allowed_redirect_hosts: Vec<String>,
    /// The page with the form. It also shows the error of a rejected form.
    #[serde(default = "form_path", deserialize_with = "page_path")]
    pub form_path: String,
    /// The page shown after a sign-up without a redirect.
    #[serde(default = "success_path", deserialize_with = "page_path")]
    pub success_path: String,
    /// The timeout for connecting to the backend.
    #[serde(rename = "connect_timeout_ms", default = "default_ms::<3_000>")]
    #[serde(deserialize_with = "milliseconds::<1, UNBOUNDED, _>")]
    pub connect_timeout: Duration,
    /// The timeout for the whole call, including the response body.
    #[serde(rename = "total_timeout_ms", default = "default_ms::<10_000>")]
    #[serde(deserialize_with = "milliseconds::<1, UNBOUNDED, _>")]
    pub total_timeout: Duration,
    /// How long an idle connection to the backend stays open; with zero every sign-up opens a new
    /// one. The default is shorter than the keep-alive timeout of most servers.
    #[serde(rename = "keepalive_timeout_ms", default = "default_ms::<1_000>")]
    #[serde(deserialize_with = "milliseconds::<0, UNBOUNDED, _>")]
    pub keepalive_timeout: Duration,
    /// The id of the partner that visitors are sent to when the backend is unavailable.
    #[serde(default, deserialize_with = "optional_string")]
    pub fallback_partner: Option<String>,
    #[serde(default = "number::<RATE_LIMIT, _>")]
    #[serde(deserialize_with = "integer::<1, 1_000_000, _, _>")]
    rate_limit_per_minute: u32,
    #[serde(default = "number::<RATE_LIMIT_PER_CLIENT, _>")]
    #[serde(deserialize_with = "integer::<1, 1_000_000, _, _>")]
    rate_limit_per_client_per_minute: u32,
    #[serde(default = "number::<MAX_CONCURRENT, _>")]
    #[serde(deserialize_with = "integer::<1, 65_536, _, _>")]
    max_concurrent: usize,
    #[serde(default = "number::<BREAKER_FAILURE_THRESHOLD, _>")]
    #[serde(deserialize_with = "integer::<1, 1_000_000, _, _>")]
    breaker_failure_threshold: u32,
    #[serde(default = "number::<BREAKER_FAILURE_PERCENT, _>")]
    #[serde(deserialize_with = "integer::<1, 100, _, _>")]
    breaker_failure_percent: u16,
    #[serde(
        rename = "breaker_window_seconds",
        default = "default_ms::<BREAKER_WINDOW_MS>"
    )]
    #[serde(deserialize_with = "seconds::<86_400, _>")]
    breaker_window: Duration,
    #[serde(rename = "breaker_open_seconds", default = "default_ms::<BREAKER_OPEN_MS>")]
    #[serde(deserialize_with = "seconds::<86_400, _>")]
    breaker_open: Duration,
}

impl Signup {
    /// The keys that SIGHUP reloads.
    pub(crate) const RELOADABLE: &[&str] = &[
        "signup.rate_limit_per_minute",
        "signup.rate_limit_per_client_per_minute",
        "signup.max_concurrent",
        "signup.breaker_failure_threshold",
        "signup.breaker_failure_percent",
        "signup.breaker_window_seconds",
        "signup.breaker_open_seconds",
    ];
}

/// The rate limits, the concurrency limit and the circuit breaker of sign-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignupLimits {
    /// The rate limit in total.
    pub rate_limit_per_minute: u32,
    /// The rate limit per client: an IPv4 address, or the /64 of an IPv6 address.
    pub rate_limit_per_client_per_minute: u32,
    /// The maximum number of concurrent calls to the backend.
    pub max_concurrent: usize,
    /// The number of failures to reach the backend, within the window or in a row, below which the
    /// circuit breaker stays closed.
    pub breaker_failure_threshold: u32,
    /// The percentage of failures within the window below which it stays closed.
    pub breaker_failure_percent: u16,
    /// The time over which it counts sign-ups and failures.
    pub breaker_window: Duration,
    /// How long the circuit breaker stays open before one sign-up probes the backend.
    pub breaker_open: Duration,
}

/// The limits in use; reloading the configuration replaces them.
pub type CurrentSignupLimits = Arc<ArcSwap<SignupLimits>>;

const FORM_PATH: &str = "/signup";
const SUCCESS_PATH: &str = "/success";
const RATE_LIMIT: u16 = 600;
const RATE_LIMIT_PER_CLIENT: u16 = 20;
const MAX_CONCURRENT: u16 = 64;
const BREAKER_FAILURE_THRESHOLD: u16 = 5;
const BREAKER_FAILURE_PERCENT: u16 = 50;
const BREAKER_WINDOW_MS: u64 = 30_000;
const BREAKER_OPEN_MS: u64 = 30_000;

impl Default for SignupLimits {
    fn default() -> Self {
        Self {
            rate_limit_per_minute: RATE_LIMIT.into(),
            rate_limit_per_client_per_minute: RATE_LIMIT_PER_CLIENT.into(),
            max_concurrent: MAX_CONCURRENT.into(),
            breaker_failure_threshold: BREAKER_FAILURE_THRESHOLD.into(),
            breaker_failure_percent: BREAKER_FAILURE_PERCENT,
            breaker_window: Duration::from_millis(BREAKER_WINDOW_MS),
            breaker_open: Duration::from_millis(BREAKER_OPEN_MS),
        }
    }
}

impl Signup {
    /// Reads the API key, and checks that the fallback partner exists. A relative path starts at
    /// `folder`.
    pub(crate) fn resolve(&mut self, folder: &Path, file: &mut ConfigFile<'_>) {
        match self.api_key_source.read(folder) {
            Ok(key) => self.backend_api_key = key,
            Err(wrong) => file.problem(&["signup", "backend_api_key"], &wrong, SECRET),
        }
        if has_link_local_host(self.backend.url()) {
            let backend = &self.backend;
            let wrong =
                format!("`{backend}` has a link-local address, or that of a cloud's metadata service");
            file.problem(&["signup", "backend"], &wrong, "another address");
        }
        if let Some(id) = &self.fallback_partner
            && file.get(&["partners", id]).is_none()
        {
            let wrong = format!("there is no [partners.{id}]");
            file.problem(
                &["signup", "fallback_partner"],
                &wrong,
                "the id of one of [partners]",
            );
        }
    }

    /// The limits.
    pub fn limits(&self) -> SignupLimits {
        SignupLimits {
            rate_limit_per_minute: self.rate_limit_per_minute,
            rate_limit_per_client_per_minute: self.rate_limit_per_client_per_minute,
            max_concurrent: self.max_concurrent,
            breaker_failure_threshold: self.breaker_failure_threshold,
            breaker_failure_percent: self.breaker_failure_percent,
            breaker_window: self.breaker_window,
            breaker_open: self.breaker_open,
        }
    }
}

fn form_path() -> String {
    FORM_PATH.to_owned()
}

fn success_path() -> String {
    SUCCESS_PATH.to_owned()
}

fn optional_string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    string(deserializer).map(Some)
}

fn optional_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    secure_url(deserializer).map(Some)
}

/// Host names as they appear in URLs. URLs allow more, such as `*` and `;`, which have a meaning in
/// a content security policy.
fn host_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let expected = "a list of host names, such as [\"members.example.com\"]";
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    convert(deserializer, expected, |value| {
        as_strings(value, |text| match url::Host::parse(text) {
            Ok(host) if text.bytes().all(is_plain) && host.to_string() == text => Ok(text.to_owned()),
            _ => Err(format!("`{text}` is not a host name")),
        })
    })
}
