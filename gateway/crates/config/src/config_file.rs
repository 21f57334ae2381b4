//! A configuration file: parses it, deserializes it, and finds all of its problems with their
//! lines.
//!
//! Serde stops at the first error, so [`ConfigFile::deserialize`] repeats it: after each error it
//! records the problem and removes the invalid value from a copy of the file. In place of a missing
//! key it inserts a value of the wrong type, whose error names what the key expects; the next error
//! then removes its table. What the file must have gets a valid value instead, so that the rest is
//! checked, too. It ends when the rest of the file is valid.
//!
//! Serde reports errors only as text. The cases in `tests/parse/problems.txt` pin the parts of its
//! messages that this module parses: "missing field", "unknown field", "invalid type" and ",
//! expected".

use std::collections::BTreeSet;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, Deserializer};

use crate::environment::EnvironmentSetting;

/// The keys that a file must have, with a valid value of each.
const REQUIRED: [(&str, &[(&str, &str)]); 3] = [
    (
        "site",
        &[
            ("brand", "-"),
            ("origin", "https://localhost"),
            ("contact", "a@localhost"),
        ],
    ),
    ("listen", &[("site", "127.0.0.1:0"), ("admin", "127.0.0.1:0")]),
    ("store", &[("folder", "-")]),
];

/// A parsed file and its problems.
pub(crate) struct ConfigFile<'a> {
    name: &'a str,
    text: &'a str,
    root: Spanned<DeTable<'a>>,
    environment: &'a [EnvironmentSetting],
    /// Byte offset and message.
    problems: Vec<(usize, String)>,
    /// The same for what makes the gateway fail its clients, but can be served.
    warnings: Vec<(usize, String)>,
    /// The same for what the operator wants to know, but may stay as it is.
    notes: Vec<String>,
    /// The dotted keys that have a value of [`REQUIRED`].
    substituted: BTreeSet<String>,
}

/// The span of what the file does not have. No value of the file has it.
const NOWHERE: Range<usize> = usize::MAX..usize::MAX;

