//! Operations on the store: publish, deploy, roll back, roll out, preview and collect garbage.

pub mod deployment;
pub mod events;
#[cfg(any(test, feature = "testing"))]
pub mod fuzzing;
pub mod preview;
pub mod publish;
pub mod rollout;
mod signature;
