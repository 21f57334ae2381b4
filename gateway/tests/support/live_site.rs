//! The store of a live site, which many tests begin with.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Gateway;

/// Copies the store of a gateway with [`Gateway::with_live_site`] to a folder that does not exist.
pub(super) fn copy_to(store: &Path) {
    copy(&original(), store);
}

/// The original, which the tests of one run share: each is a process of its own, and publishing takes longer than copying.
fn original() -> PathBuf {
    let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| std::process::id().to_string());
    let name = format!("colonnade-live-site-{run}");
    let path = std::env::temp_dir().join(name);
    if !path.exists() {
        remove_old_ones();
        let target = path.clone();
        // In a thread of its own, because the visitor of the current test reads another site.
        let publish = std::thread::spawn(move || {
            let mut gateway = Gateway::start().with_live_site();
            gateway.signal("TERM");
            gateway.wait_for_exit();
            // If two tests do this at once, the first one wins.
            let _ = fs::rename(gateway.store(), target);
        });
        publish.join().unwrap();
    }
    path
}

/// Removes what earlier runs left behind.
fn remove_old_ones() {
    for entry in fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        let is_old = |path: &Path| {
            let age = path.metadata().ok()?.modified().ok()?.elapsed().ok()?;
            Some(age > Duration::from_secs(3600))
        };
        let is_original = entry
            .file_name()
            .to_string_lossy()
            .starts_with("colonnade-live-site-");
        if is_original && is_old(&entry.path()) == Some(true) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Copies folders and files, but no sockets.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, target) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target);
        } else if kind.is_file() {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