/// Called with the dotted key of a value and the value; returns whether the value stays.
type Edit<'e, 't> = dyn FnMut(&str, &mut Spanned<DeValue<'t>>) -> bool + 'e;

impl<'a> ConfigFile<'a> {
    /// Parses `text`, and applies the settings of the environment. Returns all syntax errors.
    pub(crate) fn parse(
        name: &'a str,
        text: &'a str,
        environment: &'a [EnvironmentSetting],
    ) -> Result<Self, Vec<String>> {
        let (mut root, errors) = DeTable::parse_recoverable(text);
        let syntax = errors.iter().map(|error| {
            let message = format!("not valid TOML: {}", error.message().replace('\n', ", "));
            (error.span().unwrap_or_default().start, message)
        });
        let settings = environment.iter();
        let unknown: Vec<_> = settings
            .filter_map(|setting| setting.apply(root.get_mut()).err())
            .collect();
        // Serde would read an array as the fields of a table, in order.
        let arrays = root
            .get_ref()
            .iter()
            .filter(|(_, value)| value.get_ref().is_array());
        let arrays = arrays.map(|(key, value)| {
            let message = format!(
                "{}: is a list; expected a table, with one pair of brackets",
                key.get_ref()
            );
            (value.span().start, message)
        });
        let mut problems: Vec<_> = syntax.chain(arrays).collect();
        let is_valid = problems.is_empty();
        problems.extend(unknown);
        let file = Self {
            name,
            text,
            root,
            environment,
            problems,
            warnings: Vec::new(),
            notes: Vec::new(),
            substituted: BTreeSet::new(),
        };
        if is_valid {
            Ok(file)
        } else {
            Err(file.into_problems())
        }
    }

    /// Adds a problem for each missing table that the file must have.
    pub(crate) fn require_tables(&mut self) {
        for (table, _) in REQUIRED {
            if self.get(&[table]).is_none() {
                self.problem(&[table], "missing", "a table");
            }
        }
    }

    /// Whether a key that the file must have is missing or invalid. It has another value meanwhile.
    pub(crate) fn is_substituted(&self, key: &str) -> bool {
        self.substituted.contains(key)
    }

    /// Deserializes the whole file.
    pub(crate) fn deserialize<T: DeserializeOwned>(&mut self) -> Option<T> {
        self.deserialize_part(|_| true, &[])
    }

    /// Deserializes the file without these tables.
    pub(crate) fn deserialize_without<T: DeserializeOwned>(&mut self, tables: &[&str]) -> Option<T> {
        self.deserialize_part(|table| !tables.contains(&table), tables)
    }

    /// Deserializes only these tables.
    pub(crate) fn deserialize_only<T: DeserializeOwned>(&mut self, tables: &[&str]) -> Option<T> {
        self.deserialize_part(|table| tables.contains(&table), &[])
    }

    /// Deserializes some of the tables. After a problem it removes the invalid value, or the table
    /// with a missing key, and tries again, to find all problems. Does not report missing tables.
    /// `others` are the tables that the problem with an unknown table names, too.
    fn deserialize_part<T: DeserializeOwned>(
        &mut self,
        is_included: impl Fn(&str) -> bool,
        others: &[&str],
    ) -> Option<T> {
        let mut root = self.root.clone();
        let tables = std::mem::take(root.get_mut()).into_iter();
        *root.get_mut() = tables.filter(|(name, _)| is_included(name.get_ref())).collect();
        let mut removed = BTreeSet::new();
        loop {
            let error = match T::deserialize(Deserializer::from(root.clone())) {
                Ok(value) => return Some(value),
                Err(error) => error,
            };
            let message = error.message();
            let span = error.span().unwrap_or_default();
            let missing = message.strip_prefix("missing field `");
            let missing = missing.and_then(|rest| rest.strip_suffix('`'));
            let found = edit_table(root.get_mut(), "", &span, &mut |path, value| {
                if let (Some(key), DeValue::Table(table)) = (missing, value.get_mut()) {
                    if removed.remove(&join(path, key)) {
                        return self.substitute(path, key, table);
                    }
                    // Serde does not name what a missing key expects. Every required key rejects a
                    // boolean, and that error does.
                    let place = span.start..span.start;
                    let placeholder = Spanned::new(place.clone(), DeValue::Boolean(false));
                    table.insert(Spanned::new(place, key.to_owned().into()), placeholder);
                    return true;
                }
                let key = format!("{path}: ");
                let is_known =
                    |(offset, other): &(usize, String)| *offset == span.start && other.starts_with(&key);
                if removed.insert(path.to_owned()) && !self.problems.iter().any(is_known) {
                    // Every table of the file is known at the root.
                    let others = if path.contains('.') { &[] } else { others };
                    self.problems
                        .push((span.start, key + &describe(value, message, others)));
                }
                false
            });
            if !found {
                let mut table = DeTable::new();
                let (name, keys) = REQUIRED.iter().find(|(name, _)| Some(*name) == missing)?;
                for (key, _) in *keys {
                    self.substitute(name, key, &mut table);
                }
                let table = Spanned::new(NOWHERE, DeValue::Table(table));
                let name = Spanned::new(NOWHERE, (*name).into());
                root.get_mut().insert(name, table);
            }
        }
    }

    /// Inserts the value of a key that the file must have; false if it is none of these.
    fn substitute(&mut self, table_name: &str, key: &str, table: &mut DeTable<'_>) -> bool {
        let keys = REQUIRED.iter().find(|(name, _)| *name == table_name);
        let value = keys.and_then(|(_, keys)| keys.iter().find(|(name, _)| *name == key));
        let Some((key, value)) = value else {
            return false;
        };
        self.substituted.insert(join(table_name, key));
        let value = Spanned::new(NOWHERE, DeValue::String((*value).into()));
        table.insert(Spanned::new(NOWHERE, (*key).into()), value);
        true
    }

    /// The dotted key of a setting of the environment, as the file spells it.
    pub(crate) fn key_of(&self, setting: &EnvironmentSetting) -> String {
        setting.key(self.root.get_ref())
    }

    /// The file's name.
    pub(crate) fn name(&self) -> &str {
        self.name
    }

    /// The value at a path of keys. `[1]` is the second item of an array.
    pub(crate) fn get(&self, path: &[&str]) -> Option<&Spanned<DeValue<'a>>> {
        let (first, rest) = path.split_first()?;
        let value = self.root.get_ref().get(*first);
        rest.iter().fold(value, |value, key| match index(key) {
            Some(index) => value?.get_ref().get(index),
            None => value?.get_ref().get(*key),
        })
    }

    /// Adds a problem with the key at `path`.
    pub(crate) fn problem(&mut self, path: &[&str], wrong: &str, expected: &str) {
        let problem = self.describe(path, wrong, expected);
        self.problems.push(problem);
    }

    /// Adds a problem with the key at `path`, which is not one of the known ones.
    pub(crate) fn unknown_key(&mut self, path: &[&str], known: &str) {
        let hint = known_key(path.last().unwrap_or(&""), known);
        let (offset, key) = self.place_of(path);
        self.problems
            .push((offset, format!("{key}: unknown key; {hint}")));
    }

    /// Adds a warning about the key at `path`.
    pub(crate) fn warning(&mut self, path: &[&str], wrong: &str, expected: &str) {
        let warning = self.describe(path, wrong, expected);
        self.warnings.push(warning);
    }

    /// Adds a note about the key at `path`.
    pub(crate) fn note(&mut self, path: &[&str], wrong: &str, expected: &str) {
        let note = self.describe(path, wrong, expected);
        self.notes.append(&mut self.lines(&[note]));
    }

    /// Adds a note about another file, as one line of text.
    pub(crate) fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn describe(&self, path: &[&str], wrong: &str, expected: &str) -> (usize, String) {
        let (offset, key) = self.place_of(path);
        (offset, format!("{key}: {wrong}; expected {expected}"))
    }

    /// The byte offset of the key at `path`, and the key as the file spells it.
    fn place_of(&self, path: &[&str]) -> (usize, String) {
        let offset = self.get(path).map_or(0, |value| value.span().start);
        let keys = path.iter().filter(|key| index(key).is_none());
        (offset, keys.fold(String::new(), |path, key| join(&path, key)))
    }

    /// Makes each warning a problem.
    pub(crate) fn reject_warnings(&mut self) {
        self.problems.append(&mut self.warnings);
    }

    /// All problems in the order of their lines, one line of text each. Those of the environment
    /// come last.
    pub(crate) fn into_problems(self) -> Vec<String> {
        self.lines(&self.problems)
    }

    /// All warnings that are no problems, and all notes, in the same form.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.lines(&self.warnings);
        warnings.extend(self.notes());
        warnings
    }

    /// All notes, in the same form.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn lines(&self, messages: &[(usize, String)]) -> Vec<String> {
        let mut messages: Vec<_> = messages.iter().collect();
        messages.sort_by_key(|(offset, _)| *offset);
        let messages = messages.into_iter();
        messages
            .map(|(offset, message)| format!("{}: {message}", self.place(*offset)))
            .collect()
    }

    /// The line in the file, or the environment variable, at this offset.
    fn place(&self, offset: usize) -> String {
        match self.environment.iter().find(|setting| setting.contains(offset)) {
            Some(setting) => setting.variable.clone(),
            None => format!("{}:{}", self.name, self.text[..offset].matches('\n').count() + 1),
        }
    }
}

