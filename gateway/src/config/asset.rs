//! `[assets]`: how files are served.

use super::reader::{Table, number};

/// How files are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Assets {
    /// The most bytes kept of them in memory.
    pub(crate) cache: usize,
}

const MIB: usize = 1024 * 1024;

impl Default for Assets {
    fn default() -> Self {
        Self { cache: 64 * MIB }
    }
}

/// Reads `[assets]`.
pub(super) fn read(mut table: Table<'_>) -> Option<Assets> {
    let cache = table.optional("cache_mib", "a whole number from 0 to 65536", |value| {
        let mib = number(value)?;
        usize::try_from(mib)
            .ok()
            .filter(|mib| *mib <= 65_536)
            .ok_or(format!("is {mib}"))
    });
    table.finish();
    Some(Assets {
        cache: cache?.map_or(Assets::default().cache, |mib| mib * MIB),
    })
}
