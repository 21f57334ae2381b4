//! What operators decide about extensions: which of them a point shows, and in which order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::{Name, PointId};

/// An extension, in all versions of its section and of its point.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct ExtensionId {
    /// The section that fills the point.
    #[schema(value_type = Name)]
    pub section: String,
    /// The ID of the point, without a version.
    #[schema(value_type = PointId)]
    pub point: String,
}

/// The rules of one point, from the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointRules {
    /// The sections that come first, in this order. The others follow by the `order` of their
    /// extension, then by name.
    pub order: Vec<String>,
    /// The sections whose extensions are shown; `None` allows all.
    pub allow: Option<Vec<String>>,
}

/// The rules of all points, and the extensions that are switched off.
#[derive(Debug, Default)]
pub struct ExtensionRules {
    /// Unique, except for the rules of a gateway without any.
    revision: u64,
    points: Arc<BTreeMap<String, PointRules>>,
    off: BTreeSet<ExtensionId>,
}

/// Why an operator does not want an extension to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The section is not in the point's `allow`.
    NotAllowed,
    /// The extension is switched off.
    Off,
}

impl ExtensionId {
    /// Whether it is the extension of this section for the point with this ID.
    pub fn is(&self, section: &str, point: &str) -> bool {
        self.section == section && self.point == point
    }
}

impl ExtensionRules {
    /// New rules, by the ID of the point.
    pub fn new(points: Arc<BTreeMap<String, PointRules>>, off: BTreeSet<ExtensionId>) -> Arc<Self> {
        static REVISIONS: AtomicU64 = AtomicU64::new(1);
        Arc::new(Self {
            revision: REVISIONS.fetch_add(1, Ordering::Relaxed),
            points,
            off,
        })
    }

    /// These rules with other points; the same instance if they are equal.
    #[must_use]
    pub fn with_points(self: &Arc<Self>, points: BTreeMap<String, PointRules>) -> Arc<Self> {
        if *self.points == points {
            return Arc::clone(self);
        }
        Self::new(Arc::new(points), self.off.clone())
    }

    /// These rules with other extensions that are switched off; the same instance if they are equal.
    #[must_use]
    pub fn with_off(self: &Arc<Self>, off: BTreeSet<ExtensionId>) -> Arc<Self> {
        if self.off == off {
            return Arc::clone(self);
        }
        Self::new(Arc::clone(&self.points), off)
    }

    /// Identifies these rules in the keys of caches.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Why the extension of a section is not to be shown in a point; `None` if it may be.
    pub fn refusal(&self, section: &str, point: &str) -> Option<Refusal> {
        if self.off.iter().any(|off| off.is(section, point)) {
            return Some(Refusal::Off);
        }
        let allow = self.points.get(point)?.allow.as_ref()?;
        (!allow.iter().any(|name| name == section)).then_some(Refusal::NotAllowed)
    }

    /// The place of a section among those that come first in a point. The others have the same, last
    /// place.
    pub fn place(&self, section: &str, point: &str) -> usize {
        let order = self.points.get(point).map(|rules| &rules.order);
        let place = order.and_then(|order| order.iter().position(|name| name == section));
        place.unwrap_or(usize::MAX)
    }
}
