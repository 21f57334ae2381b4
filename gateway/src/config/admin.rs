//! `[admin]`: who may use the admin API.

use super::reader::{Read, Table, text, texts};
use crate::release::is_name;

/// What one bearer token may do. The token itself is not known, only its hash.
#[derive(Debug)]
pub(crate) struct Token {
    /// What it is called in records and logs.
    pub(crate) name: String,
    /// The SHA-256 of the token.
    pub(crate) hash: [u8; 32],
    sections: Vec<String>,
    actions: Vec<Action>,
}

/// What a token may be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Keep a release in the store.
    Publish,
    /// Put releases live, at once or by a rollout, promote and abort it.
    Deploy,
    /// Put releases back that were live before.
    Rollback,
    /// Show what is not live to whoever has a link, and end all such links.
    Preview,
    /// Remove what nothing needs any more.
    Collect,
    /// Read what the gateway counts, where the admin listener can be reached from elsewhere.
    Metrics,
}

const ACTIONS: [Action; 6] = [
    Action::Publish,
    Action::Deploy,
    Action::Rollback,
    Action::Preview,
    Action::Collect,
    Action::Metrics,
];

/// What `actions` is expected to be.
const EXPECTED: &str = "a list of `publish`, `deploy`, `rollback`, `preview`, `collect` and `metrics`";

impl Action {
    /// Its word in the configuration.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Deploy => "deploy",
            Self::Rollback => "rollback",
            Self::Preview => "preview",
            Self::Collect => "collect",
            Self::Metrics => "metrics",
        }
    }
}

impl Token {
    /// Whether it allows an action on anything.
    pub(crate) fn allows_some(&self, action: Action) -> bool {
        self.actions.contains(&action)
    }

    /// Whether it allows an action on a section, the shell, or `*`: on all there are and will be.
    pub(crate) fn allows(&self, action: Action, section: &str) -> bool {
        self.allows_some(action) && self.sections.iter().any(|name| name == "*" || name == section)
    }
}

/// Whose name the history gives for what the gateway does by itself.
const GATEWAY: &str = "gateway";

const HASH: &str = "`sha256:` and 64 hexadecimal digits, as `gateway token` prints them";

/// Reads `[admin]`.
pub(super) fn read(mut table: Table<'_>) -> Option<Vec<Token>> {
    let tokens: Vec<Option<Token>> = table.tables("tokens").into_iter().map(token).collect();
    table.finish();
    tokens.into_iter().collect()
}

fn token(mut table: Table<'_>) -> Option<Token> {
    let name = table.required("name", "what the token is called in records", |value| {
        let name = text(value)?;
        if name == GATEWAY {
            return Err(format!(
                "`{GATEWAY}` is what the gateway itself is called in them"
            ));
        }
        Ok(name)
    });
    let hash = table.required("hash", HASH, |value| hash(&text(value)?));
    let sections = table.required("sections", "a list of names of sections, or [\"*\"]", |value| {
        let names = texts(value)?;
        match names.iter().find(|name| *name != "*" && !is_name(name)) {
            Some(name) => Err(format!("`{name}` is no section's name")),
            None if names.is_empty() => Err("is empty".to_owned()),
            None => Ok(names),
        }
    });
    let actions = table.required("actions", EXPECTED, |value| {
        let actions: Read<Vec<Action>> = texts(value)?.iter().map(|name| action(name)).collect();
        actions.and_then(|actions| {
            if actions.is_empty() {
                Err("is empty".to_owned())
            } else {
                Ok(actions)
            }
        })
    });
    table.finish();
    Some(Token {
        name: name?,
        hash: hash?,
        sections: sections?,
        actions: actions?,
    })
}

fn action(name: &str) -> Read<Action> {
    let known = ACTIONS.into_iter().find(|action| action.name() == name);
    known.ok_or_else(|| format!("`{name}` is no action"))
}

fn hash(text: &str) -> Read<[u8; 32]> {
    let digits = text.strip_prefix("sha256:").filter(|digits| digits.len() == 64);
    let wrong = || "is no such hash".to_owned();
    let digits = digits
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
        .ok_or_else(wrong)?;
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).map_err(|_| wrong())?;
        *byte = u8::from_str_radix(pair, 16).map_err(|_| wrong())?;
    }
    Ok(hash)
}
