//! Events: what happens at the site, for other systems and for auditors.
//!
//! Most events are recorded in the store, in two sequences: the changes of the history, and the
//! other calls of the admin API. A [`Position`] counts both.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::deployment::{Change, ChangeKind};
use crate::release::ReleaseSource;
use crate::schema::{Name, ReleaseName, Version};

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum EventType {
    /// A release was published.
    #[serde(rename = "release.published")]
    ReleasePublished,
    /// A deploy, a rollback, a preview or garbage collection.
    #[serde(rename = "deployment.changed")]
    DeploymentChanged,
    /// A rollout started, continued, paused or ended.
    #[serde(rename = "rollout.changed")]
    RolloutChanged,
    /// An extension was switched on or off.
    #[serde(rename = "extension.switched")]
    ExtensionSwitched,
    /// A call with a token that no other event describes, such as a refused one.
    #[serde(rename = "admin.request")]
    AdminRequest,
    /// A gateway uses a new certificate.
    #[serde(rename = "certificate.renewed")]
    CertificateRenewed,
    /// A gateway could not order or load a new certificate.
    #[serde(rename = "certificate.failing")]
    CertificateFailing,
    /// A gateway can no longer read or write the store.
    #[serde(rename = "store.degraded")]
    StoreDegraded,
    /// A gateway can use the store again.
    #[serde(rename = "store.recovered")]
    StoreRecovered,
}

/// How many events of each sequence in the store come before, or are this one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The revision of the last change.
    pub revision: u64,
    /// The number of the last other call.
    pub call: u64,
}

/// An event.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// What tells it apart from all others.
    pub id: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// When it happened.
    #[schema(value_type = String, format = DateTime)]
    pub timestamp: Timestamp,
    /// What happened.
    pub data: EventData,
    /// Where the releases of a change come from, by `name@version`: of those that are retained and
    /// have a source.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<ReleaseName, ReleaseSource>, required = false)]
    pub sources: BTreeMap<String, ReleaseSource>,
    /// `None`: it is not in the store.
    #[serde(skip)]
    pub position: Option<Position>,
}

/// What happened.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
pub enum EventData {
    /// An entry of the history.
    Change(Box<Change>),
    /// A release that was published.
    Published(PublishedVersion),
    /// Another call.
    Call(AuditEntry),
    /// The state of a gateway.
    Condition(Condition),
}

/// A release that was published.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedVersion {
    /// The section, or `shell`.
    #[schema(value_type = Name)]
    pub name: String,
    /// The version.
    #[schema(value_type = Version)]
    pub version: String,
    /// The name of the token that published it.
    pub by: String,
    /// Where it comes from; absent if the publisher did not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub source: Option<ReleaseSource>,
}

/// The state of a gateway that an operator should know.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The host name of the gateway's machine.
    pub gateway: String,
    /// What it is about, such as a certificate.
    pub subject: String,
    /// Why it fails; null if it does not.
    #[schema(required)]
    pub error: Option<String>,
}

/// A call of the admin API with a known token that the history does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// When the call ended.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The name of the token.
    pub by: String,
    /// What the call does, such as `publish`.
    pub action: String,
    /// The releases, the section or the deployment; null if it names none.
    #[schema(required)]
    pub target: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// The status of the response.
    #[schema(minimum = 200, maximum = 599)]
    pub status: u16,
    /// Why it was refused or failed; null if it succeeded.
    #[schema(required)]
    pub cause: Option<String>,
    /// The reason that the caller gave; null without one.
    #[schema(required)]
    pub reason: Option<String>,
    /// The issuer of the caller's ID token or certificate; absent for a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub issuer: Option<String>,
    /// The caller's ID at the issuer; absent for a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub subject: Option<String>,
    /// Where the release of a publish comes from; absent if the publisher did not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub source: Option<ReleaseSource>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// With a status below 400.
    Succeeded,
    /// With a `4xx` status.
    Refused,
    /// With a `5xx` status.
    Failed,
}

