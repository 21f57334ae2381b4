//! The tables and keys that the committed `site.toml` documents.

use std::collections::BTreeSet;
use std::path::Path;

/// What begins the sentence about a default.
const DEFAULT: &str = "Default: ";

/// A table or a key, with the comment above it.
#[derive(Debug)]
pub(crate) struct Documented {
    /// Its line in the file, without the `#` of a commented one.
    pub(crate) line: String,
    /// Its dotted path.
    pub(crate) path: String,
    /// The value that the file shows; `None` for a table.
    pub(crate) value: Option<String>,
    /// The lines of the comment.
    pub(crate) comment: Vec<String>,
}

impl Documented {
    /// Whether it is a table of an array.
    pub(crate) fn is_item(&self) -> bool {
        self.line.starts_with("[[")
    }

    /// What it is for.
    pub(crate) fn description(&self) -> String {
        let comment = self.comment.join("\n");
        let description = comment.split(DEFAULT).next().unwrap_or_default();
        description.trim_end().to_owned()
    }

    /// What the comment says about the default: its last sentence, if it is not the value that the
    /// file shows.
    pub(crate) fn default(&self) -> Option<String> {
        let comment = self.comment.join(" ");
        let (_, default) = comment.split_once(DEFAULT)?;
        Some(default.trim_end_matches('.').to_owned())
    }
}

/// The tables and keys of the file, in order, each once.
pub(crate) fn documented() -> Vec<Documented> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../site.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let mut found: Vec<Documented> = Vec::new();
    let mut table = String::new();
    let mut comment = Vec::new();
    for line in text.lines() {
        let setting = line.strip_prefix("# ").unwrap_or(line);
        if setting.starts_with('[') && setting.ends_with(']') {
            // The name in quotes is one that the operator chooses.
            let name = setting.trim_matches(['[', ']']).split('"');
            table = name
                .enumerate()
                .map(|(index, part)| if index == 1 { "example" } else { part })
                .collect();
            found.push(Documented {
                line: setting.to_owned(),
                path: table.clone(),
                value: None,
                comment: std::mem::take(&mut comment),
            });
        } else if let Some((key, value)) = setting.split_once(" = ").filter(|(key, _)| !key.contains(' ')) {
            found.push(Documented {
                line: setting.to_owned(),
                path: format!("{table}.{key}"),
                value: Some(value.to_owned()),
                comment: std::mem::take(&mut comment),
            });
        } else if line.starts_with('#') {
            comment.push(line.trim_start_matches("# ").trim_start_matches('#').to_owned());
        } else {
            comment.clear();
        }
    }
    let mut paths = BTreeSet::new();
    found.retain(|one| paths.insert(one.path.clone()));
    found
}

/// The file with every table and key, but with only one of the two tables for the certificate of
/// the site.
pub(crate) fn uncommented<'d>(documented: impl Iterator<Item = &'d Documented>, certificate: &str) -> String {
    let other = if certificate == "listen.tls" {
        "listen.acme"
    } else {
        "listen.tls"
    };
    let lines = documented.filter(|one| !one.path.starts_with(other));
    let text: Vec<&str> = lines.map(|one| one.line.as_str()).collect();
    let text = text
        .join("\n")
        .replace("<64 hexadecimal digits>", &"0".repeat(64));
    let text = with_secrets_in_files(&text);
    // A certificate authority needs a public host.
    text.replace("http://localhost:8080", "https://site.example")
}

/// The text with `{ file = "key" }` in place of each secret in an environment variable.
fn with_secrets_in_files(text: &str) -> String {
    let mut parts = text.split("{ env = \"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (_, rest) = part.split_once("\" }").unwrap();
        text + "{ file = \"key\" }" + rest
    })
}
