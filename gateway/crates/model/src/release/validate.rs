//! Validation of a release manifest, before the release is stored.

mod extensions;

pub use extensions::extension_point_problems;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::RangeInclusive;

use http::HeaderValue;
use semver::Version;

use crate::pattern::{MAX_SEGMENTS, Pattern, PatternTable};
use crate::release::names::MAX_SOURCE_MAP;
use crate::release::{
    CONTRACT, EXPECTED_FACT_NAME, File, Kind, MAX_EXAMPLES_FILE, MAX_PATHS, Meta, Page, Release, SHELL,
    VersionRange, is_fact_name, is_file_path, is_name, is_source_map, is_version, source_map_path,
};
use crate::search::{MAX_PARAMETERS, is_parameter_name};

/// The maximum width and height of an image.
const MAX_PIXELS: u32 = 8192;
const PIXEL_RANGE: RangeInclusive<u32> = 1..=MAX_PIXELS;

/// The maximum number of meta elements of a shell.
const MAX_META: usize = 32;

/// The names of the meta elements that the gateway writes, or that a page's head has; and
/// `referrer`, which would replace the referrer policy of the response.
const OWN_META: [&str; 7] = [
    "description",
    "keywords",
    "referrer",
    "robots",
    "theme-color",
    "twitter:card",
    "viewport",
];

/// All problems of a release manifest; empty if it is valid.
pub fn validate(release: &Release) -> Vec<String> {
    let mut validator = Validator {
        release,
        files: release
            .files
            .iter()
            .map(|file| (file.path.as_str(), file))
            .collect(),
        problems: Vec::new(),
    };
    validator.identity();
    validator.files();
    validator.references();
    validator.pages();
    validator.extension_points();
    validator.extensions();
    validator.navigation();
    validator.exposed_modules();
    validator.shared();
    validator.modules();
    validator.examples();
    validator.meta();
    validator.settings();
    validator.problems
}

struct Validator<'a> {
    release: &'a Release,
    files: BTreeMap<&'a str, &'a File>,
    problems: Vec<String>,
}

