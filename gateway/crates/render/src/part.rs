//! The parts of a section that metrics tell apart.

use std::fmt;

use prometheus_client::encoding::{EncodeLabel as _, EncodeLabelSet, LabelSetEncoder};

use colonnade_model::release::PointReference;

use crate::request::CircuitKey;

/// The pages of a section, or one of its extensions, which has the label `extension_point`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Part {
    section: String,
    point: Option<PointReference>,
}

impl Part {
    /// What a circuit is for.
    pub(super) fn of(circuit: &CircuitKey) -> Self {
        Self {
            section: circuit.releases.section.name.clone(),
            point: circuit.point.clone(),
        }
    }
}

impl EncodeLabelSet for Part {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        ("section", &*self.section).encode(encoder.encode_label())?;
        match &self.point {
            Some(point) => ("extension_point", point.as_str()).encode(encoder.encode_label()),
            None => Ok(()),
        }
    }
}
