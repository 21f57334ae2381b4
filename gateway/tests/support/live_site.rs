//! The store of a live site, which many tests begin with.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, UNIX_EPOCH};

use super::Gateway;

/// The original. The tests of a run share it, because publishing takes longer than copying. It is in the target folder, so
/// that users and checkouts share nothing.
static ORIGINAL: LazyLock<PathBuf> = LazyLock::new(|| {
    // A process of cargo-nextest is one test, and a process of `cargo test` runs all of them.
    let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| {
        let start = UNIX_EPOCH.elapsed().unwrap().as_nanos();
        format!("process-{}-{start}", std::process::id())
    });
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live-sites");
    let path = folder.join(run);
    if !path.exists() {
        fs::create_dir_all(&folder).unwrap();
        remove_old_ones(&folder);
        publish_to(&path);
    }
    path
});

/// Copies the store of a gateway with [`Gateway::with_live_site`] to a folder that does not exist.
pub(super) fn copy_to(store: &Path) {
    copy(&ORIGINAL, store);
}

/// Publishes the live site and moves its store to this path in one step. If two tests do this at once, the first one wins.
fn publish_to(path: &Path) {
    let partial = tempfile::tempdir_in(path.parent().unwrap()).unwrap();
    let store = partial.path().join("store");
    // In a thread of its own, because the visitor of the current test reads another site.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut gateway = Gateway::start().with_live_site();
            gateway.signal("TERM");
            gateway.wait_for_exit();
            copy(&gateway.store(), &store);
        });
    });
    let _ = fs::rename(store, path);
}

/// Removes what runs of earlier days left behind.
fn remove_old_ones(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if age() > Some(Duration::from_hours(24)) {
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
