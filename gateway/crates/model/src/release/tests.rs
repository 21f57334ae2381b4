use serde_json::{Map, Value};

use super::{
    Digest, ExtensionPoint, FactType, Icon, Kind, Meta, NamedPath, NavigationEntry, NavigationList, Page,
    PointReference, Purpose, Release, SocialImage, ThemeColor, is_file_path, is_name, is_version, validate,
};
use crate::testing;

fn section() -> Release {
    testing::section("directory", "1.0.0").release
}

fn shell() -> Release {
    testing::shell("1.0.0").release
}

fn icon(file: &str) -> Icon {
    Icon {
        file: file.to_owned(),
        size: 192,
        purpose: Purpose::Any,
    }
}

fn image(file: &str) -> SocialImage {
    SocialImage {
        file: file.to_owned(),
        width: 1200,
        height: 630,
        alt: "A lighthouse".to_owned(),
    }
}

fn theme(light: &str) -> ThemeColor {
    ThemeColor {
        light: light.to_owned(),
        dark: "#000000".to_owned(),
    }
}

fn meta(name: &str, content: &str) -> Meta {
    Meta {
        name: name.to_owned(),
        content: content.to_owned(),
    }
}

fn reference(text: &str) -> PointReference {
    text.parse().expect("a reference")
}

/// A link of the menu.
fn link(label: &str, path: &str) -> NavigationEntry {
    NavigationEntry {
        to: NavigationList::Menu,
        label: label.to_owned(),
        path: path.to_owned(),
        order: 0,
    }
}

/// Props with a text of this length.
fn text(length: usize) -> Map<String, Value> {
    Map::from_iter([("t".to_owned(), "x".repeat(length).into())])
}

/// The problems of a release after a change to it.
fn problems(mut release: Release, change: impl FnOnce(&mut Release)) -> Vec<String> {
    change(&mut release);
    validate(&release)
}

#[test]
fn validate_accepts_valid_releases() {
    let section = problems(section(), |release| {
        release.facts = [("openingHours2_".to_owned(), FactType::Strings)].into();
        release.config = [("pageSize".to_owned(), FactType::Number)].into();
        // A page without params, a path of another page, a fragment, and a link in both lists.
        let mut home = link("Home", "/");
        home.to = NavigationList::Footer;
        release.navigation = vec![
            link(&"ä".repeat(64), "/"),
            home,
            link("New York", "/state/New%20York"),
            link("Texas", "/state/Texas#cities"),
        ];
        // A section can show two versions of a point while others change, and fill its own.
        let (own, next) = (&release.extension_points[0], reference("directory/aside@2"));
        release.extensions[0].point = own.reference();
        let (version, max, examples) = (2, 16, vec![text(65_504)]);
        release.extension_points.push(ExtensionPoint {
            version,
            max,
            examples,
            ..own.clone()
        });
        release.pages[1].extension_points.push(next);
    });
    assert_eq!(section, [""; 0]);
    let shell = problems(shell(), |release| {
        release.meta = vec![meta("rating", "general")];
        let point = testing::section("shell", "1.0.0").release.extension_points;
        release.extension_points = point;
    });
    assert_eq!(shell, [""; 0]);
}

