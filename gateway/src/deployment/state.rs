//! What is live, and the changes that led there.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What is live now. It is replaced as a whole, against the revision it was read at: that is the one moment at which
/// a change happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct State {
    /// The number of the live deployment.
    pub(crate) live: u64,
    /// The rollout that runs, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rollout: Option<Rollout>,
    /// The change that made this the state: the newest entry of the history.
    pub(crate) change: Change,
}

/// A deployment on its way to be live, which a share of the visitors sees already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Rollout {
    /// Tells it from other rollouts, so that each draws its visitors anew.
    pub(crate) id: String,
    /// The number of the candidate.
    pub(crate) deployment: u64,
    /// The share of visitors who see the candidate, of 100.
    pub(crate) percent: u8,
    /// When it began.
    pub(crate) started_at: Timestamp,
}

/// One entry of the history: who changed what, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Change {
    /// Its place in the history; the first is 1.
    pub(crate) revision: u64,
    /// The newest change before it that altered what is live; 0 if there is none. Whoever looks for what was live goes
    /// from one to the next, however many others lie between them.
    pub(crate) previous: u64,
    /// When.
    pub(crate) at: Timestamp,
    /// The name of the token it was made with, or `gateway` for what the gateway did by itself.
    pub(crate) by: String,
    /// What was done.
    pub(crate) action: Done,
    /// The deployment that is live from then on.
    pub(crate) live: u64,
    /// The one that was live before.
    pub(crate) before: Option<u64>,
    /// The candidate it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) candidate: Option<u64>,
    /// The share of visitors who see the candidate from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) percent: Option<u8>,
    /// The deployment whose set was put back whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) restores: Option<u64>,
    /// What it meant for the shell and each section it touched.
    pub(crate) sections: BTreeMap<String, Move>,
    /// Why, if whoever did it said so.
    pub(crate) reason: Option<String>,
}

/// The release of a section before and after a change; none where the section is not in the set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
}

/// What can be done to what is live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Done {
    /// Releases were put live at once.
    Deploy,
    /// A rollout was started.
    Rollout,
    /// The share of a rollout was changed.
    Percent,
    /// A candidate was put live for everybody.
    Promote,
    /// A candidate was taken back.
    Abort,
    /// A candidate was taken back because it failed more often than what is live.
    AutomaticAbort,
    /// Releases, or a whole set, were put back.
    Rollback,
    /// A link to a preview was made.
    Preview,
    /// All links to previews were ended.
    EndPreviews,
    /// Deployments and releases that nothing needs were removed.
    Collect,
}

impl State {
    /// Its place in the history; rises with every change.
    pub(crate) fn revision(&self) -> u64 {
        self.change.revision
    }
}

impl Change {
    /// Whether another deployment is live since.
    pub(crate) fn altered_live(&self) -> bool {
        self.before != Some(self.live)
    }
}

impl Done {
    /// Whether it put releases live that were not, other than by going back.
    pub(crate) fn is_forward(self) -> bool {
        matches!(self, Self::Deploy | Self::Promote)
    }
}

/// Which releases differ between two sets.
pub(crate) fn moves(
    from: &BTreeMap<String, String>,
    to: &BTreeMap<String, String>,
) -> BTreeMap<String, Move> {
    let names = from.keys().chain(to.keys());
    let moved = names.filter(|name| from.get(*name) != to.get(*name)).map(|name| {
        let (from, to) = (from.get(name).cloned(), to.get(name).cloned());
        (name.clone(), Move { from, to })
    });
    moved.collect()
}
