//! The render worker processes of a gateway.

use super::{Gateway, status, wait_until, wait_until_rendered};

/// The process IDs of the render workers.
pub(crate) fn workers(gateway: &Gateway) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", gateway.pid())).unwrap();
    let children =
        tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).ok());
    let children: String = children.collect();
    children
        .split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}

/// The CPU time of a process, in ticks of 10 ms.
pub(crate) fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap().split(' ');
    fields
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum()
}

/// The only worker, once it is idle, and its CPU time so far.
pub(crate) fn idle_worker(gateway: &Gateway) -> (u32, u64) {
    // Before the first render, the only worker may be the one that checked the deploy.
    assert!(wait_until_rendered(gateway, "/healthy/first"));
    wait_until("there is only one worker", || workers(gateway).len() == 1);
    let worker = workers(gateway)[0];
    wait_until("the worker is idle", || status(worker, "Seccomp") == "2");
    (worker, ticks(worker))
}

/// Whether all threads of a process have exited, even if the parent has not reaped it.
pub(crate) fn has_exited(pid: u32) -> bool {
    all_threads_are(pid, 'Z')
}

/// Whether all remaining threads of a process are in this state (`proc_pid_status(5)`).
fn all_threads_are(pid: u32, state: char) -> bool {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return true;
    };
    let status = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.ok()?.path().join("status")).ok()
    };
    let state = format!("State:\t{state}");
    tasks.filter_map(status).all(|status| status.contains(&state))
}

/// Stops a process and waits until all its threads have stopped: the signal reaches them one by one.
pub(crate) fn stop(pid: u32) {
    signal(pid, "STOP");
    wait_until("all threads have stopped", || all_threads_are(pid, 'T'));
}

pub(crate) fn kill(pid: u32) {
    signal(pid, "KILL");
}

pub(crate) fn signal(pid: u32, name: &str) {
    let _ = std::process::Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .output();
}
