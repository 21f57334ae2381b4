//! The configuration reference, docs/operate/configuration.md, agrees with the code.
//!
//! The code says which keys there are, their types and bounds, which are required, and which SIGHUP
//! reloads. `site.toml` says what each key is for and shows its default, which is compared with
//! that of the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use colonnade_config::{Config, ConfigError, RestartSettings, is_reloadable};

use super::site_toml::{Documented, documented, uncommented};
use super::{VALID, folder};

/// The generated part of the page begins after this line.
const MARK: &str =
    "<!-- The rest of this page is generated from site.toml and the code: make config-reference -->\n";

/// The variable with which `make config-reference` runs the test that compares the page.
const UPDATE: &str = "UPDATE_CONFIG_REFERENCE";

/// The units of keys, by the end of their names.
const UNITS: [(&str, &str); 9] = [
    ("_ms", "milliseconds"),
    ("_seconds", "seconds"),
    ("_hours", "hours"),
    ("_bytes", "bytes"),
    ("_kib", "KiB"),
    ("_mib", "MiB"),
    ("_percent", "percent"),
    ("_per_minute", "per minute"),
    ("_per_day", "per day"),
];

/// The name of a key that the operator chooses.
const ANY: &str = "*";

/// What the code expects of the value of a documented key; `None` if it does not know the key.
fn expected_of<'k>(known: &'k BTreeMap<String, String>, path: &str) -> Option<&'k String> {
    let of_any = || {
        let (table, _) = path.rsplit_once('.')?;
        known.get(&format!("{table}.{ANY}"))
    };
    known.get(path).or_else(of_any)
}

/// The environment variable of a key.
fn variable(path: &str) -> String {
    format!("COLONNADE_{}", path.replace('.', "__").to_uppercase())
}

/// What the code expects of the value of a table or key, from its problem with a value of another
/// type. `array` is the path of the array of tables that contains the key.
fn expectation(folder: &Path, path: &str, array: Option<&str>) -> Option<String> {
    let of_variable = |name: &str, value: String| {
        let variables = [(variable(name), value)].into_iter();
        let error = Config::parse_with("site.toml", VALID, folder, variables).err()?;
        let problems = error.to_string();
        let own = format!(": {path}: ");
        let problem = problems.lines().find_map(|problem| problem.split_once(&own));
        let (wrong, expected) = problem?.1.split_once("; expected ")?;
        (wrong.starts_with("is of type ") || wrong == "unknown key").then(|| expected.to_owned())
    };
    let expected = |value: &str| {
        let key = array.and_then(|array| path.strip_prefix(&format!("{array}.")));
        let (name, value) = match (array, key) {
            (Some(array), Some(key)) => (array, format!("[{{ {key} = {value} }}]")),
            _ => (path, value.to_owned()),
        };
        of_variable(name, value)
    };
    // The operator names the keys of some tables, and a variable for a new one is an error.
    let in_table = || {
        let (table, key) = path.rsplit_once('.')?;
        of_variable(table, format!("{{ {key} = 2026-11-28 }}"))
    };
    // A date is no value of any key. Where the file has a string, it is text there, but a list is not.
    expected("false")
        .or_else(|| expected("1"))
        .or_else(|| expected("2026-11-28"))
        .or_else(|| expected("[]"))
        .or_else(in_table)
}

/// Finds all tables and keys in a table, with what the code expects of their values. The problem
/// with an unknown key lists them.
fn find(folder: &Path, table: &str, array: Option<&str>, found: &mut BTreeMap<String, String>) {
    let keys = expectation(folder, &format!("{table}.unknown"), array).unwrap();
    if keys == "a table" {
        // The operator names the tables in it.
        let path = format!("{table}.example");
        find(folder, &path, array, found);
        found.insert(path, keys);
        return;
    }
    if !keys.contains('`') {
        // The operator names the values in it.
        found.insert(format!("{table}.{ANY}"), keys);
        return;
    }
    for key in keys.split('`').skip(1).step_by(2) {
        let path = format!("{table}.{key}");
        let expected = expectation(folder, &path, array).unwrap_or_else(|| panic!("{path}"));
        match expected.as_str() {
            "a table" => find(folder, &path, array, found),
            "an array of tables" => find(folder, &path, Some(&path), found),
            _ => {}
        }
        found.insert(path, expected);
    }
}

