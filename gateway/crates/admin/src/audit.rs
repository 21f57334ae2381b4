//! The audit log: one event for each request to the admin API, whatever its outcome.
//!
//! An event contains only text that the gateway knows or that a known token sent. Everything else
//! that a client sends may contain a secret, such as a token in the wrong place.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use http::{Method, StatusCode};
use parking_lot::Mutex;

use colonnade_config::Token;
use colonnade_model::schema::{Name, RequestedReleases, Version, VersionOrNull};
use colonnade_web::log::AUDIT;

use crate::routes::Parameters;
use crate::session::Session;

/// The maximum number of releases in an event.
const MAX_RELEASES: usize = 32;

/// The event of one request. It is logged when it is dropped, so that a panic and an interrupted
/// request are logged, too.
pub(crate) struct AuditEvent {
    /// False for requests that are no calls of the API.
    pub(crate) is_logged: bool,
    pub(crate) method: Method,
    /// The client's IP address, if the log contains addresses.
    pub(crate) client_ip: Option<IpAddr>,
    pub(crate) caller: AuditCaller,
    /// The name of the route.
    pub(crate) route: Cow<'static, str>,
    pub(crate) status: StatusCode,
    /// Why the request was refused or failed.
    pub(crate) cause: Option<&'static str>,
}

/// What is known about the caller and the request once the token is checked.
#[derive(Default)]
pub(crate) struct AuditCaller(Mutex<Known>);

#[derive(Default)]
struct Known {
    token: Option<String>,
    target: Option<String>,
    reason: Option<String>,
}

/// A caller with a known token.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) token: &'a Token,
    /// The session, if the request has one instead of the token itself.
    pub(crate) session: Option<Session>,
    audit: &'a AuditCaller,
}

impl AuditCaller {
    /// Records the token, which may have expired.
    pub(crate) fn set_token(&self, token: &Token) {
        self.0.lock().token = Some(token.name.clone());
    }

    /// The caller with this token, directly or by a session.
    pub(crate) fn known<'a>(&'a self, token: &'a Token, session: Option<Session>) -> Caller<'a> {
        Caller {
            token,
            session,
            audit: self,
        }
    }

    /// Records the target that the path names.
    pub(crate) fn set_path_target(&self, parameters: &Parameters) {
        let Parameters {
            name,
            version,
            number,
        } = parameters;
        self.0.lock().target = match (name.as_str(), version.as_str()) {
            ("", _) => (*number > 0).then(|| number.to_string()),
            (name, "") => Some(name.to_owned()),
            (name, version) => Some(format!("{name}@{version}")),
        };
    }
}

impl Caller<'_> {
    /// Records the target of a request whose path does not name it.
    pub(crate) fn set_target(self, target: impl fmt::Display) {
        self.audit.0.lock().target = Some(target.to_string());
    }

    /// Records the releases that a request names in its body, without their versions if they have
    /// none.
    pub(crate) fn set_releases(self, releases: &RequestedReleases) {
        let releases = releases.0.iter().take(MAX_RELEASES);
        let names = releases.map(|(Name(name), VersionOrNull(version))| match version {
            Some(Version(version)) => format!("{name}@{version}"),
            None => name.clone(),
        });
        self.set_target(names.collect::<Vec<_>>().join(", "));
    }

    /// Records the reason that the caller gives.
    pub(crate) fn set_reason(self, reason: Option<&str>) {
        self.audit.0.lock().reason = reason.map(ToOwned::to_owned);
    }
}

impl AuditEvent {
    /// What the request does, by the names that tokens and the history use.
    fn action(&self) -> &'static str {
        let resource = self.route.rsplit('/').next().unwrap_or_default();
        match (&self.method, resource) {
            (&Method::GET | &Method::HEAD | &Method::OPTIONS, _) | (&Method::POST, "plan" | "trial") => {
                "read"
            }
            (&Method::PUT, ":version") => "publish",
            (&Method::POST, "deployments") => "deploy",
            (&Method::POST, "promote") => "promote",
            (&Method::POST, "abort") => "abort",
            (&Method::POST, "pause") => "pause",
            (&Method::POST, "resume") => "resume",
            (&Method::POST, "rollback") => "rollback",
            (&Method::POST, "previews") => "preview",
            (&Method::POST, "session") => "sign_in",
            (&Method::DELETE, "session") => "sign_out",
            (&Method::DELETE, "previews") => "end_previews",
            (&Method::POST, "extensions") => "switch_extension",
            (&Method::POST, "garbage-collection") => "garbage_collect",
            (&Method::POST, "purge") => "purge",
            _ => "none",
        }
    }
}

/// Logs an event at this level; the level of an event must be constant.
macro_rules! log_at {
    ($level:ident, $event:expr, $known:expr, $outcome:expr) => {
        tracing::$level!(
            target: AUDIT,
            event = "admin_request",
            token = $known.token,
            action = $event.action(),
            target = $known.target,
            outcome = $outcome,
            cause = $event.cause,
            status = $event.status.as_u16(),
            reason = $known.reason,
            route = &*$event.route,
            client_ip = $event.client_ip.map(tracing::field::display),
        )
    };
}

impl Drop for AuditEvent {
    fn drop(&mut self) {
        if !self.is_logged {
            return;
        }
        if std::thread::panicking() {
            self.status = StatusCode::INTERNAL_SERVER_ERROR;
            self.cause = Some("panic");
        }
        let known = self.caller.0.lock();
        if self.status.is_server_error() {
            log_at!(error, self, known, "failed");
        } else if self.status.is_client_error() {
            log_at!(warn, self, known, "refused");
        } else {
            log_at!(info, self, known, "succeeded");
        }
    }
}
