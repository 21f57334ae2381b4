//! The progress of a rollout through its steps.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::deployment::{RolloutStep, RolloutSteps};
use crate::unknown_fields::UnknownFields;

/// The steps of a rollout, and the step that it is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutProgress {
    /// The steps.
    pub steps: RolloutSteps,
    /// The index of the current step.
    pub step: usize,
    /// When the current step began.
    pub step_started_at: Timestamp,
    /// Whether the rollout stays in its step until it is resumed.
    #[serde(default)]
    pub paused: bool,
    /// The fields of newer gateways.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

impl RolloutProgress {
    /// The beginning of the first step.
    pub fn new(steps: RolloutSteps, now: Timestamp) -> Self {
        Self {
            steps,
            step: 0,
            step_started_at: now,
            paused: false,
            unknown: UnknownFields::default(),
        }
    }

    /// The current step. A stored index beyond the steps means the last one.
    pub fn current(&self) -> RolloutStep {
        let steps = self.steps.as_slice();
        steps[self.step.min(steps.len() - 1)]
    }

    /// The step after the current one that raises `percent`; `None` means that the candidate goes
    /// live for all visitors.
    #[must_use]
    pub fn advanced(&self, percent: u8, now: Timestamp) -> Option<Self> {
        let steps = self.steps.as_slice().iter().enumerate();
        let (step, _) = steps
            .skip(self.step + 1)
            .find(|(_, step)| step.percent > percent)?;
        Some(Self {
            step,
            step_started_at: now,
            ..self.clone()
        })
    }

    /// The same step, paused.
    #[must_use]
    pub fn paused(&self) -> Self {
        Self {
            paused: true,
            ..self.clone()
        }
    }

    /// The last step that does not raise `percent`, or else the first step, from its beginning.
    #[must_use]
    pub fn resumed(&self, percent: u8, now: Timestamp) -> Self {
        let steps = self.steps.as_slice();
        let within = steps.iter().rposition(|step| step.percent <= percent);
        Self {
            step: within.unwrap_or(0),
            step_started_at: now,
            paused: false,
            ..self.clone()
        }
    }
}
