//! Reading a TOML document strictly, and noting every problem with its line.

use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Collects the problems of one file.
pub(super) struct Reader<'r> {
    name: &'r str,
    text: &'r str,
    problems: RefCell<Vec<(usize, String)>>,
}

/// One table of the file, from which keys are taken one by one.
pub(super) struct Table<'r> {
    reader: &'r Reader<'r>,
    /// The dotted key of the table; empty for the file itself.
    key: String,
    span: Range<usize>,
    entries: &'r DeTable<'r>,
    known: Vec<&'static str>,
}

/// A value that is not what it should be: the words say what it is instead.
pub(super) type Read<T> = Result<T, String>;

impl<'r> Reader<'r> {
    /// A reader of a file of this name and text.
    pub(super) fn new(name: &'r str, text: &'r str) -> Self {
        Self {
            name,
            text,
            problems: RefCell::default(),
        }
    }

    /// Parses the text; its syntax errors are all noted.
    pub(super) fn document<'a>(&self, text: &'a str) -> Option<Spanned<DeTable<'a>>> {
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let at = error.span().map_or(0, |span| span.start);
            self.note(
                at,
                &format!("not valid TOML: {}", error.message().replace('\n', ", ")),
            );
        }
        errors.is_empty().then_some(document)
    }

    /// The whole file as a table.
    pub(super) fn root<'a>(&'a self, document: &'a Spanned<DeTable<'a>>) -> Table<'a> {
        Table {
            reader: self,
            key: String::new(),
            span: 0..0,
            entries: document.get_ref(),
            known: Vec::new(),
        }
    }

    /// All problems, in the order of their lines.
    pub(super) fn into_problems(self) -> Vec<String> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|(line, _)| *line);
        problems
            .into_iter()
            .map(|(line, words)| format!("{}:{line}: {words}", self.name))
            .collect()
    }

    fn note(&self, at: usize, words: &str) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        self.problems.borrow_mut().push((line, words.to_owned()));
    }
}

impl<'r> Table<'r> {
    /// The value of a key that must be there. `None` means that a problem was noted.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&DeValue<'_>) -> Read<T>,
    ) -> Option<T> {
        if !self.entries.contains_key(key) {
            self.known.push(key);
            self.missing(key, expected);
            return None;
        }
        self.optional(key, expected, read).flatten()
    }

    /// The value of a key that may be missing: `None` is a noted problem, `Some(None)` a missing key.
    #[allow(clippy::option_option)]
    pub(super) fn optional<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&DeValue<'_>) -> Read<T>,
    ) -> Option<Option<T>> {
        self.known.push(key);
        let Some(value) = self.entries.get(key) else {
            return Some(None);
        };
        match read(value.get_ref()) {
            Ok(value) => Some(Some(value)),
            Err(wrong) => {
                self.problem(value.span(), key, &wrong, expected);
                None
            }
        }
    }

    /// A table that must be there.
    pub(super) fn table(&mut self, key: &'static str) -> Option<Table<'r>> {
        if !self.entries.contains_key(key) {
            self.known.push(key);
            self.missing(key, "a table");
            return None;
        }
        self.optional_table(key)
    }

    /// A table that may be missing. What is no table is noted, and read as missing.
    pub(super) fn optional_table(&mut self, key: &'static str) -> Option<Table<'r>> {
        self.known.push(key);
        self.below(key, self.entries.get(key)?)
    }

    /// The tables of an array of tables, in order; none if the key is missing.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<Table<'r>> {
        self.known.push(key);
        let Some(value) = self.entries.get(key) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            self.problem(value.span(), key, &is(value.get_ref()), "an array of tables");
            return Vec::new();
        };
        items.iter().filter_map(|item| self.below(key, item)).collect()
    }

    /// Every entry as a table under its own name, for tables whose keys the operator chooses.
    pub(super) fn named_tables(self) -> Vec<(String, Table<'r>)> {
        let entries = self.entries.iter();
        entries
            .filter_map(|(name, value)| {
                Some((name.get_ref().to_string(), self.below(name.get_ref(), value)?))
            })
            .collect()
    }

    /// Notes a problem with a value of this table that `required` or `optional` let pass.
    pub(super) fn refuse(&self, key: &str, wrong: &str, expected: &str) {
        let span = self.entries.get(key).map_or(self.span.clone(), Spanned::span);
        self.problem(span, key, wrong, expected);
    }

    /// Notes a problem with the table itself.
    pub(super) fn refuse_whole(&self, wrong: &str, expected: &str) {
        self.reader.note(
            self.span.start,
            &format!("{}: {wrong}; expected {expected}", self.key),
        );
    }

    /// Notes every key that nobody asked for.
    pub(super) fn finish(self) {
        for key in self.entries.keys() {
            if !self.known.contains(&key.get_ref().as_ref()) {
                let expected = format!("one of {}", self.known.join(", "));
                self.problem(key.span(), key.get_ref(), "unknown key", &expected);
            }
        }
    }

    fn below(&self, key: &str, value: &'r Spanned<DeValue<'r>>) -> Option<Table<'r>> {
        let DeValue::Table(entries) = value.get_ref() else {
            self.problem(value.span(), key, &is(value.get_ref()), "a table");
            return None;
        };
        Some(Table {
            reader: self.reader,
            key: self.dotted(key),
            span: value.span(),
            entries,
            known: Vec::new(),
        })
    }

    fn missing(&self, key: &str, expected: &str) {
        self.problem(self.span.clone(), key, "missing", expected);
    }

    fn problem(&self, span: Range<usize>, key: &str, wrong: &str, expected: &str) {
        let words = format!("{}: {wrong}; expected {expected}", self.dotted(key));
        self.reader.note(span.start, &words);
    }

    fn dotted(&self, key: &str) -> String {
        if self.key.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.key)
        }
    }
}

/// Reads a text that says something.
pub(super) fn text(value: &DeValue<'_>) -> Read<String> {
    match value {
        DeValue::String(text) if text.trim().is_empty() => Err("is empty".to_owned()),
        DeValue::String(text) if text.chars().any(char::is_control) => {
            Err("has a line break or another control character".to_owned())
        }
        DeValue::String(text) => Ok(text.to_string()),
        other => Err(is(other)),
    }
}

/// Reads a list of texts.
pub(super) fn texts(value: &DeValue<'_>) -> Read<Vec<String>> {
    match value {
        DeValue::Array(items) => items.iter().map(|item| text(item.get_ref())).collect(),
        other => Err(is(other)),
    }
}

/// Reads a path of the file system.
pub(super) fn path(value: &DeValue<'_>) -> Read<PathBuf> {
    text(value).map(PathBuf::from)
}

/// Reads a whole number above zero.
pub(super) fn count(value: &DeValue<'_>) -> Read<u64> {
    match number(value) {
        Ok(0) => Err("is 0".to_owned()),
        read => read,
    }
}

/// Reads a whole number.
pub(super) fn number(value: &DeValue<'_>) -> Read<u64> {
    let DeValue::Integer(number) = value else {
        return Err(is(value));
    };
    u64::from_str_radix(number.as_str(), number.radix()).map_err(|_| format!("is {number}"))
}

/// Reads yes or no.
pub(super) fn truth(value: &DeValue<'_>) -> Read<bool> {
    match value {
        DeValue::Boolean(truth) => Ok(*truth),
        other => Err(is(other)),
    }
}

/// Says what kind of value it is.
pub(super) fn is(value: &DeValue<'_>) -> String {
    let kind = match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    };
    format!("is {kind}")
}