/// A change that makes a release invalid, and a part of the expected problem.
type InvalidCase = (fn(&mut Release), &'static str);

#[expect(clippy::too_many_lines, reason = "a table")]
#[test]
fn validate_reports_each_section_problem() {
    let cases: &[InvalidCase] = &[
        (|r| r.name = "Directory".to_owned(), "name `Directory` must match"),
        (
            |r| r.version = "1.0".to_owned(),
            "version `1.0` is not a semantic version",
        ),
        (|r| r.contract = 2, "contract 2 is not supported"),
        (|r| r.kind = Kind::Shell, "must be used together"),
        (
            |r| {
                let index = r.files.iter_mut().find(|file| file.path == "server/index.js");
                let index = index.expect("the server module");
                (index.path, index.size) =
                    ("server/maps/server/index.js.map".to_owned(), 16 * 1024 * 1024 + 1);
            },
            "source map `server/maps/server/index.js.map` has 16777217 bytes; expected at most 16777216, or",
        ),
        (
            |r| r.files[0].path = "client/a.js.map".to_owned(),
            "visitors could read source map `client/a.js.map`; move it to `server/maps/client/a.js.map`, or",
        ),
        (|r| r.container = None, "a section needs `container`"),
        (|r| r.container = Some("a-b".to_owned()), "container `a-b` is not"),
        (
            |r| r.entry = "client/gone.js".to_owned(),
            "entry refers to `client/gone.js`, which is not a listed",
        ),
        (
            |r| r.entry = "server/index.js".to_owned(),
            "which is not below client/",
        ),
        (
            |r| r.entry = "client/state.css".to_owned(),
            "which must be a script",
        ),
        (
            |r| r.assets.push("client/gone.js".to_owned()),
            "assets refers to `client/gone.js`",
        ),
        (
            |r| r.assets.push("client/icon.svg".to_owned()),
            "must be a script or a stylesheet",
        ),
        (
            |r| r.pages[0].assets.push("client/gone.js".to_owned()),
            "page `/` refers to `client/gone.js`",
        ),
        (
            |r| r.extension_points[0].id = "legal/aside".to_owned(),
            "extension point `legal/aside`: expected `directory/` and a name that matches [a-z][a-z0-9-]{0,31}",
        ),
        (
            |r| r.extension_points[0].id = "directory/a/b".to_owned(),
            "extension point `directory/a/b`: expected `directory/` and a name",
        ),
        (
            |r| r.extension_points[0].version = 0,
            "extension point `directory/aside`: version 0 must be from 1 to 999999999",
        ),
        (
            |r| r.extension_points[0].max = 17,
            "extension point `directory/aside`: max 17 must be from 1 to 16",
        ),
        (|r| r.extension_points[0].max = 0, "max 0 must be from 1 to 16"),
        (
            |r| r.extension_points[0].examples.clear(),
            "extension point `directory/aside` has 0 examples; expected 1 to 20",
        ),
        (
            |r| r.extension_points[0].examples = vec![Map::new(); 21],
            "has 21 examples; expected 1 to 20",
        ),
        (
            |r| r.extension_points[0].examples = vec![text(65_525)],
            "the examples of extension points have 65537 bytes of JSON; expected at most 65536",
        ),
        (
            |r| r.extension_points.push(r.extension_points[0].clone()),
            "extension point `directory/aside@1` is listed twice",
        ),
        (
            |r| r.extension_points = vec![r.extension_points[0].clone(); 33],
            "the release has 33 extension points; expected at most 32",
        ),
        (
            |r| r.pages[0].extension_points = vec![reference("directory/aside@2")],
            "page `/` has the extension point `directory/aside@2`, which is not in the release's `extensionPoints`",
        ),
        (
            |r| r.pages[0].extension_points = vec![reference("directory/aside@1"); 2],
            "page `/` has the extension point `directory/aside@1` twice",
        ),
        (
            |r| r.extensions.push(r.extensions[0].clone()),
            "extension point `shell/banner@1` is filled twice",
        ),
        (
            |r| r.extensions[0].assets.push("client/gone.js".to_owned()),
            "the extension of `shell/banner@1` refers to `client/gone.js`",
        ),
        (
            |r| r.extensions = vec![r.extensions[0].clone(); 33],
            "the release has 33 extensions; expected at most 32",
        ),
        (
            |r| r.navigation = vec![link(" ", "/")],
            "navigation `/`: expected a label of 1 to 64 characters",
        ),
        (
            |r| r.navigation = vec![link(&"ä".repeat(65), "/")],
            "navigation `/`: expected a label of 1 to 64 characters",
        ),
        (
            |r| r.navigation = vec![link("Home", "/# x")],
            "navigation `/# x`: expected a path of at most 512 ASCII characters without spaces",
        ),
        (
            |r| r.navigation = vec![link("Ohio", "/state/Ohio")],
            "navigation `/state/Ohio`: expected the pattern of a page without params, or a path that a page of the release lists",
        ),
        (
            |r| r.navigation = vec![link("State", "/state/:state")],
            "navigation `/state/:state`: expected the pattern of a page without params",
        ),
        (
            |r| r.navigation = vec![link("Home", "/"), link("Start", "/")],
            "navigation `/` is listed twice",
        ),
        (
            |r| r.navigation = vec![link("Home", "/"); 33],
            "the release has 33 links in `navigation`; expected at most 32",
        ),
        (
            |r| r.exposes[0].assets.push("client/gone.js".to_owned()),
            "exposed module `./Tag` refers to `client/gone.js`",
        ),
        (
            |r| r.exposes[0].assets.push("client/icon.svg".to_owned()),
            "exposed module `./Tag` refers to `client/icon.svg`, which must be a script",
        ),
        (
            |r| r.exposes[0].name = "Tag".to_owned(),
            "exposed module `Tag` must be `./` and a name",
        ),
        (
            |r| r.exposes[0].name = "./a/../b".to_owned(),
            "exposed module `./a/../b` must be",
        ),
        (
            |r| r.exposes[0].name = "./section".to_owned(),
            "exposed module `./section` is the section itself",
        ),
        (
            |r| r.exposes.push(r.exposes[0].clone()),
            "exposed module `./Tag` is listed twice",
        ),
        (
            |r| r.exposes = vec![r.exposes[0].clone(); 101],
            "the release exposes 101 modules; expected at most 100",
        ),
        (
            |r| r.pages[0].pattern = "/a/".to_owned(),
            "pattern `/a/`: it must not end with a slash",
        ),
        (
            |r| r.pages[0].pattern = "/go/:x".to_owned(),
            "paths below `/go` belong to the gateway",
        ),
        (|r| r.pages[0].pattern = "/state/:s".to_owned(), "collide"),
        (
            |r| r.pages[1].paths[0].path = "/other".to_owned(),
            "path `/other` is not one of page",
        ),
        (
            |r| r.pages[1].paths[0].path = "/state/New York".to_owned(),
            "path `/state/New York`",
        ),
        (
            |r| r.pages[1].paths[0].path = "/state/Texas?x".to_owned(),
            "path `/state/Texas?x`",
        ),
        (
            |r| r.files[0].path = "../x".to_owned(),
            "file `../x` is not a valid path",
        ),
        (|r| r.files.swap(0, 1), "files are not sorted"),
        (|r| r.files.insert(0, r.files[0].clone()), "is listed twice"),
        (|r| r.files[0].media_type = "a\nb".to_owned(), "has no valid type"),
        (|r| r.files[0].media_type = String::new(), "has no valid type"),
        (
            |r| {
                r.shared.insert("react".to_owned(), "latest".to_owned());
            },
            "is not a version range",
        ),
        (
            |r| r.pages[0].shared.push("charts".to_owned()),
            "page `/` has the package `charts`, which is not in `shared`",
        ),
        (
            |r| r.extensions[0].shared.push("charts".to_owned()),
            "the extension of `shell/banner@1` has the package `charts`, which is not in `shared`",
        ),
        (
            |r| r.used_exports = [("charts".to_owned(), Vec::new())].into(),
            "usedExports has the package `charts`, which is not in `shared`",
        ),
        (
            |r| r.facts = [("opening-hours".to_owned(), FactType::String)].into(),
            "facts `opening-hours`: expected a name that matches [a-zA-Z][a-zA-Z0-9_]{0,63}",
        ),
        (
            |r| r.config = [("2nd".to_owned(), FactType::String)].into(),
            "config `2nd`: expected a name that matches [a-zA-Z][a-zA-Z0-9_]{0,63}",
        ),
    ];
    for (change, expected) in cases {
        let problems = problems(section(), *change);
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{expected}: {problems:?}"
        );
    }
}