/// Applies `edit` to the innermost value of `table` that has this span or whose key has it. Returns
/// whether there is one.
fn edit_table<'t>(table: &mut DeTable<'t>, path: &str, span: &Range<usize>, edit: &mut Edit<'_, 't>) -> bool {
    let mut entries = table.iter_mut();
    let found = entries.find_map(|(key, value)| {
        let path = join(path, key.get_ref());
        let stays = edit_value(value, &path, span, edit);
        let stays = stays.or_else(|| (key.span() == *span).then(|| edit(&path, value)));
        Some((key.clone(), stays?))
    });
    if let Some((key, false)) = &found {
        table.remove(key);
    }
    found.is_some()
}

/// The same for a value and those in it. Returns whether the value stays, or `None` if none has
/// this span.
fn edit_value<'t>(
    value: &mut Spanned<DeValue<'t>>,
    path: &str,
    span: &Range<usize>,
    edit: &mut Edit<'_, 't>,
) -> Option<bool> {
    let is_inside = match value.get_mut() {
        DeValue::Table(table) => edit_table(table, path, span, edit),
        DeValue::Array(items) => {
            let mut entries = items.iter_mut().enumerate();
            let found = entries.find_map(|(index, item)| Some((index, edit_value(item, path, span, edit)?)));
            if let Some((removed, false)) = found {
                let entries = std::mem::replace(items, DeArray::new()).into_iter().enumerate();
                let stay = entries.filter(|(index, _)| *index != removed);
                *items = stay.map(|(_, item)| item).collect();
            }
            found.is_some()
        }
        _ => false,
    };
    if is_inside {
        Some(true)
    } else {
        (value.span() == *span).then(|| edit(path, value))
    }
}

/// Rewrites serde's messages like those of `value`. They lose the text of strings, which may be
/// secret. `others` are known where serde knows others.
fn describe(value: &Spanned<DeValue<'_>>, message: &str, others: &[&str]) -> String {
    if let Some((key, known)) = message
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split_once("`, expected "))
    {
        let known = others
            .iter()
            .fold(known.to_owned(), |known, other| format!("{known}, `{other}`"));
        return format!("unknown key; {}", known_key(key, &known));
    }
    let parts = message.split_once("; expected ");
    let Some((wrong, expected)) = parts.or_else(|| message.rsplit_once(", expected ")) else {
        return message.to_owned();
    };
    let expected = match expected {
        "a sequence" => "an array of tables",
        _ => expected,
    };
    let of_type = format!("is of type {}", value.get_ref().type_str());
    let wrong = match wrong {
        // From the environment.
        _ if value.span().is_empty() && value.get_ref().is_str() => "is empty",
        // A placeholder.
        _ if value.span().is_empty() => "missing",
        // An array of tables and its first table are at the same place.
        "invalid type: sequence" => "is of type array",
        _ if wrong.starts_with("invalid type: ") => &of_type,
        _ => wrong,
    };
    format!("{wrong}; expected {expected}")
}

/// The known key that the writer of an unknown one may mean, else what is expected: all of them.
fn known_key(unknown: &str, known: &str) -> String {
    let names = known.split('`').skip(1).step_by(2);
    let near = names
        .map(|name| (strsim::osa_distance(unknown, name), name))
        .filter(|(distance, name)| distance * 4 <= name.len())
        .min();
    match near {
        Some((_, name)) => format!("did you mean `{name}`?"),
        None => format!("expected {known}"),
    }
}

/// The index of an item of an array in a path of keys.
fn index(key: &str) -> Option<usize> {
    key.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// Adds a key to a dotted key, as the file spells it.
fn join(path: &str, key: &str) -> String {
    let is_bare = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let key = if is_bare {
        key.to_owned()
    } else {
        format!("\"{key}\"")
    };
    if path.is_empty() {
        key
    } else {
        format!("{path}.{key}")
    }
}
