//! What the gateways of a store tell each other about themselves.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The state of a gateway process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayState {
    /// The name of its machine or pod.
    pub host: String,
    /// The version, with the commit.
    pub version: String,
    /// When the process started.
    #[schema(value_type = String, format = DateTime)]
    pub started_at: Timestamp,
    /// Whether it serves the site, or why it does not.
    #[schema(pattern = "^(ready|degraded|no-live-deployment|overloaded|replaced|shutting-down)$")]
    pub status: String,
    /// Why it is degraded, as `/readyz` says it.
    pub problems: Vec<String>,
    /// Why its store cannot be read or written; null if it can.
    #[schema(required)]
    pub store_problem: Option<String>,
    /// The revision of the live state that it serves.
    #[schema(minimum = 0)]
    pub revision: u64,
    /// The memory that counts against its limit; null if no limit is known.
    #[schema(required)]
    pub memory: Option<MemoryUse>,
    /// When the first certificate of the site listener expires; null without TLS.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub certificate_expires_at: Option<Timestamp>,
    /// Its render workers; null if server rendering is disabled.
    #[schema(required)]
    pub workers: Option<WorkerCount>,
}

/// The memory of a gateway, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryUse {
    /// What is used.
    #[schema(minimum = 0)]
    pub used: u64,
    /// What may be used.
    #[schema(minimum = 1)]
    pub limit: u64,
}

/// The render workers of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerCount {
    /// Those that start and respond.
    #[schema(minimum = 0)]
    pub available: usize,
    /// All of the configuration.
    #[schema(minimum = 1)]
    pub configured: usize,
}
