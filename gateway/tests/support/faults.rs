//! A machine that fails while the gateway runs: its clock jumps or cannot be read, its disk is full. See `faults.c`, which the gateway is
//! started with.

use std::fs;
use std::sync::Arc;

use tempfile::TempDir;

use super::preload::compile;
use super::{Gateway, Setup};

/// What fails on a full disk. Which of them it is depends on the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// Writing.
    Writing,
    /// Making durable what was written, by a file system that looks for room only then.
    Syncing,
    /// Creating files and folders.
    Creating,
}

/// A machine, sound until it is told otherwise.
pub(crate) struct Machine {
    folder: Arc<TempDir>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = Arc::new(TempDir::new().unwrap());
        compile("faults.c", &folder.path().join("faults.so"));
        Self { folder }
    }

    /// Starts a gateway on it, whose store is the same as that of others on it.
    pub(crate) fn start(&self, extra: &str) -> Gateway {
        self.start_with(extra, &[("KEY", "the-key")])
    }

    /// The same, with these environment variables.
    pub(crate) fn start_with(&self, extra: &str, variables: &[(&str, &str)]) -> Gateway {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let (library, store) = (path("faults.so"), path("store"));
        let (clock, timeless, full) = (path("clock"), path("timeless"), path("full"));
        let own = [
            ("LD_PRELOAD", &*library),
            ("FAULT_CLOCK", &clock),
            ("FAULT_TIMELESS", &timeless),
            ("FAULT_FULL", &full),
            ("FAULT_BELOW", &store),
        ];
        Gateway::set_up(Setup {
            folder: Some(Arc::clone(&self.folder)),
            extra,
            variables: &[&own, variables].concat(),
            ..Setup::default()
        })
    }

    /// Sets the clock of the day, by so many seconds from what it is.
    pub(crate) fn set_clock(&self, seconds: i64) {
        self.write("clock", &seconds.to_string());
    }

    /// From now on sign-ups panic, in the middle of being sent to the backend.
    pub(crate) fn stop_time(&self) {
        self.write("timeless", "");
    }

    /// They panic no more.
    pub(crate) fn start_time(&self) {
        fs::remove_file(self.folder.path().join("timeless")).unwrap();
    }

    /// Fills the disk that the store is on.
    pub(crate) fn fill(&self, full: Full) {
        let what = match full {
            Full::Writing => "w",
            Full::Syncing => "s",
            Full::Creating => "c",
        };
        self.write("full", what);
    }

    /// Makes room on it.
    pub(crate) fn make_room(&self) {
        fs::remove_file(self.folder.path().join("full")).unwrap();
    }

    /// In one step: the gateway reads it at any time.
    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    }
}
