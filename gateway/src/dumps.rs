//! A crash writes nothing of the process's memory to disk: sign-ups, the backend's key and tokens pass through it.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

/// Gives up core dumps for good. Where the system hands them to a program, which the limit does not prevent, it is told
/// that this process may not be dumped; nor can others of the same user then read its memory or its environment.
pub(crate) fn forbid() -> io::Result<()> {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}
