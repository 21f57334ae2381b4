//! The parts of a section that other sections and the shell show: its extension points, extensions, links
//! and exposed modules.

use std::collections::BTreeSet;

use crate::pattern::Pattern;
use crate::release::extension::{MAX_VERSION, is_point_id};
use crate::release::navigation::{MAX_LABEL_CHARS, MAX_PATH_BYTES};
use crate::release::validate::Validator;
use crate::release::{
    ExtensionPoint, MAX_EXPOSED_MODULES, MAX_EXTENSIONS, MAX_NAVIGATION, NavigationEntry, PointReference,
};

/// The module of a container whose default export is the section.
const SECTION_MODULE: &str = "./section";

/// How many extensions a point can show at most.
const MAX_SHOWN: u8 = 16;

/// The maximum number of examples of an extension point.
const MAX_EXAMPLES: usize = 20;

/// The maximum length of the examples of a release as JSON.
const MAX_EXAMPLE_BYTES: usize = 64 << 10;

impl Validator<'_> {
    pub(super) fn extension_points(&mut self) {
        let release = self.release;
        self.problems
            .extend(extension_point_problems(&release.name, &release.extension_points));
        let references = release.extension_points.iter().map(ExtensionPoint::reference);
        self.shown_points(&references.collect());
    }

    /// `opened`: the points of the release.
    fn shown_points(&mut self, opened: &BTreeSet<PointReference>) {
        let release = self.release;
        for page in &release.pages {
            let pattern = &page.pattern;
            let mut shown = BTreeSet::new();
            for reference in &page.extension_points {
                if !opened.contains(reference) {
                    self.problem(format!(
                        "page `{pattern}` has the extension point `{reference}`, which is not in the release's `extensionPoints`"
                    ));
                }
                if !shown.insert(reference) {
                    self.problem(format!(
                        "page `{pattern}` has the extension point `{reference}` twice"
                    ));
                }
            }
        }
    }

    pub(super) fn extensions(&mut self) {
        let release = self.release;
        self.limit(release.extensions.len(), MAX_EXTENSIONS, "extensions");
        let mut points = BTreeSet::new();
        for extension in &release.extensions {
            let point = &extension.point;
            if !points.insert(point) {
                self.problem(format!("extension point `{point}` is filled twice"));
            }
            self.assets(&format!("the extension of `{point}`"), &extension.assets);
        }
    }

    pub(super) fn navigation(&mut self) {
        let entries = &self.release.navigation;
        self.limit(entries.len(), MAX_NAVIGATION, "links in `navigation`");
        let mut links = BTreeSet::new();
        for entry in entries {
            self.navigation_entry(entry);
            if !links.insert((entry.to, &entry.path)) {
                self.problem(format!("navigation `{}` is listed twice", entry.path));
            }
        }
    }

    fn navigation_entry(&mut self, NavigationEntry { label, path, .. }: &NavigationEntry) {
        let is_blank = label.trim().is_empty() || label.chars().any(char::is_control);
        if is_blank || label.chars().count() > MAX_LABEL_CHARS {
            self.problem(format!(
                "navigation `{path}`: expected a label of 1 to {MAX_LABEL_CHARS} characters without control characters"
            ));
        }
        if path.len() > MAX_PATH_BYTES || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
            self.problem(format!(
                "navigation `{path}`: expected a path of at most {MAX_PATH_BYTES} ASCII characters without spaces"
            ));
        }
        let page_path = path.split_once('#').map_or(path.as_str(), |(path, _)| path);
        let is_known = self.release.pages.iter().any(|page| {
            let is_static = page.pattern == page_path && Pattern::is_static(page_path);
            is_static || page.paths.iter().any(|named| named.path == page_path)
        });
        if !is_known {
            self.problem(format!(
                "navigation `{path}`: expected the pattern of a page without params, or a path that a page of the release \
                 lists"
            ));
        }
    }

    pub(super) fn exposed_modules(&mut self) {
        let release = self.release;
        let count = release.exposes.len();
        if count > MAX_EXPOSED_MODULES {
            self.problem(format!(
                "the release exposes {count} modules; expected at most {MAX_EXPOSED_MODULES}"
            ));
        }
        let mut names = BTreeSet::new();
        for module in &release.exposes {
            let name = &module.name;
            if !is_exposed_name(name) {
                self.problem(format!(
                    "exposed module `{name}` must be `./` and a name of ASCII letters, digits, `-`, `_` and `/`, such as \
                     `./PriceTag`"
                ));
            } else if name == SECTION_MODULE {
                self.problem(format!(
                    "exposed module `{name}` is the section itself: expected another name"
                ));
            }
            if !names.insert(name) {
                self.problem(format!("exposed module `{name}` is listed twice"));
            }
            self.assets(&format!("exposed module `{name}`"), &module.assets);
        }
    }
}

/// All problems of the extension points that a release opens; empty if they are valid. `owner` is the name
/// of the section, or `shell`.
pub fn extension_point_problems(owner: &str, points: &[ExtensionPoint]) -> Vec<String> {
    let mut problems = Vec::new();
    let count = points.len();
    if count > MAX_EXTENSIONS {
        problems.push(format!(
            "the release has {count} extension points; expected at most {MAX_EXTENSIONS}"
        ));
    }
    let mut references = BTreeSet::new();
    for point in points {
        problems.extend(extension_point(owner, point));
        let reference = point.reference();
        if references.contains(&reference) {
            problems.push(format!("extension point `{reference}` is listed twice"));
        }
        references.insert(reference);
    }
    let examples: Vec<_> = points.iter().map(|point| &point.examples).collect();
    let bytes = serde_json::to_vec(&examples).map_or(0, |json| json.len());
    if bytes > MAX_EXAMPLE_BYTES {
        problems.push(format!(
            "the examples of extension points have {bytes} bytes of JSON; expected at most {MAX_EXAMPLE_BYTES}"
        ));
    }
    problems
}

fn extension_point(owner: &str, point: &ExtensionPoint) -> Vec<String> {
    let mut problems = Vec::new();
    let id = &point.id;
    let own = id.strip_prefix(owner).is_some_and(|rest| rest.starts_with('/'));
    if !own || !is_point_id(id) {
        problems.push(format!(
            "extension point `{id}`: expected `{owner}/` and a name that matches [a-z][a-z0-9-]{{0,31}}"
        ));
    }
    if !(1..=MAX_VERSION).contains(&point.version) {
        problems.push(format!(
            "extension point `{id}`: version {} must be from 1 to {MAX_VERSION}",
            point.version
        ));
    }
    if !(1..=MAX_SHOWN).contains(&point.max) {
        problems.push(format!(
            "extension point `{id}`: max {} must be from 1 to {MAX_SHOWN}",
            point.max
        ));
    }
    let count = point.examples.len();
    if !(1..=MAX_EXAMPLES).contains(&count) {
        problems.push(format!(
            "extension point `{id}` has {count} examples; expected 1 to {MAX_EXAMPLES}"
        ));
    }
    problems
}

/// Whether a string is a valid name of an exposed module: at most 128 bytes. Its part after `./` is
/// also a part of the IDs by which sections load it, such as `catalog/PriceTag`.
fn is_exposed_name(text: &str) -> bool {
    let is_segment = |segment: &str| {
        segment.starts_with(|c: char| c.is_ascii_alphanumeric())
            && segment
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let name = text.strip_prefix("./");
    text.len() <= 128 && name.is_some_and(|name| name.split('/').all(is_segment))
}
