//! What a gateway tells the others of its store about its process.

use std::fs;

use jiff::Timestamp;

use colonnade_model::fleet::MemoryUse;
use colonnade_store::GatewayId;

/// What the process knows of itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Process {
    /// The memory that counts against the limit, if it is known.
    pub memory: Option<MemoryUse>,
    /// When the first certificate of the site listener expires, if it has any.
    pub certificate_expires_at: Option<Timestamp>,
}

/// Reads what the process knows of itself.
pub type ReadProcess = Box<dyn Fn() -> Process + Send + Sync>;

/// The part of this gateway in the fleet.
pub(crate) struct Member {
    pub(crate) id: GatewayId,
    pub(crate) host: String,
    pub(crate) read: ReadProcess,
}

impl Member {
    pub(crate) fn new(read: ReadProcess) -> Self {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Self {
            id: GatewayId::random(),
            host: host.trim().to_owned(),
            read,
        }
    }
}
