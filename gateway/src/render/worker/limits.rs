//! What a render worker gives up before it runs anything.

use std::io;

use rustix::process::{Resource, Rlimit, setpriority_process, setrlimit};

/// The most address space of a worker, in bytes: far above what a render may take, so that it is the engine's own limit
/// that is hit.
const ADDRESS_SPACE: u64 = 1024 * 1024 * 1024;

/// How far workers stand back (setpriority(2)): whoever only waits for bytes is never kept waiting by a render.
const NICENESS: i32 = 5;

/// Leaves the processor to the gateway where both want it, and ends with the gateway, also in the middle of a loop.
pub(super) fn stand_back() -> io::Result<()> {
    setpriority_process(None, NICENESS)?;
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    Ok(())
}

/// Lowers what the process may ever use: no further files, no core dump, a bounded address space.
pub(super) fn limit_resources() -> io::Result<()> {
    for (resource, most) in [
        (Resource::As, ADDRESS_SPACE),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        // Those that are open stay open: its pipes, and what errors go to.
        (Resource::Nofile, 3),
    ] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit)?;
    }
    Ok(())
}

/// Gives up every system call but those for memory, time and the pipes; any other is refused. Also gives up
/// gaining privileges, without which the system would not allow this.
#[cfg(target_os = "linux")]
pub(super) fn forbid_system_calls() -> io::Result<()> {
    use std::collections::BTreeMap;

    use libc as c;
    use seccompiler::SeccompCmpArgLen::Dword;
    use seccompiler::SeccompCmpOp::Eq;
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCondition, SeccompFilter, SeccompRule, apply_filter_all_threads,
    };

    rustix::thread::set_no_new_privs(true)?;
    let mut rules: BTreeMap<_, _> = calls::ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    // Orders and reports alone: whoever started the gateway may have left it other files open.
    for (call, file) in [(c::SYS_read, 0), (c::SYS_write, 1)] {
        let only = SeccompCondition::new(0, Dword, Eq, file).map_err(io::Error::other)?;
        let rule = SeccompRule::new(vec![only]).map_err(io::Error::other)?;
        rules.insert(call, vec![rule]);
    }
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(
        rules,
        // Refused rather than killed for: the allocator looks for the number of processors, and does without.
        SeccompAction::Errno(c::EPERM as u32),
        SeccompAction::Allow,
        architecture,
    );
    let program: BpfProgram = filter
        .map_err(io::Error::other)?
        .try_into()
        .map_err(io::Error::other)?;
    apply_filter_all_threads(&program).map_err(io::Error::other)
}

/// Elsewhere the other limits have to do.
#[cfg(not(target_os = "linux"))]
pub(super) fn forbid_system_calls() -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
mod calls {
    use libc as c;

    /// What allocating, waiting and ending need.
    pub(super) const ALLOWED: &[i64] = &[
        c::SYS_brk,
        c::SYS_mmap,
        c::SYS_munmap,
        c::SYS_mremap,
        c::SYS_mprotect,
        c::SYS_madvise,
        c::SYS_futex,
        c::SYS_clock_gettime,
        c::SYS_getrandom,
        c::SYS_sigaltstack,
        c::SYS_rt_sigreturn,
        c::SYS_rt_sigprocmask,
        c::SYS_sched_yield,
        c::SYS_exit,
        c::SYS_exit_group,
    ];
}