impl EventType {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::ReleasePublished,
        Self::DeploymentChanged,
        Self::RolloutChanged,
        Self::ExtensionSwitched,
        Self::AdminRequest,
        Self::CertificateRenewed,
        Self::CertificateFailing,
        Self::StoreDegraded,
        Self::StoreRecovered,
    ];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReleasePublished => "release.published",
            Self::DeploymentChanged => "deployment.changed",
            Self::RolloutChanged => "rollout.changed",
            Self::ExtensionSwitched => "extension.switched",
            Self::AdminRequest => "admin.request",
            Self::CertificateRenewed => "certificate.renewed",
            Self::CertificateFailing => "certificate.failing",
            Self::StoreDegraded => "store.degraded",
            Self::StoreRecovered => "store.recovered",
        }
    }

    fn of_change(kind: ChangeKind) -> Self {
        use ChangeKind as Kind;
        match kind {
            Kind::Rollout | Kind::Percent | Kind::Promote | Kind::Abort | Kind::AutomaticAbort => {
                Self::RolloutChanged
            }
            Kind::ExtensionOff | Kind::ExtensionOn => Self::ExtensionSwitched,
            Kind::Deploy | Kind::Rollback | Kind::Preview | Kind::EndPreviews | Kind::GarbageCollection => {
                Self::DeploymentChanged
            }
        }
    }
}

impl Event {
    /// The event of a change, which is the last one at `position`. A store that was restored uses
    /// numbers again, so that IDs have the time, too.
    pub fn of_change(change: Change, position: Position) -> Self {
        let (kind, at) = (EventType::of_change(change.action), change.at);
        let id = format!("change-{}-{}", change.revision, at.as_second());
        Self {
            id,
            kind,
            timestamp: at,
            data: EventData::Change(Box::new(change)),
            sources: BTreeMap::new(),
            position: Some(position),
        }
    }

    /// The event of another call, which is the last one at `position`.
    pub fn of_call(entry: AuditEntry, position: Position) -> Self {
        let at = entry.at;
        // Publishing the same release again stores nothing.
        let is_publish = entry.action == "publish" && entry.status == 201;
        let release = entry.target.as_ref().and_then(|target| target.split_once('@'));
        let published = release
            .filter(|_| is_publish)
            .map(|(name, version)| PublishedVersion {
                name: name.to_owned(),
                version: version.to_owned(),
                by: entry.by.clone(),
                source: entry.source.clone(),
            });
        let (kind, data) = match published {
            Some(published) => (EventType::ReleasePublished, EventData::Published(published)),
            None => (EventType::AdminRequest, EventData::Call(entry)),
        };
        Self {
            id: format!("call-{}-{}", position.call, at.as_second()),
            kind,
            timestamp: at,
            data,
            sources: BTreeMap::new(),
            position: Some(position),
        }
    }

    /// An event that is in no store.
    pub fn of_condition(kind: EventType, at: Timestamp, condition: Condition) -> Self {
        Self {
            id: format!("condition-{:032x}", colonnade_random::random::<u128>()),
            kind,
            timestamp: at,
            data: EventData::Condition(condition),
            sources: BTreeMap::new(),
            position: None,
        }
    }
}

impl Outcome {
    /// The name of the outcome.
    pub fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// The outcome of a call with this status.
    pub fn of_status(status: u16) -> Self {
        match status {
            500.. => Self::Failed,
            400.. => Self::Refused,
            _ => Self::Succeeded,
        }
    }
}

impl Position {
    /// The later of both in each sequence.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            revision: self.revision.max(other.revision),
            call: self.call.max(other.call),
        }
    }

    /// Whether the event at this position comes after `other`.
    #[must_use]
    pub fn is_after(self, other: Self) -> bool {
        self.max(other) != other
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.revision, self.call)
    }
}

impl FromStr for Position {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.split_once('-');
        let numbers = numbers.and_then(|(revision, call)| Some((revision.parse().ok()?, call.parse().ok()?)));
        let (revision, call) = numbers.ok_or("expected a position, such as 42-17")?;
        Ok(Self { revision, call })
    }
}
