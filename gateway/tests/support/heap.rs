//! How much of its heap a gateway uses. See `heap.c`, which it is started with.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::preload::compile;

/// The heap of the one gateway that is started with [`Heap::variables`].
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

    /// What its environment has to say.
    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        [
            ("LD_PRELOAD", self.library().display().to_string()),
            ("HEAP_COUNT", self.counter().display().to_string()),
        ]
    }

    /// What is in use now, in KiB. A worker that renders is a process of its own, and has its own.
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
