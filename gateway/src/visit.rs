//! Which deployment a visitor sees: one, whole, from the document to the last file.

use std::sync::Arc;

use http::HeaderMap;

use crate::cookie;
use crate::deployment::{Rollout, Set, Snapshot};
use crate::document::Keeper;
use crate::preview::{self, Preview};
use crate::reply::Reply;
use crate::rollout::{COOKIE, COOKIE_SECONDS, Draw, Side};

/// What a visitor sees.
pub(crate) struct Visit<'a> {
    /// The deployment.
    pub(crate) set: &'a Arc<Set>,
    manner: Manner<'a>,
    /// Whether the browser has a preview cookie that is worth nothing.
    stale_preview: bool,
}

/// Why it is this deployment.
enum Manner<'a> {
    /// It is live, and no rollout runs.
    Live,
    /// The visitor drew it.
    Rollout {
        rollout: &'a Rollout,
        side: Side,
        draw: Draw,
        /// Whether the visitor has drawn just now.
        is_new: bool,
    },
    /// The visitor has a link to it.
    Preview,
}

impl<'a> Visit<'a> {
    /// What the sender of these headers sees; `None` if nothing is live.
    pub(crate) fn of(snapshot: &'a Snapshot, headers: &HeaderMap) -> Option<Self> {
        let live = snapshot.live()?;
        let preview = Preview::of(snapshot, headers);
        let stale_preview = matches!(preview, Preview::Over);
        let (set, manner) = match (preview, snapshot.rollout()) {
            (Preview::Of(set), _) => (set, Manner::Preview),
            (_, None) => (live, Manner::Live),
            (_, Some(running)) => {
                let rollout = &running.record;
                let drawn = Draw::of(headers, rollout);
                let draw = drawn.unwrap_or_else(Draw::new);
                let (set, side) = if draw.is_within(rollout.percent) {
                    (&running.candidate, Side::Candidate)
                } else {
                    (live, Side::Live)
                };
                let manner = Manner::Rollout {
                    rollout,
                    side,
                    draw,
                    is_new: drawn.is_none(),
                };
                (set, manner)
            }
        };
        Some(Self {
            set,
            manner,
            stale_preview,
        })
    }

    /// That of everybody who sees this set, live and without a rollout.
    pub(crate) fn live(set: &'a Arc<Set>) -> Self {
        Self {
            set,
            manner: Manner::Live,
            stale_preview: false,
        }
    }

    /// Who may keep the documents of this visit.
    pub(crate) fn keeper(&self) -> Keeper {
        match self.manner {
            Manner::Preview => Keeper::Nobody,
            _ if self.stale_preview => Keeper::Nobody,
            Manner::Rollout { .. } => Keeper::Visitor,
            Manner::Live => Keeper::Everybody,
        }
    }

    /// Whether it is a preview.
    pub(crate) fn is_preview(&self) -> bool {
        matches!(self.manner, Manner::Preview)
    }

    /// The rollout it belongs to, and on which side.
    pub(crate) fn rollout(&self) -> Option<(&'a Rollout, Side)> {
        match self.manner {
            Manner::Rollout { rollout, side, .. } => Some((rollout, side)),
            _ => None,
        }
    }

    /// Has the browser remember what it needs for the next visit to be the same.
    pub(crate) fn remember(&self, reply: &mut Reply, secure: bool) {
        let headers = reply.headers_mut();
        if self.stale_preview {
            preview::forget(headers, secure);
        }
        match self.manner {
            Manner::Rollout {
                rollout,
                draw,
                is_new: true,
                ..
            } => cookie::set(headers, COOKIE, &draw.cookie(rollout), COOKIE_SECONDS, secure),
            Manner::Preview => headers.extend([preview::ROBOTS]),
            _ => {}
        }
    }
}
