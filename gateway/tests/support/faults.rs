//! Fault injection: system faults in a running gateway: clock jumps, clock failures, a full disk, a disk that
//! hangs, programs that do not start. See the preloaded `faults.c`.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;

use super::preload::compile;
use super::{Gateway, Setup, with_timeout};

/// The operation that fails on a full disk. It depends on the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskFull {
    /// Writing.
    Write,
    /// Syncing, on file systems that allocate space only then.
    Sync,
    /// Creating files and folders.
    Create,
    /// Writing, as long as the gateway keeps its reserve.
    WriteWithReserve,
}

/// Why no program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpawnFault {
    /// The process table is full.
    FullProcessTable,
    /// The executable does not exist.
    MissingExecutable,
    /// The process starts, but does nothing.
    Hang,
}

/// A machine with injectable faults.
pub(crate) struct FaultyMachine {
    folder: Arc<TempDir>,
}

impl FaultyMachine {
    pub(crate) fn new() -> Self {
        let folder = Arc::new(TempDir::new().unwrap());
        compile("faults.c", &folder.path().join("faults.so"));
        Self { folder }
    }

    /// Starts a gateway. All gateways of this machine share one store.
    pub(crate) fn start(&self, extra: &str) -> Gateway {
        self.start_with(extra, &[("KEY", "the-key")])
    }

    /// Same as [`FaultyMachine::start`], with environment variables.
    pub(crate) fn start_with(&self, extra: &str, variables: &[(&str, &str)]) -> Gateway {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let (library, store) = (path("faults.so"), path("store"));
        let (clock, monotonic, disk_full) = (path("clock"), path("monotonic"), path("disk-full"));
        let (spawn, hang) = (path("spawn"), path("disk-hang"));
        let own = [
            ("LD_PRELOAD", &*library),
            ("FAULT_WALL_CLOCK", &clock),
            ("FAULT_MONOTONIC_CLOCK", &monotonic),
            ("FAULT_DISK_FULL", &disk_full),
            ("FAULT_DISK_HANG", &hang),
            ("FAULT_SPAWN", &spawn),
            ("FAULT_FOLDER", &store),
        ];
        Gateway::set_up(Setup {
            folder: Some(Arc::clone(&self.folder)),
            extra,
            variables: &[&own, variables].concat(),
            ..Setup::default()
        })
    }

    /// Shifts the wall clock by this many seconds from the real time.
    pub(crate) fn set_clock(&self, seconds: i64) {
        self.write("clock", &seconds.to_string());
    }

    /// From now on a sign-up panics while the gateway sends it to the backend.
    pub(crate) fn break_monotonic_clock(&self) {
        self.write("monotonic", "");
    }

    /// Undoes [`FaultyMachine::break_monotonic_clock`].
    pub(crate) fn fix_monotonic_clock(&self) {
        fs::remove_file(self.folder.path().join("monotonic")).unwrap();
    }

    /// Fills the disk of the store.
    pub(crate) fn fill_disk(&self, full: DiskFull) {
        let what = match full {
            DiskFull::Write => "w",
            DiskFull::Sync => "s",
            DiskFull::Create => "c",
            DiskFull::WriteWithReserve => "r",
        };
        self.write("disk-full", what);
    }

    /// Runs a command until it creates a file in a folder, which kills it.
    pub(crate) fn run_until_creation(&self, folder: &Path, command: &mut Command) {
        self.write("disk-full", "k");
        let status = command
            .env("LD_PRELOAD", self.folder.path().join("faults.so"))
            .env("FAULT_DISK_FULL", self.folder.path().join("disk-full"))
            // The folder itself may be created.
            .env("FAULT_FOLDER", format!("{}/", folder.display()))
            .status();
        assert_eq!(status.unwrap().signal(), Some(9));
    }

    /// Undoes [`FaultyMachine::fill_disk`].
    pub(crate) fn free_disk(&self) {
        fs::remove_file(self.folder.path().join("disk-full")).unwrap();
    }

    /// From now on reads of the store hang.
    pub(crate) fn hang_disk(&self) {
        let fifo = self.folder.path().join("disk-hang");
        assert!(Command::new("mkfifo").arg(fifo).status().unwrap().success());
    }

    /// The store of the gateways of this machine.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Ends all reads that hang.
    pub(crate) fn resume_disk(&self) {
        let fifo = self.folder.path().join("disk-hang");
        let writer = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
        fs::remove_file(fifo).unwrap();
        drop(writer);
    }

    /// Waits until a read hangs. It ends when the returned file is closed.
    pub(crate) fn wait_for_hanging_read(&self) -> File {
        let fifo = self.folder.path().join("disk-hang");
        // Opening a FIFO for writing blocks until it is opened for reading.
        let open = move || OpenOptions::new().write(true).open(fifo).unwrap();
        with_timeout("a read hangs", open)
    }

    /// Breaks the start of render workers.
    pub(crate) fn break_spawn(&self, fault: SpawnFault) {
        let program = self.folder.path().join("program");
        let text = match fault {
            SpawnFault::FullProcessTable => String::new(),
            SpawnFault::MissingExecutable => "/missing".to_owned(),
            SpawnFault::Hang => {
                // It exits when the gateway closes its input.
                fs::write(&program, "#!/bin/sh\nexec cat\n").unwrap();
                fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
                program.display().to_string()
            }
        };
        self.write("spawn", &text);
    }

    /// Undoes [`FaultyMachine::break_spawn`].
    pub(crate) fn fix_spawn(&self) {
        fs::remove_file(self.folder.path().join("spawn")).unwrap();
    }

    /// Writes atomically: the gateway may read the file at any time.
    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    }
}