impl Validator<'_> {
    fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    fn segments(&mut self, what: fmt::Arguments<'_>, count: usize) {
        if count > MAX_SEGMENTS {
            self.problem(format!(
                "{what} has {count} segments; expected at most {MAX_SEGMENTS}"
            ));
        }
    }

    fn limit(&mut self, count: usize, max: usize, what: &str) {
        if count > max {
            self.problem(format!("the release has {count} {what}; expected at most {max}"));
        }
    }

    fn examples(&mut self) {
        let Some(path) = &self.release.examples else {
            return;
        };
        match self.files.get(path.as_str()) {
            Some(file) if path.starts_with("server/") => {
                let size = file.size;
                if size > MAX_EXAMPLES_FILE {
                    self.problem(format!(
                        "examples refers to `{path}`, which has {size} bytes; expected at most {MAX_EXAMPLES_FILE}"
                    ));
                }
            }
            _ => self.problem(format!(
                "examples refers to `{path}`, which is not a listed file below server/"
            )),
        }
    }

    fn modules(&mut self) {
        for (specifier, path) in &self.release.modules {
            if !path.starts_with("server/") || !self.files.contains_key(path.as_str()) {
                self.problem(format!(
                    "module `{specifier}` refers to `{path}`, which is not a listed file below server/"
                ));
            }
        }
    }

    fn meta(&mut self) {
        let release = self.release;
        if release.meta.len() > MAX_META {
            let count = release.meta.len();
            self.problem(format!("meta has {count} elements; expected at most {MAX_META}"));
        }
        for Meta { name, content } in &release.meta {
            if !is_meta_name(name) {
                self.problem(format!(
                    "meta `{name}`: expected a name of at most 64 letters, digits, `-`, `_`, `.` and `:`"
                ));
            } else if OWN_META.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                self.problem(format!(
                    "meta `{name}`: the gateway or the page's head writes it; expected another name"
                ));
            }
            if content.is_empty() || content.chars().any(char::is_control) {
                self.problem(format!(
                    "meta `{name}`: expected a content without control characters that is not empty"
                ));
            }
        }
    }

    fn settings(&mut self) {
        let release = self.release;
        for (field, types) in [("facts", &release.facts), ("config", &release.config)] {
            for name in types.keys().filter(|name| !is_fact_name(name)) {
                self.problem(format!("{field} `{name}`: expected {EXPECTED_FACT_NAME}"));
            }
        }
    }

    fn identity(&mut self) {
        let release = self.release;
        if !is_name(&release.name) {
            self.problem(format!(
                "name `{}` must match [a-z][a-z0-9-]{{0,31}}",
                release.name
            ));
        }
        if !is_version(&release.version) {
            self.problem(format!("version `{}` is not a semantic version", release.version));
        }
        if release.contract != CONTRACT {
            self.problem(format!(
                "contract {} is not supported; this gateway supports contract {CONTRACT}",
                release.contract
            ));
        }
        if (release.kind == Kind::Shell) != (release.name == SHELL) {
            self.problem(format!(
                "the name `{SHELL}` and the kind `shell` must be used together"
            ));
        }
        match (release.kind, &release.container) {
            (Kind::Section, None) => self.problem("a section needs `container`"),
            (Kind::Section, Some(name)) if !is_identifier(name) => {
                self.problem(format!(
                    "container `{name}` is not a JavaScript identifier of ASCII letters, digits, `_` and `$`"
                ));
            }
            (Kind::Section, Some(name)) if !is_own_name(name) => {
                self.problem(format!(
                    "container `{name}` of {} could be a name of the language, the browser or the shell: expected a name \
                     that has `_`, but not as its first character, such as `{}_1`",
                    release.name,
                    release.name.replace('-', "_")
                ));
            }
            (Kind::Shell, Some(_)) => self.problem("the shell has no `container`"),
            _ => {}
        }
        self.fields();
    }

    fn fields(&mut self) {
        let release = self.release;
        let of_sections = [
            (
                "needsFederationRuntime",
                release.needs_federation_runtime.is_some(),
            ),
            ("pages", !release.pages.is_empty()),
            ("extensions", !release.extensions.is_empty()),
            ("navigation", !release.navigation.is_empty()),
            ("exposes", !release.exposes.is_empty()),
            ("config", !release.config.is_empty()),
            ("examples", release.examples.is_some()),
            ("usedExports", !release.used_exports.is_empty()),
        ];
        let of_shells = [
            ("styles", !release.styles.is_empty()),
            ("icon", release.icon.is_some()),
            ("icons", !release.icons.is_empty()),
            ("socialImage", release.social_image.is_some()),
            ("themeColor", release.theme_color.is_some()),
            ("sharedAssets", !release.shared_assets.is_empty()),
            ("omittedExports", !release.omitted_exports.is_empty()),
            ("meta", !release.meta.is_empty()),
        ];
        let (fields, problem): (&[_], _) = match release.kind {
            Kind::Shell => (&of_sections, "the shell has no"),
            Kind::Section => (&of_shells, "only the shell has"),
        };
        for (field, _) in fields.iter().filter(|(_, is_present)| *is_present) {
            self.problem(format!("{problem} `{field}`"));
        }
    }

    fn files(&mut self) {
        let mut last: Option<&str> = None;
        for file in &self.release.files {
            let path = file.path.as_str();
            if !is_file_path(path) {
                self.problem(format!(
                    "file `{path}` is not a valid path below client/ or server/"
                ));
            }
            if is_source_map(path) && file.size > MAX_SOURCE_MAP {
                self.problem(format!(
                    "source map `{path}` has {} bytes; expected at most {MAX_SOURCE_MAP}, or `sourceMaps: false` in \
                     section.config.js",
                    file.size
                ));
            }
            if let Some(public) = path.strip_prefix("client/") {
                // The URL is `/assets/<name>/<version>/<public path>`.
                let segments = 3 + public.split('/').count();
                self.segments(format_args!("the URL of file `{path}`"), segments);
                if let Some(script) = path.strip_suffix(".map") {
                    self.problem(format!(
                        "visitors could read source map `{path}`; move it to `{}`, or leave it out",
                        source_map_path(script)
                    ));
                }
            }
            match last {
                Some(previous) if previous == path => self.problem(format!("file `{path}` is listed twice")),
                Some(previous) if previous > path => self.problem(format!("files are not sorted: `{path}`")),
                _ => {}
            }
            last = Some(path);
            if file.media_type.is_empty() || HeaderValue::from_str(&file.media_type).is_err() {
                self.problem(format!("file `{path}` has no valid type"));
            }
        }
    }

    fn references(&mut self) {
        let release = self.release;
        self.reference("entry", &release.entry, File::is_script, "a script");
        for style in &release.styles {
            self.reference("styles", style, File::is_style, "a stylesheet");
        }
        self.assets("assets", &release.assets);
        if let Some(icon) = &release.icon {
            self.reference(
                "icon",
                icon,
                |file| file.media_type.starts_with("image/"),
                "an image",
            );
        }
        self.images();
    }

    fn images(&mut self) {
        let release = self.release;
        let is_png = |file: &File| file.media_type == "image/png";
        for icon in &release.icons {
            self.reference("icons", &icon.file, is_png, "a PNG image");
            if !PIXEL_RANGE.contains(&icon.size) {
                self.problem(format!(
                    "icon `{}`: size {} must be from 1 to {MAX_PIXELS} pixels",
                    icon.file, icon.size
                ));
            }
        }
        if let Some(image) = &release.social_image {
            self.reference("socialImage", &image.file, is_png, "a PNG image");
            for (what, length) in [("width", image.width), ("height", image.height)] {
                if !PIXEL_RANGE.contains(&length) {
                    self.problem(format!(
                        "socialImage: {what} {length} must be from 1 to {MAX_PIXELS} pixels"
                    ));
                }
            }
            if image.alt.trim().is_empty() {
                self.problem("socialImage: alt must describe the image");
            }
        }
        if let Some(theme) = &release.theme_color {
            for (scheme, color) in [("light", &theme.light), ("dark", &theme.dark)] {
                if !is_color(color) {
                    self.problem(format!(
                        "themeColor: {scheme} `{color}` must be a color such as #20c0ff"
                    ));
                }
            }
        }
    }

    fn assets(&mut self, what: &str, assets: &[String]) {
        for asset in assets {
            let is_asset = |file: &File| file.is_script() || file.is_style();
            self.reference(what, asset, is_asset, "a script or a stylesheet");
        }
    }

    fn reference(&mut self, what: &str, path: &str, is_expected: impl Fn(&File) -> bool, expected: &str) {
        match self.files.get(path) {
            None => self.problem(format!("{what} refers to `{path}`, which is not a listed file")),
            Some(_) if !path.starts_with("client/") => {
                self.problem(format!("{what} refers to `{path}`, which is not below client/"));
            }
            Some(file) if !is_expected(file) => {
                self.problem(format!("{what} refers to `{path}`, which must be {expected}"));
            }
            Some(_) => {}
        }
    }

    fn pages(&mut self) {
        let release = self.release;
        let mut table = PatternTable::default();
        for page in &release.pages {
            self.assets(&format!("page `{}`", page.pattern), &page.assets);
            match Pattern::parse(&page.pattern) {
                Err(error) => self.problem(format!("pattern `{}`: {error}", page.pattern)),
                Ok(pattern) => {
                    self.segments(format_args!("pattern `{pattern}`"), pattern.segments().len());
                    let collision = table
                        .insert(pattern, ())
                        .err()
                        .map(|(other, ())| other.to_string());
                    if let Some(other) = collision {
                        self.problem(format!("patterns `{other}` and `{}` collide", page.pattern));
                    }
                }
            }
        }
        let count: usize = release.pages.iter().map(|page| page.paths.len()).sum();
        self.limit(release.pages.len(), MAX_PATHS, "pages");
        if count > MAX_PATHS {
            self.problem(format!(
                "the release lists {count} paths; expected at most {MAX_PATHS}"
            ));
        }
        for page in &release.pages {
            self.search(page);
            for named in &page.paths {
                if !page.has_path(&table, &named.path) {
                    self.problem(format!(
                        "path `{}` is not one of page `{}`",
                        named.path, page.pattern
                    ));
                }
            }
        }
    }

    fn search(&mut self, Page { pattern, search, .. }: &Page) {
        let names: BTreeSet<_> = search.iter().collect();
        if search.len() > MAX_PARAMETERS || names.len() < search.len() {
            self.problem(format!(
                "page `{pattern}` has {} query parameters; expected at most {}, each once",
                search.len(),
                MAX_PARAMETERS
            ));
        }
        if let Some(name) = search.iter().find(|name| !is_parameter_name(name)) {
            self.problem(format!(
                "page `{pattern}` has the query parameter {name:?}; expected a letter, then at most 31 of `a-z A-Z 0-9 _ -`"
            ));
        }
    }

    fn shared(&mut self) {
        let release = self.release;
        for (package, version) in &release.shared {
            match release.kind {
                Kind::Shell if Version::parse(version).is_err() => {
                    self.problem(format!("shared `{package}`: `{version}` is not an exact version"));
                }
                Kind::Section if VersionRange::parse(version).is_none() => {
                    self.problem(format!("shared `{package}`: `{version}` is not a version range"));
                }
                _ => {}
            }
        }
        let exports = [
            ("omittedExports", &release.omitted_exports),
            ("usedExports", &release.used_exports),
        ];
        for (field, packages) in exports {
            for package in packages.keys() {
                self.listed_in_shared(field, package);
            }
        }
        for (package, assets) in &release.shared_assets {
            self.listed_in_shared("sharedAssets", package);
            let what = format!("sharedAssets of `{package}`");
            for asset in assets {
                self.reference(&what, asset, File::is_script, "a script");
            }
        }
        for page in &release.pages {
            for package in &page.shared {
                self.listed_in_shared(&format!("page `{}`", page.pattern), package);
            }
        }
        for extension in &release.extensions {
            for package in &extension.shared {
                self.listed_in_shared(&format!("the extension of `{}`", extension.point), package);
            }
        }
    }

    fn listed_in_shared(&mut self, what: &str, package: &str) {
        if !self.release.shared.contains_key(package) {
            self.problem(format!(
                "{what} has the package `{package}`, which is not in `shared`"
            ));
        }
    }
}

fn is_meta_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (1..=64).contains(&text.len()) && text.bytes().all(is_plain)
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#');
    digits.is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether an identifier is no member of `Object`, and no global of browsers or the shell: these
/// have no underscore, or begin with one.
fn is_own_name(identifier: &str) -> bool {
    identifier.find('_').is_some_and(|at| at > 0)
}

fn is_identifier(text: &str) -> bool {
    text.len() <= 128
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$')
}
