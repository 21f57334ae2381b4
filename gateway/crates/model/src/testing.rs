//! Sample releases for the unit tests of this crate and others.

use std::collections::BTreeMap;

use serde_json::Map;

use crate::policy::Policy;
use crate::release::{
    Digest, ExposedModule, Extension, ExtensionPoint, File, Kind, NamedPath, Page, Release, SHELL,
};

/// A release and the bytes of its files.
pub struct Sample {
    /// Its `release.json`.
    pub release: Release,
    /// The bytes of its files, by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// A shell that provides React 19.
pub fn shell(version: &str) -> Sample {
    let files = [
        ("client/frame.css", "text/css; charset=utf-8"),
        ("client/icon.png", "image/png"),
        ("client/icon.svg", "image/svg+xml"),
        ("client/main.js", "text/javascript; charset=utf-8"),
    ];
    let mut sample = sample(SHELL, version, Kind::Shell, "client/main.js", &files);
    sample.release.styles = vec!["client/frame.css".to_owned()];
    sample.release.icon = Some("client/icon.svg".to_owned());
    sample
        .release
        .shared
        .insert("react".to_owned(), "19.1.0".to_owned());
    sample
}

/// A section with a page for `/`, one for `/state/:state` that has the extension point
/// `<name>/aside@1`, an extension of `shell/banner@1` and the exposed module `./Tag`.
pub fn section(name: &str, version: &str) -> Sample {
    let files = [
        ("client/common.js", "text/javascript; charset=utf-8"),
        ("client/entry.js", "text/javascript; charset=utf-8"),
        ("client/icon.svg", "image/svg+xml"),
        ("client/join.js", "text/javascript; charset=utf-8"),
        ("client/state.css", "text/css; charset=utf-8"),
        ("client/state.js", "text/javascript; charset=utf-8"),
        ("server/index.js", "text/javascript; charset=utf-8"),
    ];
    let mut sample = sample(name, version, Kind::Section, "client/entry.js", &files);
    let release = &mut sample.release;
    release.container = Some(format!("{name}_container"));
    release.assets = vec!["client/common.js".to_owned()];
    release.pages = vec![
        page("/", &[], &[("/", true)]),
        page(
            "/state/:state",
            &["client/state.css", "client/state.js"],
            &[("/state/Texas", true), ("/state/New%20York", false)],
        ),
    ];
    let point = ExtensionPoint {
        id: format!("{name}/aside"),
        version: 1,
        max: 2,
        examples: vec![Map::from_iter([("state".to_owned(), "Texas".into())])],
    };
    let banner = ExtensionPoint {
        id: "shell/banner".to_owned(),
        ..point.clone()
    };
    release.extensions = vec![Extension {
        point: banner.reference(),
        order: 0,
        assets: vec!["client/join.js".to_owned()],
        shared: Vec::new(),
    }];
    release.pages[1].extension_points = vec![point.reference()];
    release.extension_points = vec![point];
    release.exposes = vec![ExposedModule {
        name: "./Tag".to_owned(),
        assets: vec!["client/state.css".to_owned()],
    }];
    release.shared.insert("react".to_owned(), "^19.0.0".to_owned());
    sample
}

/// A section with one page, and no extension points, extensions and exposed modules.
pub fn small_section(name: &str, version: &str, pattern: &str) -> Sample {
    let mut sample = section(name, version);
    sample.release.pages = vec![page(pattern, &[], &[])];
    sample.release.extension_points = Vec::new();
    sample.release.extensions = Vec::new();
    sample.release.exposes = Vec::new();
    sample
}

fn page(pattern: &str, assets: &[&str], paths: &[(&str, bool)]) -> Page {
    let named = paths.iter().map(|(path, indexable)| NamedPath {
        path: (*path).to_owned(),
        indexable: *indexable,
    });
    Page {
        search: Vec::new(),
        pattern: pattern.to_owned(),
        assets: assets.iter().map(|&asset| asset.to_owned()).collect(),
        shared: Vec::new(),
        paths: named.collect(),
        browser_only: false,
        extension_points: Vec::new(),
    }
}

fn sample(name: &str, version: &str, kind: Kind, entry: &str, files: &[(&str, &str)]) -> Sample {
    let bytes = |path: &str| format!("/* {name} {version} {path} */\n").repeat(20).into_bytes();
    let file = |(path, media_type): &(&str, &str)| File {
        path: (*path).to_owned(),
        size: bytes(path).len() as u64,
        media_type: (*media_type).to_owned(),
        digest: Digest::of(&bytes(path)),
    };
    let release = Release {
        name: name.to_owned(),
        version: version.to_owned(),
        kind,
        contract: 1,
        entry: entry.to_owned(),
        container: None,
        needs_federation_runtime: None,
        styles: Vec::new(),
        assets: Vec::new(),
        pages: Vec::new(),
        extension_points: Vec::new(),
        extensions: Vec::new(),
        navigation: Vec::new(),
        exposes: Vec::new(),
        shared: BTreeMap::new(),
        shared_assets: BTreeMap::new(),
        omitted_exports: BTreeMap::new(),
        used_exports: BTreeMap::new(),
        icon: None,
        icons: Vec::new(),
        social_image: None,
        theme_color: None,
        meta: Vec::new(),
        modules: BTreeMap::new(),
        facts: BTreeMap::new(),
        config: BTreeMap::new(),
        policy: Policy::default(),
        examples: None,
        files: files.iter().map(file).collect(),
    };
    let files = files.iter().map(|(path, _)| ((*path).to_owned(), bytes(path)));
    Sample {
        release,
        files: files.collect(),
    }
}