#[test]
fn validate_reports_each_shell_problem() {
    let cases: &[InvalidCase] = &[
        (
            |r| r.container = Some("shell".to_owned()),
            "the shell has no `container`",
        ),
        (
            |r| r.needs_federation_runtime = Some(false),
            "the shell has no `needsFederationRuntime`",
        ),
        (|r| r.pages = section().pages, "the shell has no `pages`"),
        (
            |r| r.extensions = section().extensions,
            "the shell has no `extensions`",
        ),
        (
            |r| r.extension_points = section().extension_points,
            "extension point `directory/aside`: expected `shell/` and a name",
        ),
        (
            |r| r.navigation = vec![link("Home", "/")],
            "the shell has no `navigation`",
        ),
        (|r| r.exposes = section().exposes, "the shell has no `exposes`"),
        (
            |r| r.config = [("pageSize".to_owned(), FactType::Number)].into(),
            "the shell has no `config`",
        ),
        (
            |r| r.styles = vec!["client/main.js".to_owned()],
            "must be a stylesheet",
        ),
        (|r| r.icon = Some("client/main.js".to_owned()), "must be an image"),
        (
            |r| {
                r.shared.insert("react".to_owned(), "^19.0.0".to_owned());
            },
            "is not an exact version",
        ),
        (
            |r| r.shared_assets = [("charts".to_owned(), Vec::new())].into(),
            "sharedAssets has the package `charts`, which is not in `shared`",
        ),
        (
            |r| r.shared_assets = [("react".to_owned(), vec!["client/frame.css".to_owned()])].into(),
            "sharedAssets of `react` refers to `client/frame.css`, which must be a script",
        ),
        (|r| r.meta = vec![meta("a b", "x")], "meta `a b`: expected a name"),
        (
            |r| r.meta = vec![meta("Robots", "x")],
            "meta `Robots`: the gateway or the page's head writes it; expected another name",
        ),
        (
            |r| r.meta = vec![meta("rating", "")],
            "meta `rating`: expected a content",
        ),
        (
            |r| r.meta = vec![meta("rating", "general"); 33],
            "meta has 33 elements; expected at most 32",
        ),
    ];
    for (change, expected) in cases {
        let problems = problems(shell(), *change);
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{expected}: {problems:?}"
        );
    }
}

