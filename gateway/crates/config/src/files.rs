//! `[files]`: the operator's files at the root of the site, such as `ads.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use colonnade_model::pattern::RequestPath;
use serde::Deserialize;

use crate::config_file::ConfigFile;
use crate::value::{MIB, optional_path};

/// The most files.
const MAX_FILES: usize = 100;

/// The only subfolder that is served (RFC 8615).
const WELL_KNOWN: &str = ".well-known";

/// The endings of files that hold settings and secrets, and of backups that editors leave.
const PRIVATE: [&str; 5] = [".toml", ".pem", ".key", ".env", "~"];

/// Paths of the gateway that a file may replace.
const REPLACEABLE: [&str; 2] = ["/favicon.ico", "/apple-touch-icon.png"];

const EXPECTED: &str = "a folder of at most 100 files, each of at most 1 MiB";

/// The files at the root.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct FileSettings {
    #[serde(deserialize_with = "optional_path")]
    folder: Option<PathBuf>,
    /// The content of each file, by the path that it is served at, such as `/ads.txt`.
    #[serde(skip)]
    pub contents: BTreeMap<String, Bytes>,
}

impl FileSettings {
    /// Makes a relative path start at `base`, and reads the files.
    pub(crate) fn resolve(&mut self, base: &Path, file: &mut ConfigFile<'_>) {
        let Some(folder) = &self.folder else { return };
        if let Err(wrong) = read_folder(&base.join(folder), "/", &mut self.contents) {
            file.problem(&["files", "folder"], &wrong, EXPECTED);
        }
    }
}

/// Reads the files of a folder, which are served below `prefix`. The error says what is wrong.
fn read_folder(folder: &Path, prefix: &str, contents: &mut BTreeMap<String, Bytes>) -> Result<(), String> {
    let unreadable = |error| format!("cannot read {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let file = entry.path();
        if name == WELL_KNOWN && prefix == "/" {
            read_folder(&file, "/.well-known/", contents)?;
        } else if !name.starts_with('.') {
            let path = format!("{prefix}{name}");
            check_path(&path)?;
            if contents.len() == MAX_FILES {
                return Err(format!("has more than {MAX_FILES} files"));
            }
            contents.insert(path, read_file(&file)?);
        }
    }
    Ok(())
}

fn read_file(file: &Path) -> Result<Bytes, String> {
    let metadata = fs::metadata(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    if !metadata.is_file() {
        return Err(format!("{} is not a file", file.display()));
    }
    if metadata.len() > MIB as u64 {
        return Err(format!("{} has {} bytes", file.display(), metadata.len()));
    }
    fs::read(file)
        .map(Bytes::from)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// Checks that the path needs no encoding, and is neither one that the gateway serves nor that of a
/// private file, such as the configuration if the wrong folder is named. A file replaces a page at
/// its path.
fn check_path(path: &str) -> Result<(), String> {
    let is_plain = path
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._~-".contains(&byte));
    let is_well_known = path.starts_with("/.well-known/");
    if !is_plain || !(is_well_known || path.contains('.')) {
        return Err(format!(
            "{path} is not a name of ASCII letters, digits, `.`, `_`, `~` and `-` with an extension"
        ));
    }
    if PRIVATE.iter().any(|ending| path.ends_with(ending)) {
        return Err(format!("{path} looks like a private file"));
    }
    let is_reserved = RequestPath::parse(path).is_ok_and(|path| path.is_reserved());
    if is_reserved && !is_well_known && !REPLACEABLE.contains(&path) {
        return Err(format!("the gateway itself serves {path}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_path;

    #[test]
    fn file_needs_a_plain_name_that_is_not_reserved() {
        let served = "the gateway itself serves";
        for (path, wrong) in [
            ("/ads.txt", ""),
            ("/google0123456789abcdef.html", ""),
            ("/favicon.ico", ""),
            ("/apple-touch-icon.png", ""),
            ("/.well-known/security.txt", ""),
            ("/.well-known/apple-app-site-association", ""),
            ("/about", "is not a name"),
            ("/a b.txt", "is not a name"),
            ("/ä.txt", "is not a name"),
            ("/.well-known/a?b", "is not a name"),
            ("/site.toml", "looks like a private file"),
            ("/tls.key", "looks like a private file"),
            ("/ads.txt~", "looks like a private file"),
            ("/robots.txt", served),
            ("/sitemap.xml", served),
            ("/manifest.webmanifest", served),
            ("/_page.txt", served),
        ] {
            let checked = check_path(path);
            assert_eq!(checked.is_ok(), wrong.is_empty(), "{path}");
            assert!(checked.err().unwrap_or_default().contains(wrong), "{path}");
        }
    }
}
