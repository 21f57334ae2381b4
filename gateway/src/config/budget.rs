//! `[budget]`: how much a release may make a visitor download.

use super::reader::{Table, count};

/// The most bytes, compressed with Brotli, that a first view may load of one release. What is `None` has no limit.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Scripts of a page or slot of a section.
    pub(crate) page_script: Option<u64>,
    /// Stylesheets of a page or slot of a section.
    pub(crate) page_style: Option<u64>,
    /// Scripts of the shell.
    pub(crate) shell_script: Option<u64>,
    /// Stylesheets of the shell.
    pub(crate) shell_style: Option<u64>,
}

/// Reads `[budget]`, in which every key is optional.
pub(super) fn read(mut table: Table<'_>) -> Option<Budget> {
    let mut kib = |key| {
        let size = table.optional(key, "a whole number of KiB above zero", count)?;
        Some(size.map(|kib| kib.saturating_mul(1024)))
    };
    let (page_script, page_style) = (kib("page_script_kib"), kib("page_style_kib"));
    let (shell_script, shell_style) = (kib("shell_script_kib"), kib("shell_style_kib"));
    table.finish();
    Some(Budget {
        page_script: page_script?,
        page_style: page_style?,
        shell_script: shell_script?,
        shell_style: shell_style?,
    })
}
