//! Settings in environment variables: `COLONNADE_LISTEN__SITE` takes precedence over `listen.site`
//! of the file.

use std::env;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What the variables' names begin with.
const PREFIX: &str = "COLONNADE_";

/// What separates the keys in a name. Single underscores belong to keys. Names without it are not
/// settings: the `section` command has variables of its own.
const SEPARATOR: &str = "__";

/// The key of the document that contains only the value.
const KEY: &str = "v=";

/// A setting in an environment variable.
#[derive(Debug)]
pub(crate) struct EnvironmentSetting {
    /// The name of the variable.
    pub(crate) variable: String,
    /// The keys that lead to the setting.
    path: Vec<String>,
    /// A TOML document with the value. Spaces before it make its offsets differ from those of the
    /// file and of other settings.
    document: String,
}

impl EnvironmentSetting {
    /// The settings among these variables, sorted by name, for a file of `length` bytes.
    pub(crate) fn all(variables: impl Iterator<Item = (String, String)>, length: usize) -> Vec<Self> {
        let mut variables: Vec<_> = variables.filter(|(name, _)| keys(name).is_some()).collect();
        variables.sort();
        let mut offset = length + 1;
        let settings = variables.into_iter().filter_map(|(variable, value)| {
            let document = format!("{}{KEY}{value}", " ".repeat(offset));
            offset = document.len() + 1;
            let path = keys(&variable)?;
            Some(Self {
                variable,
                path,
                document,
            })
        });
        settings.collect()
    }

    /// The dotted key of the setting, as `root` spells it.
    pub(crate) fn key(&self, root: &DeTable<'_>) -> String {
        spelled(root, &self.path).0.join(".")
    }

    /// Whether a problem at this offset is one of the value.
    pub(crate) fn contains(&self, offset: usize) -> bool {
        // An empty value is at the end.
        (self.span().start - KEY.len()..=self.span().end).contains(&offset)
    }

    /// Sets the value in `root`. A value that is not TOML is a string, and so is a number, boolean or
    /// date where the file has a string.
    ///
    /// # Errors
    ///
    /// Its offset and a message, if `root` lacks the key and the operator names the keys of its table.
    pub(crate) fn apply<'a>(&'a self, root: &mut DeTable<'a>) -> Result<(), (usize, String)> {
        let (path, before) = spelled(root, &self.path);
        if before.is_none() && has_own_keys(&path) {
            return Err((self.span().start, self.unknown_key(&path)));
        }
        let is_text = before.is_some_and(DeValue::is_str);
        let parsed = DeTable::parse(&self.document).ok();
        let parsed = parsed.map(Spanned::into_inner).filter(|table| table.len() == 1);
        let value = parsed.and_then(|table| Some(table.into_iter().next()?.1));
        let value = value.filter(|value| {
            let value = value.get_ref();
            !is_text || value.is_str() || value.is_array() || value.is_table()
        });
        let text = || Spanned::new(self.span(), DeValue::String(self.document[self.span()].into()));
        set(root, &path, &self.span(), value.unwrap_or_else(text));
        Ok(())
    }

    fn unknown_key(&self, path: &[String]) -> String {
        let table = self
            .variable
            .rsplit_once(SEPARATOR)
            .map_or("", |(table, _)| table);
        format!(
            "{}: is not in the file, and a variable cannot add it, because its name does not tell upper from lower case; \
             expected a key of the file, or the whole table in {table}",
            path.join(".")
        )
    }

    /// Where the value is.
    fn span(&self) -> Range<usize> {
        let spaces = self.document.len() - self.document.trim_start_matches(' ').len();
        spaces + KEY.len()..self.document.len()
    }
}

/// The environment variables of this process. Those that are not Unicode are left out.
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// The keys that a variable's name consists of; `None` if it is not the name of a setting.
fn keys(variable: &str) -> Option<Vec<String>> {
    let name = variable.strip_prefix(PREFIX)?.to_ascii_lowercase();
    let keys: Vec<String> = name.split(SEPARATOR).map(str::to_owned).collect();
    (keys.len() > 1).then_some(keys)
}

/// Sets the value at a path. Creates missing tables, and replaces what is not a table.
fn set<'a>(table: &mut DeTable<'a>, path: &[String], span: &Range<usize>, value: Spanned<DeValue<'a>>) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        table.remove(first.as_str());
        table.insert(Spanned::new(span.clone(), first.clone().into()), value);
        return;
    }
    let inner = table.get(first.as_str()).map(Spanned::get_ref);
    if !inner.is_some_and(DeValue::is_table) {
        // Not the span of the value: problems of the table are not those of the value.
        let place = span.start - KEY.len()..span.start;
        let name = Spanned::new(place.clone(), first.clone().into());
        table.insert(name, Spanned::new(place, DeValue::Table(DeTable::new())));
    }
    if let Some(DeValue::Table(inner)) = table.get_mut(first.as_str()).map(Spanned::get_mut) {
        set(inner, rest, span, value);
    }
}

/// The keys of a path as `table` spells them, and the value there: names of variables have no case,
/// and facts do. A key that `table` does not have is in lower case.
fn spelled<'t, 'a>(table: &'t DeTable<'a>, path: &[String]) -> (Vec<String>, Option<&'t DeValue<'a>>) {
    let Some((first, rest)) = path.split_first() else {
        return (Vec::new(), None);
    };
    let mut entries = table.iter();
    let Some((key, value)) = entries.find(|(key, _)| key.get_ref().eq_ignore_ascii_case(first)) else {
        return (path.to_vec(), None);
    };
    let value = value.get_ref();
    let (rest, inner) = match value.as_table() {
        Some(table) if !rest.is_empty() => spelled(table, rest),
        _ => (rest.to_vec(), rest.is_empty().then_some(value)),
    };
    let mut keys = vec![key.get_ref().to_string()];
    keys.extend(rest);
    (keys, inner)
}

/// Whether the operator names the keys of the table that has the last key of this path.
fn has_own_keys(path: &[String]) -> bool {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    matches!(keys[..], ["site", "facts", _] | ["sections", _, "config", _])
}