#[test]
fn validate_rejects_shell_fields_of_section() {
    let problems = problems(section(), |release| {
        release.styles = vec!["client/state.css".to_owned()];
        release.icon = Some("client/icon.svg".to_owned());
        release.icons = vec![icon("client/icon.svg")];
        release.social_image = Some(image("client/icon.svg"));
        release.theme_color = Some(theme("#ffffff"));
        release.meta = vec![meta("rating", "general")];
        release.shared_assets = [("react".to_owned(), Vec::new())].into();
    });
    let fields = [
        "styles",
        "icon",
        "icons",
        "socialImage",
        "themeColor",
        "meta",
        "sharedAssets",
    ];
    for field in fields {
        let problem = format!("only the shell has `{field}`");
        assert!(problems.contains(&problem), "{problem}: {problems:?}");
    }
}

/// A change to a shell's images and colors.
type Change = fn(&mut Icon, &mut SocialImage, &mut ThemeColor);

#[test]
fn validate_reports_each_shell_image_problem() {
    let problems_of = |change: Change| {
        problems(shell(), |release| {
            let (mut icon, mut image) = (icon("client/icon.png"), image("client/icon.png"));
            let mut theme = theme("#ffffff");
            change(&mut icon, &mut image, &mut theme);
            release.icons = vec![icon];
            release.social_image = Some(image);
            release.theme_color = Some(theme);
        })
    };
    assert_eq!(problems_of(|_, _, _| {}), Vec::<String>::new());
    let cases: &[(Change, &str)] = &[
        (
            |icon, _, _| icon.file = "client/missing.png".to_owned(),
            "icons refers to `client/missing.png`, which is not a listed file",
        ),
        (
            |icon, _, _| icon.file = "client/icon.svg".to_owned(),
            "icons refers to `client/icon.svg`, which must be a PNG image",
        ),
        (
            |icon, _, _| icon.size = 0,
            "icon `client/icon.png`: size 0 must be from 1 to 8192 pixels",
        ),
        (
            |_, image, _| image.file = "client/icon.svg".to_owned(),
            "socialImage refers to `client/icon.svg`, which must be a PNG image",
        ),
        (
            |_, image, _| image.height = 9000,
            "socialImage: height 9000 must be from 1 to 8192 pixels",
        ),
        (
            |_, image, _| image.alt = " ".to_owned(),
            "socialImage: alt must describe the image",
        ),
        (
            |_, _, theme| theme.light = "red".to_owned(),
            "themeColor: light `red` must be a color such as #20c0ff",
        ),
    ];
    for (change, problem) in cases {
        assert_eq!(problems_of(*change), [*problem]);
    }
}

