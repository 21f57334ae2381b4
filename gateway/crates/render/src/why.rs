//! Why the browser renders a page, not the gateway.

use colonnade_diagnostics::ErrorClass;
use serde::{Deserialize, Serialize};

/// The maximum length of an error message, in characters.
const MAX_MESSAGE_CHARS: usize = 2000;

/// Why a page was not rendered. The browser renders it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Server rendering is disabled, or a release has no server modules: the browser always renders
    /// the page. A worker cannot say so.
    #[serde(skip_deserializing)]
    BrowserOnly,
    /// The section or the shell threw an exception, or returned a promise that is never settled.
    Exception,
    /// The render exceeded the CPU time limit.
    CpuLimit,
    /// The render exceeded the memory limit.
    MemoryLimit,
    /// The worker process crashed.
    WorkerCrashed,
    /// The worker was killed because it did not respond, although it had CPU time left.
    WorkerUnresponsive,
    /// No worker starts and responds.
    NoWorker,
    /// The queue was full and others held less, or the render was queued for too long.
    QueueFull,
    /// The gateway is short of memory.
    MemoryShort,
    /// The render was not done before the document's deadline. Its page is cached once it is done.
    DeadlineExceeded,
    /// The server modules could not be read from the store.
    StoreError,
    /// The circuit breaker is open, because renders of the section failed.
    CircuitOpen,
    /// The document does not wait for the extension, which takes longer than it did so far, or has just
    /// exceeded a limit. A worker renders it for the next document.
    Postponed,
    /// The render failed with the result of a query that the limits of this client rejected.
    ClientLimited,
}

impl Why {
    /// Every reason that counts as an outcome of a render.
    #[cfg(test)]
    pub(crate) const OUTCOMES: [Self; 12] = [
        Self::Exception,
        Self::CpuLimit,
        Self::MemoryLimit,
        Self::WorkerCrashed,
        Self::WorkerUnresponsive,
        Self::NoWorker,
        Self::QueueFull,
        Self::MemoryShort,
        Self::DeadlineExceeded,
        Self::StoreError,
        Self::CircuitOpen,
        Self::Postponed,
    ];

    /// The label in the log, in metrics and in the error log of a section.
    pub fn label(self) -> &'static str {
        match self {
            Self::BrowserOnly => "browser_only",
            Self::Exception => "exception",
            Self::CpuLimit => "cpu_limit",
            Self::MemoryLimit => "memory_limit",
            Self::WorkerCrashed => "worker_crashed",
            Self::WorkerUnresponsive => "worker_unresponsive",
            Self::NoWorker => "no_worker",
            Self::QueueFull => "queue_full",
            Self::MemoryShort => "memory_short",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::StoreError => "store_error",
            Self::CircuitOpen => "circuit_open",
            Self::Postponed => "postponed",
            Self::ClientLimited => "client_limited",
        }
    }

    /// Whether the rendered releases may be the reason: their code failed, or was slow. Circuit
    /// breakers and canary analysis count it.
    pub fn blames_release(self) -> bool {
        matches!(
            self,
            Self::Exception
                | Self::CpuLimit
                | Self::MemoryLimit
                | Self::WorkerCrashed
                | Self::DeadlineExceeded
        )
    }

    /// Whether the error log of the section counts it: its releases may be the reason, or a render
    /// of them was interrupted or is suspended.
    pub(crate) fn concerns_release(self) -> bool {
        self.blames_release() || matches!(self, Self::WorkerUnresponsive | Self::CircuitOpen)
    }

    /// Whether a document without the page may be cached: the next render has the same outcome.
    pub fn may_cache(self) -> bool {
        self == Self::BrowserOnly
    }

    /// Whether the limits of the requesting client are the reason, so that another client may get
    /// the page.
    pub(crate) fn is_of_client(self) -> bool {
        matches!(self, Self::QueueFull | Self::ClientLimited)
    }
}

/// A failed render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) why: Why,
    /// The error message. It may contain personal data.
    pub(crate) message: String,
    /// The class of the thrown error.
    pub(crate) class: Option<ErrorClass>,
}

impl Failure {
    pub(crate) fn new(why: Why, message: &str) -> Self {
        Self {
            why,
            message: message.chars().take(MAX_MESSAGE_CHARS).collect(),
            class: None,
        }
    }

    /// The position of the innermost frame in the section's module, such as `section:1:234`. Nothing
    /// else of the message.
    pub(crate) fn position(&self) -> Option<String> {
        // The frames are the last lines, of which the engine writes each. A function without expressions,
        // such as the constructor that a class of errors has by default, gets column 1.
        let frames = self.message.lines().rev().map_while(position_of);
        let innermost = frames.filter(|(_, column)| *column > 1).last()?;
        Some(format!("section:{}:{}", innermost.0, innermost.1))
    }
}

/// The line and column of a frame, such as `at page (section:1:234)` or `at section:1:234`.
pub(crate) fn position_of(frame: &str) -> Option<(u32, u32)> {
    let frame = frame.trim_start().strip_prefix("at ")?;
    let (_, position) = frame.trim_end_matches(')').rsplit_once("section:")?;
    let (line, column) = position.split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{Failure, Why};

    #[test]
    fn position_is_that_of_innermost_frame() {
        let position = |message: &str| Failure::new(Why::Exception, message).position();
        let thrown =
            "at AnnError (section:1:1)\n  at ann (section:9:9)\n  at city (section:1:234)\n  at section:2:1";
        assert_eq!(
            position(&format!("Ann is not a city\n  {thrown}")).as_deref(),
            Some("section:9:9")
        );
        for without in [
            "Ann is at home",
            "at ann (section:a:9)",
            "at ann (section:1:2)\nAnn",
        ] {
            assert_eq!(position(without), None, "{without}");
        }
    }

    #[test]
    fn only_code_of_releases_is_blamed() {
        let labels = |is: fn(Why) -> bool| {
            let labels = Why::OUTCOMES.into_iter().filter(|why| is(*why)).map(Why::label);
            labels.collect::<Vec<_>>().join(" ")
        };
        let blamed = "exception cpu_limit memory_limit worker_crashed deadline_exceeded";
        assert_eq!(labels(Why::blames_release), blamed);
        let others =
            "worker_unresponsive no_worker queue_full memory_short store_error circuit_open postponed";
        assert_eq!(labels(|why| !why.blames_release()), others);
        assert_eq!(
            labels(Why::may_cache),
            "",
            "no cache keeps a document without its page"
        );
    }
}
