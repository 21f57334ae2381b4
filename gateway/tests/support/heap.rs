//! Measures a gateway's heap usage with the preloaded `heap.c`.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::preload::compile;

/// The heap of the gateway that was started with [`Heap::variables`].
pub(crate) struct Heap {
    folder: TempDir,
}

impl Heap {
    pub(crate) fn new() -> Self {
        let heap = Self {
            folder: TempDir::new().unwrap(),
        };
        compile("heap.c", &heap.library());
        fs::write(heap.counter(), [0; 8]).unwrap();
        heap
    }

    /// The environment variables for the gateway.
    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        [
            ("LD_PRELOAD", self.library().display().to_string()),
            ("HEAP_COUNT", self.counter().display().to_string()),
        ]
    }

    /// The heap in use, in KiB. Excludes render workers, which are separate processes.
    pub(crate) fn kib(&self) -> u64 {
        let bytes = fs::read(self.counter()).unwrap();
        u64::from_ne_bytes(bytes.try_into().unwrap()) / 1024
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("heap.so")
    }

    fn counter(&self) -> PathBuf {
        self.folder.path().join("count")
    }
}