#[test]
fn release_has_at_most_5000_pages_and_paths() {
    let known = section().pages[1].clone();
    let page = |name: &str, paths: usize| Page {
        search: Vec::new(),
        pattern: format!("/{name}/:x"),
        paths: (0..paths)
            .map(|number| NamedPath {
                path: format!("/{name}/{number}"),
                ..known.paths[0].clone()
            })
            .collect(),
        ..known.clone()
    };
    let of = |pages: Vec<Page>| problems(section(), |release| release.pages = pages);
    // The limit of paths applies to all pages together.
    assert_eq!(of(vec![page("few", 10), page("many", 4990)]), [""; 0]);
    assert_eq!(
        of(vec![page("few", 10), page("many", 4991)]),
        ["the release lists 5001 paths; expected at most 5000"]
    );
    let pages = (0..5001).map(|number| page(&number.to_string(), 0));
    assert_eq!(
        of(pages.collect()),
        ["the release has 5001 pages; expected at most 5000"]
    );
}

#[test]
fn validate_reports_all_problems() {
    let problems = problems(section(), |release| {
        release.contract = 7;
        release.container = None;
        release.entry = "client/gone.js".to_owned();
    });
    assert_eq!(problems.len(), 3, "{problems:?}");
}

#[test]
fn deserialize_rejects_unknown_and_missing_fields() {
    let valid = serde_json::to_value(section()).expect("a release serializes");
    assert!(serde_json::from_value::<Release>(valid.clone()).is_ok());
    let mut unknown = valid.clone();
    unknown["color"] = "red".into();
    assert!(serde_json::from_value::<Release>(unknown).is_err());
    for field in ["name", "kind", "entry", "styles", "pages", "shared", "files"] {
        let mut missing = valid.clone();
        missing.as_object_mut().expect("an object").remove(field);
        assert!(serde_json::from_value::<Release>(missing).is_err(), "{field}");
    }
}

#[test]
fn names_versions_and_paths_reject_path_traversal() {
    assert!(is_name("mfe-1") && !is_name("") && !is_name("-a") && !is_name("..") && !is_name("a/b"));
    assert!(!is_name(&"a".repeat(33)) && is_name(&"a".repeat(32)));
    assert!(is_version("0.1.0-dev.4f0c2b9a1d3e") && !is_version("..") && !is_version("1.0.0/../x"));
    for path in ["client/a.js", "client/a/b/c.woff2", "server/index.js"] {
        assert!(is_file_path(path), "{path}");
    }
    let invalid = [
        "",
        "client",
        "client/",
        "a.js",
        "/client/a.js",
        "client//a.js",
        "client/../a.js",
        "client/./a.js",
        "compressed/client/a.js.br",
        "release.json",
        "stored.json",
        "client/a b.js",
        "client/a\\b.js",
        "client/é.js",
        "client/..",
        "Client/a.js",
    ];
    for path in invalid {
        assert!(!is_file_path(path), "{path}");
    }
}

#[test]
fn point_reference_has_one_text_for_each_version() {
    for text in ["directory/city-aside@1", "shell/search@999999999", "a/b@10"] {
        assert_eq!(reference(text).as_str(), text);
    }
    assert!(reference("shell/search@1").is_of_shell() && !reference("shells/search@1").is_of_shell());
    let invalid = [
        "",
        "directory",
        "directory/city-aside",
        "directory/city-aside@",
        "directory/city-aside@0",
        "directory/city-aside@01",
        "directory/city-aside@+1",
        "directory/city-aside@1000000000",
        "directory/city-aside@1@1",
        "directory/city/aside@1",
        "Directory/city-aside@1",
        "/city-aside@1",
        "directory/@1",
        "directory/../x@1",
        "directory/city-aside@1 ",
    ];
    for text in invalid {
        let error = text.parse::<PointReference>().unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("`{text}` is not a reference of an extension point: ")),
            "{error}"
        );
    }
}

#[test]
fn digest_has_subresource_integrity_format() {
    let digest = Digest::of(b"alert('Hello, world.');");
    // The example of the W3C specification: https://www.w3.org/TR/sri/
    let expected = "sha384-H8BRh8j48O9oYatfu5AZzq6A9RINhZO5H16dQZngK7T62em8MUt1FLm52t+eX6xO";
    assert_eq!(digest.to_string(), expected);
    assert_eq!(expected.parse::<Digest>().expect("a digest"), digest);
    for text in [
        "",
        "sha384-",
        "sha384-AAAA",
        "sha256-H8BRh8j48O9oYatfu5AZzq6A9RINhZO5H16dQZngK7T=",
    ] {
        assert!(text.parse::<Digest>().is_err(), "{text}");
    }
}
