//! The restrictions that a render worker puts on itself before it executes a script.

use std::io;

use rustix::process::{Resource, Rlimit, getpriority_process, setpriority_process, setrlimit};

/// The memory for what is not a script's, in bytes: the thread's stack, the modules' sources, and
/// the page on its way out.
const NATIVE_MEMORY: u64 = 96 * MIB;

/// The address space that a worker may reserve beyond its memory, in bytes. Allocators reserve much
/// more than they use.
const RESERVED_ADDRESS_SPACE: u64 = 512 * MIB;

const MIB: u64 = 1024 * 1024;

/// The nice value of workers (setpriority(2)), so that renders do not delay the gateway's other
/// work.
const NICENESS: i32 = 5;

/// Lowers the scheduling priority, and makes the kernel kill the worker when the gateway exits.
pub(super) fn lower_priority() -> io::Result<()> {
    // Only a privileged process may raise its priority, and the gateway's may be lower already.
    if getpriority_process(None)? < NICENESS {
        setpriority_process(None, NICENESS)?;
    }
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    Ok(())
}

/// Sets resource limits: no more open files, no file writes, and memory for scripts that use
/// `script_memory` bytes. The engine enforces its own limit first, except in its native functions.
pub(super) fn limit_resources(script_memory: u64) -> io::Result<()> {
    let memory = script_memory.saturating_add(NATIVE_MEMORY);
    for (resource, max) in [
        (Resource::Data, memory),
        (Resource::As, memory.saturating_add(RESERVED_ADDRESS_SPACE)),
        (Resource::Fsize, 0),
        // Only the open ones: standard input, output and error.
        (Resource::Nofile, 3),
    ] {
        let limit = Rlimit {
            current: Some(max),
            maximum: Some(max),
        };
        setrlimit(resource, limit)?;
    }
    Ok(())
}

/// Installs a seccomp filter that allows only system calls for memory, time and the pipes. Sets
/// `no_new_privs` first, which the kernel requires for this.
#[cfg(target_os = "linux")]
pub(super) fn install_seccomp_filter() -> io::Result<()> {
    use std::collections::BTreeMap;

    use libc as c;
    use seccompiler::SeccompCmpArgLen::Dword;
    use seccompiler::SeccompCmpOp::Eq;
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCondition, SeccompFilter, SeccompRule, apply_filter_all_threads,
    };

    rustix::thread::set_no_new_privs(true)?;
    let mut rules: BTreeMap<_, _> = calls::ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    // Only standard input and output: the gateway may have inherited other open files.
    for (call, file) in [(c::SYS_read, 0), (c::SYS_write, 1)] {
        let only = SeccompCondition::new(0, Dword, Eq, file).map_err(io::Error::other)?;
        let rule = SeccompRule::new(vec![only]).map_err(io::Error::other)?;
        rules.insert(call, vec![rule]);
    }
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(
        rules,
        // An error instead of a kill: the allocator queries the number of processors and copes with
        // an error.
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

/// Seccomp exists only on Linux.
#[cfg(not(target_os = "linux"))]
pub(super) fn install_seccomp_filter() -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
mod calls {
    use libc as c;

    /// The system calls for allocation, waiting and exit.
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
