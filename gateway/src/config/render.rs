//! `[render]`: what rendering on the server may cost.

use std::time::Duration;

use super::reader::{Read, Table, count, truth};

/// What rendering on the server may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Render {
    /// Whether pages are rendered on the server at all.
    pub(crate) enabled: bool,
    /// Whether the paths that pages name are rendered before anybody asks for them.
    pub(crate) warm: bool,
    /// How many render workers there are.
    pub(crate) workers: usize,
    /// How many renders may wait for one.
    pub(crate) queue: usize,
    /// How long a document waits for its render, and for the queue before it.
    pub(crate) deadline: Duration,
    /// The CPU time of one render.
    pub(crate) cpu: Duration,
    /// The memory of one render, in bytes.
    pub(crate) memory: usize,
    /// How many failures in a row make a section be left to the browser.
    pub(crate) failures: u32,
    /// For how long.
    pub(crate) rest: Duration,
    /// The most bytes kept of what was rendered.
    pub(crate) cache: usize,
}

impl Default for Render {
    fn default() -> Self {
        Self {
            enabled: true,
            warm: true,
            workers: std::thread::available_parallelism().map_or(2, usize::from),
            queue: 64,
            deadline: Duration::from_secs(1),
            cpu: Duration::from_millis(500),
            memory: 64 * MIB,
            failures: 5,
            rest: Duration::from_secs(30),
            cache: 64 * MIB,
        }
    }
}

const MIB: usize = 1024 * 1024;
const NUMBER: &str = "a whole number above zero";

/// Reads `[render]`.
pub(super) fn read(mut table: Table<'_>) -> Option<Render> {
    let default = Render::default();
    let enabled = table.optional("enabled", "true or false", truth);
    let warm = table.optional("warm", "true or false", truth);
    let workers = table.optional("workers", "a whole number from 1 to 256", |value| {
        up_to(256)(count(value)?)
    });
    let queue = table.optional("queue", "a whole number from 1 to 65536", |value| {
        up_to(65_536)(count(value)?)
    });
    let deadline = table.optional("deadline_ms", NUMBER, count);
    let cpu = table.optional("cpu_ms", NUMBER, count);
    let memory = table.optional("memory_mib", "a whole number from 1 to 512", |value| {
        up_to(512)(count(value)?)
    });
    let failures = table.optional("failures", NUMBER, |value| {
        u32::try_from(count(value)?).map_err(|_| "is too large".to_owned())
    });
    let rest = table.optional("rest_seconds", NUMBER, count);
    let cache = table.optional("cache_mib", "a whole number from 1 to 65536", |value| {
        up_to(65_536)(count(value)?)
    });
    table.finish();
    Some(Render {
        enabled: enabled?.unwrap_or(default.enabled),
        warm: warm?.unwrap_or(default.warm),
        workers: workers?.unwrap_or(default.workers),
        queue: queue?.unwrap_or(default.queue),
        deadline: deadline?.map_or(default.deadline, Duration::from_millis),
        cpu: cpu?.map_or(default.cpu, Duration::from_millis),
        memory: memory?.map_or(default.memory, |mib| mib * MIB),
        failures: failures?.unwrap_or(default.failures),
        rest: rest?.map_or(default.rest, Duration::from_secs),
        cache: cache?.map_or(default.cache, |mib| mib * MIB),
    })
}

fn up_to(most: usize) -> impl Fn(u64) -> Read<usize> {
    move |number| {
        usize::try_from(number)
            .ok()
            .filter(|number| *number <= most)
            .ok_or(format!("is {number}"))
    }
}
