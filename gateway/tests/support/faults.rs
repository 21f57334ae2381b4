//! A machine that fails while the gateway runs: its clock jumps, its disk is full. See `faults.c`, which the gateway is
//! started with.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;

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
        compile(&folder.path().join("faults.so"));
        Self { folder }
    }

    /// Starts a gateway on it, whose store is the same as that of others on it.
    pub(crate) fn start(&self, extra: &str) -> Gateway {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let (library, clock, full, store) = (path("faults.so"), path("clock"), path("full"), path("store"));
        Gateway::set_up(Setup {
            folder: Some(Arc::clone(&self.folder)),
            extra,
            variables: &[
                ("LD_PRELOAD", &library),
                ("FAULT_CLOCK", &clock),
                ("FAULT_FULL", &full),
                ("FAULT_BELOW", &store),
                ("KEY", "the-key"),
            ],
            ..Setup::default()
        })
    }

    /// Sets the clock of the day, by so many seconds from what it is.
    pub(crate) fn set_clock(&self, seconds: i64) {
        self.write("clock", &seconds.to_string());
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

fn compile(library: &Path) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/faults.c");
    let output = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .args([library, Path::new(source)])
        .output()
        .unwrap_or_else(|error| panic!("a C compiler is missing, which the build needs, too: `cc`: {error}"));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source} cannot be compiled: {words}");
}
