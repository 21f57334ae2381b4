//! What all crates agree on about the log.

/// The target of the events about what operators and teams do. These events are never left out of
/// the log.
pub const AUDIT: &str = "colonnade::audit";
