//! Releases as a section's build makes them, and their archives, valid or not.

use std::collections::BTreeMap;
use std::io::{self, Read, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha384};
use tar::{EntryType, Header};

pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(crate) const STYLE: &str = "text/css; charset=utf-8";

/// A release folder in memory.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The fields of `release.json` except name, version and files.
    pub(crate) fields: Value,
    /// The type and bytes of each file.
    pub(crate) files: BTreeMap<String, (String, Vec<u8>)>,
}

/// A gzipped tar under construction.
pub(crate) struct Archive(tar::Builder<GzEncoder<Vec<u8>>>);

impl Release {
    /// A shell with a stylesheet and an icon.
    pub(crate) fn shell(version: &str) -> Self {
        let fields = json!({
            "kind": "shell", "contract": 1, "entry": "client/main.js", "styles": ["client/frame.css"],
            "assets": [], "pages": [], "shared": { "react": "19.1.0" }, "icon": "client/icon.svg",
        });
        Self::new("shell", version, fields)
            .file("client/main.js", SCRIPT)
            .file("client/frame.css", STYLE)
            .file("client/icon.svg", "image/svg+xml")
            .file("server/index.js", SCRIPT)
    }

    /// A section with these pages, each with a script and a stylesheet.
    pub(crate) fn section(name: &str, version: &str, patterns: &[&str]) -> Self {
        let page = |pattern: &&str| {
            json!({
                "pattern": pattern, "assets": ["client/page.js", "client/page.css"], "paths": [],
            })
        };
        let fields = json!({
            "kind": "section", "contract": 1, "entry": "client/entry.js", "container": format!("{}_1", name.replace('-', "_")),
            "styles": [], "assets": ["client/common.js"], "pages": patterns.iter().map(page).collect::<Vec<_>>(),
            "shared": { "react": "^19.0.0" },
        });
        Self::new(name, version, fields)
            .file("client/entry.js", SCRIPT)
            .file("client/common.js", SCRIPT)
            .file("client/page.js", SCRIPT)
            .file("client/page.css", STYLE)
            .file("server/index.js", SCRIPT)
    }

    fn new(name: &str, version: &str, fields: Value) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            fields,
            files: BTreeMap::new(),
        }
    }

    /// Adds a file whose content is unique to the release and path.
    pub(crate) fn file(self, path: &str, media_type: &str) -> Self {
        let text = format!("/* {} {} {path} */\n", self.name, self.version).repeat(30);
        self.bytes(path, media_type, text)
    }

    /// Adds a file.
    pub(crate) fn bytes(mut self, path: &str, media_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.files
            .insert(path.to_owned(), (media_type.to_owned(), bytes.into()));
        self
    }

    /// Sets a field of `release.json`.
    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.fields[field] = value;
        self
    }

    /// Lists paths of the first page.
    pub(crate) fn with_paths(mut self, paths: &[&str]) -> Self {
        let named = paths
            .iter()
            .map(|path| json!({ "path": path, "indexable": true }));
        self.fields["pages"][0]["paths"] = named.collect();
        self
    }

    /// Opens an extension point, on all pages of a section.
    pub(crate) fn opens(mut self, id: &str, version: u32, max: u8) -> Self {
        let point = json!({ "id": id, "version": version, "max": max, "examples": [{}] });
        push(&mut self.fields, "extensionPoints", point);
        for page in self.fields["pages"].as_array_mut().unwrap() {
            push(page, "extensionPoints", json!(format!("{id}@{version}")));
        }
        self
    }

    /// Contributes a link to a list of the navigation.
    pub(crate) fn links(mut self, to: &str, label: &str, path: &str, order: i64) -> Self {
        let entry = json!({ "to": to, "label": label, "path": path, "order": order });
        push(&mut self.fields, "navigation", entry);
        self
    }

    /// Fills an extension point.
    pub(crate) fn fills(mut self, point: &str, order: i64) -> Self {
        let extension =
            json!({ "point": point, "order": order, "assets": ["client/page.js", "client/page.css"] });
        push(&mut self.fields, "extensions", extension);
        self
    }

    /// The bytes of a file.
    pub(crate) fn contents(&self, path: &str) -> &[u8] {
        &self.files[path].1
    }

    /// The integrity of a file.
    pub(crate) fn integrity(&self, path: &str) -> String {
        integrity(self.contents(path))
    }

    /// `release.json` as the build writes it.
    pub(crate) fn json(&self) -> Value {
        let file = |(path, (media_type, bytes)): (&String, &(String, Vec<u8>))| json!({ "path": path, "size": bytes.len(), "type": media_type, "digest": integrity(bytes) });
        let mut json = self.fields.clone();
        json["name"] = json!(self.name);
        json["version"] = json!(self.version);
        json["files"] = self.files.iter().map(file).collect();
        json
    }

    /// The archive of the release.
    pub(crate) fn archive(&self) -> Vec<u8> {
        self.archive_with_json(&self.json())
    }

    /// The archive of the files with this `release.json`.
    pub(crate) fn archive_with_json(&self, json: &Value) -> Vec<u8> {
        self.start_archive(json).finish()
    }

    /// The unfinished archive, for more entries.
    pub(crate) fn start_archive(&self, json: &Value) -> Archive {
        let mut archive = Archive::new();
        archive.add("release.json", &serde_json::to_vec(json).unwrap());
        for (path, (_, bytes)) in &self.files {
            archive.add(path, bytes);
        }
        archive
    }
}

/// Appends to a list that is a member of an object.
fn push(object: &mut Value, member: &str, value: Value) {
    let mut list = object[member].as_array().cloned().unwrap_or_default();
    list.push(value);
    object[member] = list.into();
}

impl Archive {
    pub(crate) fn new() -> Self {
        Self(tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast())))
    }

    /// Adds a regular file.
    pub(crate) fn add(&mut self, path: &str, bytes: &[u8]) {
        let size = bytes.len() as u64;
        if path.len() <= 100 {
            return self.entry(path, EntryType::Regular, size, bytes);
        }
        // An entry of its own has a longer path.
        let mut header = Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o644);
        self.0.append_data(&mut header, path, bytes).unwrap();
    }

    /// Adds an entry with this header. The path is written unmodified.
    pub(crate) fn entry(&mut self, path: &str, entry_type: EntryType, size: u64, bytes: &[u8]) {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(entry_type);
        header.set_size(size);
        header.set_mode(0o644);
        if matches!(entry_type, EntryType::Symlink | EntryType::Link) {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        self.0.append(&header, bytes).unwrap();
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.finish_with(io::empty())
    }

    /// Appends bytes after the end-of-archive blocks.
    pub(crate) fn finish_with(self, mut more: impl Read) -> Vec<u8> {
        let mut gzip = self.0.into_inner().unwrap();
        io::copy(&mut more, &mut gzip).unwrap();
        gzip.flush().unwrap();
        gzip.finish().unwrap()
    }
}

/// The Subresource Integrity value of bytes.
pub(crate) fn integrity(bytes: &[u8]) -> String {
    format!("sha384-{}", STANDARD.encode(Sha384::digest(bytes)))
}
