//! The names that a release may have, and its versions and files.

use semver::Version;

/// The folder of the source maps of a release. It is below `server/`, which visitors cannot read.
const SOURCE_MAPS: &str = "server/maps/";

/// The maximum size of a source map in bytes. The admin API reads one into memory.
pub(crate) const MAX_SOURCE_MAP: u64 = 16 * 1024 * 1024;

/// The name of the shell's releases.
pub const SHELL: &str = "shell";

/// Whether a string is a valid name of a section, the shell or an extension point:
/// `[a-z][a-z0-9-]{0,31}`.
pub fn is_name(text: &str) -> bool {
    text.len() <= 32
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Whether a string is a valid name of a fact, or of a value of a section's configuration.
pub fn is_fact_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What [`is_fact_name`] accepts, for errors.
pub const EXPECTED_FACT_NAME: &str = "a name that matches [a-zA-Z][a-zA-Z0-9_]{0,63}";

/// Whether a string is a semantic version of at most 128 bytes. Such a version is safe as a path
/// segment.
pub fn is_version(text: &str) -> bool {
    text.len() <= 128 && Version::parse(text).is_ok()
}

/// Whether a string is a valid path of a file in a release: at most 255 bytes, below `client/` or
/// `server/`, without path traversal.
pub fn is_file_path(text: &str) -> bool {
    let mut segments = text.split('/');
    let is_below = matches!(segments.next(), Some("client" | "server"));
    let mut count = 0;
    let is_plain = segments.all(|segment| {
        count += 1;
        !matches!(segment, "" | "." | "..")
            && segment
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.~@+".contains(&b))
    });
    is_below && is_plain && count > 0 && text.len() <= 255
}

/// The path of the source map of a script.
pub fn source_map_path(script: &str) -> String {
    format!("{SOURCE_MAPS}{script}.map")
}

/// Whether a file of a release is a source map.
pub fn is_source_map(path: &str) -> bool {
    path.starts_with(SOURCE_MAPS)
}