/// All tables and keys that the code knows, with what it expects of their values.
fn known() -> BTreeMap<String, String> {
    let folder = folder();
    let variables = [("COLONNADE_UNKNOWN__KEY".to_owned(), "1".to_owned())];
    let error = Config::parse_with("site.toml", VALID, folder.path(), variables.into_iter());
    let error = error.unwrap_err().to_string();
    let mut found = BTreeMap::new();
    for table in error.split('`').skip(1).step_by(2) {
        find(folder.path(), table, None, &mut found);
        found.insert(table.to_owned(), "a table".to_owned());
    }
    found
}

/// The tables of which a configuration has at most one.
const CERTIFICATES: [&str; 2] = ["listen.tls", "listen.acme"];

/// The settings of a text, to compare them.
fn settings(folder: &Path, text: &str) -> Result<String, ConfigError> {
    let mut config = Config::parse("site.toml", text, folder)?;
    config.restart_settings = RestartSettings::default();
    config.warnings.clear();
    Ok(format!("{config:?}"))
}

/// Says whether a key is required or what its default is. The settings without the key must be
/// those with the value that `site.toml` shows, unless it describes another default. `complete`
/// has the settings with all keys, for each of [`CERTIFICATES`].
fn default(
    folder: &Path,
    documented: &[Documented],
    complete: &[String; 2],
    key: &Documented,
    value: &str,
) -> String {
    let path = &key.path;
    let index = usize::from(path.starts_with(CERTIFICATES[1]));
    let others = documented.iter().filter(|other| other.path != *path);
    let without = settings(folder, &uncommented(others, CERTIFICATES[index]));
    match (without, key.default()) {
        (Ok(_), Some(default)) => format!("Default: {default}"),
        (Ok(without), None) => {
            assert!(
                without == complete[index],
                "site.toml does not say the default of {path}"
            );
            format!("Default: `{value}`")
        }
        (Err(problems), None) => {
            assert!(problems.to_string().contains(path), "{path}: {problems}");
            "Required".to_owned()
        }
        (Err(_), Some(_)) => panic!("{path} is required, but site.toml says its default"),
    }
}

/// The generated part of the page.
fn reference() -> String {
    let folder = folder();
    let documented = documented();
    let known = known();
    let arrays: Vec<&str> = documented
        .iter()
        .filter(|one| one.is_item())
        .map(|one| one.path.as_str())
        .collect();
    // Parsing the file takes most of the time of this test.
    let complete = CERTIFICATES
        .map(|certificate| settings(folder.path(), &uncommented(documented.iter(), certificate)).unwrap());
    let mut text = String::new();
    for one in &documented {
        let Some(value) = &one.value else {
            write!(text, "\n## `{}`\n\n{}\n", one.line, one.description()).unwrap();
            continue;
        };
        let path = &one.path;
        let expected = expected_of(&known, path).unwrap();
        let key = path.rsplit('.').next().unwrap();
        let unit = UNITS.iter().find(|(end, _)| key.ends_with(end));
        let unit = unit.map_or_else(String::new, |(_, unit)| format!(" ({unit})"));
        let default = default(folder.path(), &documented, &complete, one, value);
        let change = if is_reloadable(path) {
            "SIGHUP"
        } else {
            "upgrade or restart"
        };
        write!(text, "\n### `{path}`\n\n{}\n\n", one.description()).unwrap();
        write!(
            text,
            "- Type: {expected}{unit}\n- {default}\n- Change: {change}\n"
        )
        .unwrap();
        if !arrays.iter().any(|array| path.starts_with(array)) {
            writeln!(text, "- Variable: `{}`", variable(path)).unwrap();
        }
    }
    text
}

#[test]
fn every_key_is_documented() {
    let documented: BTreeSet<String> = documented().into_iter().map(|one| one.path).collect();
    // A table that only contains tables needs no description.
    let is_described = |path: &String| {
        let inside = format!("{path}.");
        documented.contains(path) || documented.iter().any(|other| other.starts_with(&inside))
    };
    let known = known();
    let known_keys = known.keys().filter(|path| !path.ends_with(ANY));
    let missing: Vec<&String> = known_keys.filter(|path| !is_described(path)).collect();
    assert!(missing.is_empty(), "site.toml does not document {missing:?}");
    let unknown: Vec<&String> = documented
        .iter()
        .filter(|path| expected_of(&known, path).is_none())
        .collect();
    assert!(unknown.is_empty(), "site.toml documents unknown {unknown:?}");
}

#[test]
fn reference_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/operate/configuration.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (introduction, _) = page.split_once(MARK).unwrap();
    let expected = format!("{introduction}{MARK}{}", reference());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, expected).unwrap();
    } else {
        assert!(
            page == expected,
            "docs/operate/configuration.md differs from site.toml and the code: run `make config-reference`"
        );
    }
}
