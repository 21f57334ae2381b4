//! How much memory is used, and how much may be.
//!
//! There can be several limits: the configured one, those of the control group and the groups above
//! it, and the memory of the machine. The limit of which the largest share is used counts. At the
//! limit of a control group the kernel ends a process of the group, and compares what all of them
//! use, with buffers of sockets; so that is the use, without the file cache, which the kernel takes
//! back first. For the other limits it is the resident memory of the process and of its children,
//! the render workers.

use std::fs;
use std::path::Path;

/// The files of the memory controller of a control group (`cgroup-v2.rst` and
/// `cgroup-v1/memory.rst` of the kernel).
struct Controller {
    /// Where its groups are.
    mount: &'static str,
    /// Its name in `/proc/self/cgroup`; empty in version 2.
    name: &'static str,
    limit: &'static str,
    used: &'static str,
    /// The lines of `memory.stat` with what the kernel can take back.
    reclaimable: &'static [&'static str],
}

const CONTROLLERS: [Controller; 2] = [
    Controller {
        mount: "sys/fs/cgroup",
        name: "",
        limit: "memory.max",
        used: "memory.current",
        reclaimable: &["inactive_file", "active_file", "slab_reclaimable"],
    },
    Controller {
        mount: "sys/fs/cgroup/memory",
        name: "memory",
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        reclaimable: &["total_inactive_file", "total_active_file"],
    },
];

/// The memory that is used and its limit, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// The bytes in use.
    pub used: u64,
    /// The most bytes that may be in use. Not 0.
    pub limit: u64,
}

impl Usage {
    /// Reads the files below `root`, which is `/` except in tests. `None` if the system does not
    /// have them.
    pub fn read(root: &Path, configured: Option<u64>) -> Option<Self> {
        let machine = machine_memory(root)?;
        let own = Self {
            used: resident_with_children(root)?,
            limit: configured.unwrap_or(machine).min(machine),
        };
        let groups = CONTROLLERS.iter().flat_map(|each| each.read(root, machine));
        let limits = groups.chain([own]).filter(|usage| usage.limit > 0);
        // If two are equally near, the one of the kernel.
        limits.rev().max_by_key(|usage| usage.percent())
    }

    /// The use in percent of the limit.
    pub fn percent(self) -> u64 {
        self.used.saturating_mul(100) / self.limit
    }
}

impl Controller {
    /// The use and the limits of the group of this process and of those above it.
    fn read(&self, root: &Path, machine: u64) -> Vec<Usage> {
        let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
        let group = groups.lines().find_map(|line| {
            let (names, path) = line.split_once(':')?.1.split_once(':')?;
            let is_own = names.split(',').any(|name| name == self.name);
            is_own.then(|| path.trim_start_matches('/'))
        });
        let Some(group) = group else { return Vec::new() };
        let mount = root.join(self.mount);
        let path = mount.join(group);
        // A container may see its own group as the topmost one.
        let folders = path.ancestors().take_while(|folder| folder.starts_with(&mount));
        let usages = folders.filter_map(|folder| {
            let number = |name| fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok();
            let limit: u64 = number(self.limit).filter(|limit| (1..machine).contains(limit))?;
            let used: u64 = number(self.used)?;
            let stat = fs::read_to_string(folder.join("memory.stat")).ok()?;
            let reclaimable = self.reclaimable.iter().filter_map(|name| field(&stat, name));
            let used = used.saturating_sub(reclaimable.sum());
            Some(Usage { used, limit })
        });
        usages.collect()
    }
}

/// The number after a name at the start of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(name)).then(|| words.next()?.parse().ok())?
    })
}

fn machine_memory(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    field(&text, "MemTotal:").map(|kibibytes| kibibytes * 1024)
}

/// The resident memory of a process with this folder in `/proc`, in bytes. Its second number is
/// that of pages (`proc_pid_statm(5)`).
pub fn resident_bytes(process: &Path) -> Option<u64> {
    let pages = fs::read_to_string(process.join("statm")).ok()?;
    let pages: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    pages.checked_mul(u64::try_from(rustix::param::page_size()).ok()?)
}

/// The resident memory of the process and its children. Pages that they share count more than once.
fn resident_with_children(root: &Path) -> Option<u64> {
    let own = resident_bytes(&root.join("proc/self"))?;
    let threads = fs::read_dir(root.join("proc/self/task")).into_iter().flatten();
    let children = threads.filter_map(|thread| {
        let children = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        let sizes = children.split_whitespace().filter_map(|child| {
            let folder = root.join("proc").join(child);
            resident_bytes(&folder)
        });
        Some(sizes.sum::<u64>())
    });
    Some(own + children.sum::<u64>())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Usage;

    const MIB: u64 = 1024 * 1024;

    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let page = "proc/self/statm";
        let common = [
            ("proc/meminfo", "MemTotal:  8192 kB\n"),
            (page, "9 3 1"),
            ("proc/7/statm", "9 2 1"),
        ];
        for (path, text) in common.iter().chain(files) {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        root
    }

    fn read(root: &Path, configured: Option<u64>) -> Option<(u64, u64)> {
        Usage::read(root, configured).map(|usage| (usage.used, usage.limit))
    }

    #[test]
    fn limit_is_the_one_that_is_nearest() {
        let stat = "anon 5\nfile 900\ninactive_file 300\nactive_file 500\nslab_reclaimable 100\n";
        let root = system(&[
            ("proc/self/cgroup", "0::/a/b/c\n"),
            ("sys/fs/cgroup/a/b/c/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.max", "2000\n"),
            ("sys/fs/cgroup/a/b/memory.current", "1500\n"),
            ("sys/fs/cgroup/a/b/memory.stat", stat),
            ("sys/fs/cgroup/a/memory.max", "4000\n"),
            ("sys/fs/cgroup/a/memory.current", "2000\n"),
            ("sys/fs/cgroup/a/memory.stat", ""),
        ]);
        assert_eq!(read(root.path(), None), Some((2000, 4000)));
        fs::write(root.path().join("sys/fs/cgroup/a/memory.current"), "900").expect("a file");
        assert_eq!(read(root.path(), None), Some((600, 2000)));
        // A larger configured limit does not hide that of the group.
        assert_eq!(read(root.path(), Some(100 * MIB)), Some((600, 2000)));
        let stat = "total_inactive_file 300\ntotal_active_file 500\ninactive_file 1\n";
        let root = system(&[
            ("proc/self/cgroup", "5:cpu:/x\n4:memory,other:/d\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1500\n"),
            ("sys/fs/cgroup/memory/memory.stat", stat),
        ]);
        assert_eq!(read(root.path(), None), Some((700, 2000)));
    }

    #[test]
    fn without_control_group_the_resident_memory_counts() {
        let page = u64::try_from(rustix::param::page_size()).expect("a page");
        let root = system(&[
            ("proc/self/cgroup", "4:memory:/\n0::/\n"),
            ("proc/self/task/1/children", "7 8 \n"),
            // No limit.
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ]);
        assert_eq!(read(root.path(), None), Some((5 * page, 8 * MIB)));
        assert_eq!(read(root.path(), Some(MIB)), Some((5 * page, MIB)));
        assert_eq!(read(Path::new("/nowhere"), Some(MIB)), None);
    }
}
