//! The parts of [`Deployments`].
//!
//! [`Deployments`]: crate::deployment::Deployments

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use tokio::sync::{Mutex, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::deployment::metrics::DeploymentMetrics;
use crate::deployment::settings::Settings;
use crate::deployment::snapshot::Snapshot;
use crate::deployment::types::Warm;
use crate::events::EventStream;
use colonnade_diagnostics::Diagnostics;
use colonnade_render::Renderer;

/// Returns what visitors miss because of another part of the gateway, if anything.
pub type Degradation = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The current snapshot, and how recent it is.
pub(super) struct Snapshots {
    pub(super) current: ArcSwap<Snapshot>,
    /// The revision of the current snapshot.
    pub(super) revision: watch::Sender<u64>,
    /// The last read of the live state. Held during reads.
    pub(super) last_read: Mutex<LastRead>,
    /// The snapshot has all changes that were made before. `None`: it lacks something.
    pub(super) newest_at: parking_lot::Mutex<Option<Instant>>,
}

/// A read of the live state that has ended, or was given up.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastRead {
    pub(super) began_at: Instant,
    pub(super) has_succeeded: bool,
    /// When the live state was last found to be another one.
    pub(super) changed_at: Instant,
    /// When all of the store was last read.
    pub(super) refreshed_at: Instant,
}

/// What the operator gives to releases.
#[derive(Default)]
pub(super) struct OperatorSettings {
    /// The paths of files that the gateway serves in place of pages.
    pub(super) files: OnceLock<BTreeSet<String>>,
    /// The settings that releases read. `None`: releases are not checked against them.
    pub(super) settings: ArcSwapOption<Settings>,
}

/// What renders deployments.
pub(super) struct Rendering {
    /// Renders deployments before they go live. `None`: there are no trial renders.
    pub(super) renderer: Option<Arc<Renderer>>,
    /// Renders the documents of live deployments. `None`: the document cache is not warmed.
    pub(super) warmer: Option<Arc<dyn Warm>>,
    /// The background task that warms the document cache.
    pub(super) warming: parking_lot::Mutex<Option<AbortHandle>>,
}

/// The section logs, metrics and events that a change is recorded in.
pub(super) struct Observers {
    pub(super) diagnostics: Arc<Diagnostics>,
    pub(super) metrics: DeploymentMetrics,
    pub(super) events: EventStream,
}

/// Why `/readyz` says that the gateway is degraded.
#[derive(Default)]
pub(super) struct Health {
    pub(super) degradation: OnceLock<Degradation>,
    /// Why the store cannot be written.
    pub(super) write_problem: parking_lot::Mutex<Option<String>>,
    /// Why the last poll of the store failed.
    pub(super) store_problem: parking_lot::Mutex<Option<String>>,
}

impl Snapshots {
    /// The first snapshot, of which the read began at `began_at`.
    pub(super) fn new(snapshot: Arc<Snapshot>, began_at: Instant) -> Self {
        Self {
            revision: watch::Sender::new(snapshot.revision()),
            current: ArcSwap::new(snapshot),
            last_read: Mutex::new(LastRead {
                began_at,
                has_succeeded: true,
                changed_at: began_at,
                refreshed_at: began_at,
            }),
            newest_at: parking_lot::Mutex::new(Some(began_at)),
        }
    }
}
