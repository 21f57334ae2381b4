use super::{
    Digest, Icon, Kind, Purpose, Release, SocialImage, ThemeColor, check, is_file_path, is_name, is_version,
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
        alt: "A temple".to_owned(),
    }
}

fn theme(light: &str) -> ThemeColor {
    ThemeColor {
        light: light.to_owned(),
        dark: "#000000".to_owned(),
    }
}

/// The problems of a release after a change to it.
fn problems(mut release: Release, change: impl FnOnce(&mut Release)) -> Vec<String> {
    change(&mut release);
    check(&release)
}

#[test]
fn sound_releases_have_no_problems() {
    assert_eq!(check(&section()), Vec::<String>::new());
    assert_eq!(check(&shell()), Vec::<String>::new());
}

/// One way to spoil a release, and what is then said.
type Spoiled = (fn(&mut Release), &'static str);

#[test]
fn each_fault_of_a_section_is_named() {
    let cases: &[Spoiled] = &[
        (|r| r.name = "Directory".to_owned(), "name `Directory` must match"),
        (
            |r| r.version = "1.0".to_owned(),
            "version `1.0` is not a semantic version",
        ),
        (|r| r.contract = 2, "contract 2 is not known"),
        (|r| r.kind = Kind::Shell, "belong together"),
        (|r| r.container = None, "a section needs `container`"),
        (|r| r.container = Some("a-b".to_owned()), "container `a-b` is not"),
        (
            |r| r.entry = "client/gone.js".to_owned(),
            "entry names `client/gone.js`, which is not among",
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
            "assets names `client/gone.js`",
        ),
        (
            |r| r.assets.push("client/icon.svg".to_owned()),
            "must be a script or a stylesheet",
        ),
        (
            |r| r.pages[0].assets.push("client/gone.js".to_owned()),
            "page `/` names `client/gone.js`",
        ),
        (
            |r| r.slots[0].assets.push("client/gone.js".to_owned()),
            "slot `join` names `client/gone.js`",
        ),
        (|r| r.slots[0].name = "Join".to_owned(), "slot `Join` must match"),
        (
            |r| r.slots.push(r.slots[0].clone()),
            "slot `join` is filled twice",
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
            "file `../x` is not a plain path",
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
    ];
    for (spoil, words) in cases {
        let problems = problems(section(), *spoil);
        assert!(
            problems.iter().any(|problem| problem.contains(words)),
            "{words}: {problems:?}"
        );
    }
}

#[test]
fn each_fault_of_a_shell_is_named() {
    let cases: &[Spoiled] = &[
        (
            |r| r.container = Some("shell".to_owned()),
            "the shell has no `container`",
        ),
        (|r| r.pages = section().pages, "the shell has no pages"),
        (
            |r| r.slots = section().slots,
            "the shell has no pages and fills no slots",
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
    ];
    for (spoil, words) in cases {
        let problems = problems(shell(), *spoil);
        assert!(
            problems.iter().any(|problem| problem.contains(words)),
            "{words}: {problems:?}"
        );
    }
}

#[test]
fn what_is_the_shells_alone_is_refused_of_a_section() {
    let problems = problems(section(), |release| {
        release.styles = vec!["client/state.css".to_owned()];
        release.icon = Some("client/icon.svg".to_owned());
        release.icons = vec![icon("client/icon.svg")];
        release.social_image = Some(image("client/icon.svg"));
        release.theme_color = Some(theme("#ffffff"));
    });
    for field in ["styles", "icon", "icons", "socialImage", "themeColor"] {
        let problem = format!("only the shell has `{field}`");
        assert!(problems.contains(&problem), "{problem}: {problems:?}");
    }
}

/// One way to spoil what a shell shows of itself.
type Change = fn(&mut Icon, &mut SocialImage, &mut ThemeColor);

#[test]
fn each_fault_of_a_shells_pictures_is_named() {
    let spoiled = |change: Change| {
        problems(shell(), |release| {
            let (mut icon, mut image) = (icon("client/icon.png"), image("client/icon.png"));
            let mut theme = theme("#ffffff");
            change(&mut icon, &mut image, &mut theme);
            release.icons = vec![icon];
            release.social_image = Some(image);
            release.theme_color = Some(theme);
        })
    };
    assert_eq!(spoiled(|_, _, _| {}), Vec::<String>::new());
    let cases: &[(Change, &str)] = &[
        (
            |icon, _, _| icon.file = "client/none.png".to_owned(),
            "icons names `client/none.png`, which is not among the files",
        ),
        (
            |icon, _, _| icon.file = "client/icon.svg".to_owned(),
            "icons names `client/icon.svg`, which must be a PNG image",
        ),
        (
            |icon, _, _| icon.size = 0,
            "icon `client/icon.png`: size 0 must be from 1 to 8192 pixels",
        ),
        (
            |_, image, _| image.file = "client/icon.svg".to_owned(),
            "socialImage names `client/icon.svg`, which must be a PNG image",
        ),
        (
            |_, image, _| image.height = 9000,
            "socialImage: height 9000 must be from 1 to 8192 pixels",
        ),
        (
            |_, image, _| image.alt = " ".to_owned(),
            "socialImage: alt must say what is to be seen",
        ),
        (
            |_, _, theme| theme.light = "red".to_owned(),
            "themeColor: light `red` must be a colour such as #20c0ff",
        ),
    ];
    for (change, problem) in cases {
        assert_eq!(spoiled(*change), [*problem]);
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let problems = problems(section(), |release| {
        release.contract = 7;
        release.container = None;
        release.entry = "client/gone.js".to_owned();
    });
    assert_eq!(problems.len(), 3, "{problems:?}");
}

#[test]
fn unknown_and_missing_fields_are_refused() {
    let sound = serde_json::to_value(section()).expect("written");
    assert!(serde_json::from_value::<Release>(sound.clone()).is_ok());
    let mut unknown = sound.clone();
    unknown["colour"] = "red".into();
    assert!(serde_json::from_value::<Release>(unknown).is_err());
    for field in ["name", "kind", "entry", "styles", "pages", "shared", "files"] {
        let mut missing = sound.clone();
        missing.as_object_mut().expect("an object").remove(field);
        assert!(serde_json::from_value::<Release>(missing).is_err(), "{field}");
    }
}

#[test]
fn names_versions_and_file_paths_cannot_leave_their_folder() {
    assert!(is_name("mfe-1") && !is_name("") && !is_name("-a") && !is_name("..") && !is_name("a/b"));
    assert!(!is_name(&"a".repeat(33)) && is_name(&"a".repeat(32)));
    assert!(is_version("0.1.0-dev.4f0c2b9a1d3e") && !is_version("..") && !is_version("1.0.0/../x"));
    for path in ["client/a.js", "client/a/b/c.woff2", "server/index.js"] {
        assert!(is_file_path(path), "{path}");
    }
    let refused = [
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
    for path in refused {
        assert!(!is_file_path(path), "{path}");
    }
}

#[test]
fn digests_are_those_of_subresource_integrity() {
    let digest = Digest::of(b"alert('Hello, world.');");
    // The example of the W3C's specification.
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
