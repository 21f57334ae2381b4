//! Replaces DNS in a gateway for names below `.localhost`, with the preloaded `dns.c`.

use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::preload::compile;
use super::with_timeout;

/// DNS of the gateway that is started with [`Dns::variables`].
pub(crate) struct Dns {
    folder: TempDir,
}

impl Dns {
    pub(crate) fn new() -> Self {
        let dns = Self {
            folder: TempDir::new().unwrap(),
        };
        compile("dns.c", &dns.path("dns.so"));
        fs::write(dns.path("lookups"), "").unwrap();
        dns
    }

    /// The environment variables for the gateway.
    pub(crate) fn variables(&self) -> [(&'static str, String); 3] {
        let path = |name| self.path(name).display().to_string();
        [
            ("LD_PRELOAD", path("dns.so")),
            ("DNS_LOOKUPS", path("lookups")),
            ("DNS_HANG", path("hang")),
        ]
    }

    /// The number of lookups so far.
    pub(crate) fn lookups(&self) -> usize {
        fs::read(self.path("lookups")).unwrap().len()
    }

    /// From now on lookups hang.
    pub(crate) fn hang(&self) {
        let status = Command::new("mkfifo").arg(self.path("hang")).status();
        assert!(status.unwrap().success());
    }

    /// Ends the lookups that hang. There must be one.
    pub(crate) fn go_on(&self) {
        let (hang, moved) = (self.path("hang"), self.path("moved"));
        // Later lookups do not find it any more.
        fs::rename(hang, &moved).unwrap();
        // Opening a FIFO for writing blocks until it is opened for reading.
        let open = move || OpenOptions::new().write(true).open(moved).unwrap();
        drop(with_timeout("a lookup hangs", open));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
