//! Core dump protection. The process's memory holds what visitors type, API keys of backends and
//! tokens.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

/// Disables core dumps for good. The limit does not stop systems that pipe core dumps to a program;
/// marking the process as not dumpable does, and also keeps other processes of the same user from
/// reading its memory and environment.
pub(crate) fn disable() -> io::Result<()> {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}
