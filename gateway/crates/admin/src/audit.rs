//! The audit log: one event for each request to the admin API, whatever its outcome. The store has
//! those with a known token that change something, or try to, unless its history does.
//!
//! An event contains only text that the gateway knows or that a known token sent. Everything else
//! that a client sends may contain a secret, such as a token in the wrong place.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout;

use colonnade_identity::Holder;
use colonnade_model::event::{AuditEntry, Outcome};
use colonnade_model::release::ReleaseSource;
use colonnade_model::schema::{Name, RequestedReleases, Version, VersionOrNull};
use colonnade_platform::events::Events;
use colonnade_web::log::AUDIT;

use crate::access::Identity;
use crate::parameters::Parameters;
use crate::sessions::Session;

/// The maximum number of releases in an event.
const MAX_RELEASES: usize = 32;

/// How long the response to a publish waits until the store has the event.
const RECORD_TIMEOUT: Duration = Duration::from_secs(2);

/// The event of one request. It is logged when it is dropped, so that a panic and an interrupted
/// request are logged, too.
pub(crate) struct AuditEvent {
    /// False for requests that are no calls of the API.
    pub(crate) is_logged: bool,
    pub(crate) method: Method,
    /// The client's IP address, if the log contains addresses.
    pub(crate) client_ip: Option<IpAddr>,
    pub(crate) caller: AuditCaller,
    pub(crate) events: Arc<Events>,
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
    /// The issuer and the subject of an ID token or a certificate.
    holder: Option<(String, String)>,
    target: Option<String>,
    reason: Option<String>,
    source: Option<ReleaseSource>,
}

/// A caller with a known token.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) identity: &'a Identity,
    /// The session, if the request has one instead of the token itself.
    pub(crate) session: Option<&'a Session>,
    audit: &'a AuditCaller,
}

impl AuditCaller {
    /// Records the caller's name. Its token may have expired.
    pub(crate) fn set_name(&self, name: &str) {
        self.0.lock().token = Some(name.to_owned());
    }

    /// Records the holder of a valid ID token or certificate.
    pub(crate) fn set_holder(&self, holder: &Holder) {
        self.0.lock().holder = Some((holder.issuer.clone(), holder.subject.clone()));
    }

    /// The caller with this identity, from its token or from its session.
    pub(crate) fn known<'a>(&'a self, identity: &'a Identity, session: Option<&'a Session>) -> Caller<'a> {
        Caller {
            identity,
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

    /// Records where the release comes from that the caller publishes.
    pub(crate) fn set_source(self, source: Option<&ReleaseSource>) {
        self.audit.0.lock().source = source.cloned();
    }
}

impl AuditEvent {
    /// What the request does, by the names that tokens and the history use.
    fn action(&self) -> &'static str {
        let resource = self.route.rsplit('/').next().unwrap_or_default();
        match (&self.method, resource) {
            (&Method::GET | &Method::HEAD | &Method::OPTIONS, _) | (&Method::POST, "plan" | "trial") => READ,
            (&Method::PUT, ":version") => PUBLISH,
            (&Method::POST, "deployments") => "deploy",
            (&Method::POST, "promote") => "promote",
            (&Method::POST, "abort") => "abort",
            (&Method::POST, "pause") => "pause",
            (&Method::POST, "resume") => "resume",
            (&Method::POST, "rollback") => "rollback",
            (&Method::POST, "previews") => "preview",
            (&Method::POST, "session" | "sign-in" | "complete") => SIGN_IN,
            (&Method::DELETE, "session") => SIGN_OUT,
            (&Method::DELETE, "previews") => "end_previews",
            (&Method::POST, "extensions") => "switch_extension",
            (&Method::POST, "garbage-collection") => "garbage_collect",
            (&Method::POST, "purge") => PURGE,
            _ => "none",
        }
    }
}

const READ: &str = "read";
const PUBLISH: &str = "publish";
const SIGN_IN: &str = "sign_in";
const SIGN_OUT: &str = "sign_out";
const PURGE: &str = "purge";

/// Logs an event at this level; the level of an event must be constant.
macro_rules! log_at {
    ($level:ident, $event:expr, $known:expr, $outcome:expr) => {
        tracing::$level!(
            target: AUDIT,
            event = "admin_request",
            token = $known.token,
            issuer = $known.holder.as_ref().map(|(issuer, _)| issuer),
            subject = $known.holder.as_ref().map(|(_, subject)| subject),
            action = $event.action(),
            target = $known.target,
            outcome = $outcome.name(),
            cause = $event.cause,
            status = $event.status.as_u16(),
            reason = $known.reason,
            route = &*$event.route,
            client_ip = $event.client_ip.map(tracing::field::display),
        )
    };
}

impl AuditEvent {
    /// Logs the event. For a release that was published, waits until the store has the event.
    pub(crate) async fn complete(mut self) {
        let is_published = self.action() == PUBLISH && self.status == StatusCode::CREATED;
        if let Some(recorded) = self.log().filter(|_| is_published) {
            // A store that fails delays no response for long. What is lost is logged.
            let _ = timeout(RECORD_TIMEOUT, recorded).await;
        }
    }

    fn log(&mut self) -> Option<oneshot::Receiver<()>> {
        if !std::mem::take(&mut self.is_logged) {
            return None;
        }
        let known = self.caller.0.lock();
        let outcome = Outcome::of_status(self.status.as_u16());
        match outcome {
            Outcome::Failed => log_at!(error, self, known, outcome),
            Outcome::Refused => log_at!(warn, self, known, outcome),
            Outcome::Succeeded => log_at!(info, self, known, outcome),
        }
        let action = self.action();
        let is_in_history =
            outcome == Outcome::Succeeded && ![PUBLISH, SIGN_IN, SIGN_OUT, PURGE].contains(&action);
        if action == READ || is_in_history {
            return None;
        }
        let (issuer, subject) = known.holder.clone().unzip();
        Some(self.events.record(AuditEntry {
            at: colonnade_clock::now(),
            by: known.token.clone()?,
            action: action.to_owned(),
            target: known.target.clone(),
            outcome,
            status: self.status.as_u16(),
            cause: self.cause.map(str::to_owned),
            reason: known.reason.clone(),
            issuer,
            subject,
            source: known.source.clone(),
        }))
    }
}

impl Drop for AuditEvent {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.status = StatusCode::INTERNAL_SERVER_ERROR;
            self.cause = Some("panic");
        }
        drop(self.log());
    }
}
