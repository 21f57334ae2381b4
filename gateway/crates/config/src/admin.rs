//! `[admin]`: who may use the admin API.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use toml::Value;

use crate::config_file::ConfigFile;
use crate::identity::{self, Grant, Holders, IdentityProvider, check_grants};
use crate::permissions::{PermittedActions, PermittedSections};
use crate::value::{as_string, convert, path, table, tables};

/// Access to the admin API.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct AdminSettings {
    /// The tokens in `site.toml`.
    #[serde(deserialize_with = "tables")]
    tokens: Vec<Token>,
    /// The file with further tokens and grants.
    #[serde(deserialize_with = "optional_path")]
    pub token_file: Option<PathBuf>,
    /// Whose ID tokens are accepted.
    #[serde(deserialize_with = "tables")]
    pub identity_providers: Vec<IdentityProvider>,
    /// What their holders may do, by `site.toml`.
    #[serde(deserialize_with = "tables")]
    grants: Vec<Grant>,
    /// Whether the admin listener verifies client certificates.
    #[serde(skip)]
    has_client_certificates: bool,
    /// What the token file has. `None`: it could not be read, or has problems.
    #[serde(skip)]
    file: Option<TokenTables>,
}

/// The content of a token file: the tables of `site.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TokenFile {
    #[serde(deserialize_with = "table")]
    admin: TokenTables,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TokenTables {
    #[serde(deserialize_with = "tables")]
    tokens: Vec<Token>,
    #[serde(deserialize_with = "tables")]
    grants: Vec<Grant>,
}

impl AdminSettings {
    /// The keys that SIGHUP reloads.
    pub(crate) const RELOADABLE: &[&str] = &[
        "admin.tokens",
        "admin.token_file",
        "admin.identity_providers",
        "admin.grants",
    ];

    /// All tokens. Without any, and without identity providers, every call is rejected.
    pub fn tokens(&self) -> impl Iterator<Item = &Token> {
        let of_file = self.file.iter().flat_map(|file| &file.tokens);
        self.tokens.iter().chain(of_file)
    }

    /// All grants.
    pub fn grants(&self) -> impl Iterator<Item = &Grant> {
        let of_file = self.file.iter().flat_map(|file| &file.grants);
        self.grants.iter().chain(of_file)
    }

    /// Reads the token file and the secrets, and checks settings that depend on each other. Notes
    /// which tokens have expired. Problems of the token file are warnings: teams may change it, and
    /// the gateway serves visitors without it.
    pub(crate) fn resolve(&mut self, folder: &Path, file: &mut ConfigFile<'_>) {
        check_tokens(&self.tokens, &[], file);
        self.has_client_certificates = file.get(&["listen", "admin_client_authorities"]).is_some();
        identity::resolve(&mut self.identity_providers, folder, file);
        check_grants(&self.grants, &self.holders(), file);
        if let Some(path) = &self.token_file {
            self.token_file = Some(folder.join(path));
            match self.read_token_file() {
                Ok(notes) => notes.into_iter().for_each(|note| file.add_note(note)),
                Err(problems) => {
                    let wrong = problems.join("; ");
                    let expected = "a file of [[admin.tokens]] and [[admin.grants]]";
                    file.warning(&["admin", "token_file"], &wrong, expected);
                }
            }
        }
    }

    /// Reads the tokens and grants of the token file again, and returns which of the tokens have
    /// expired, one line of text each. Problems of the file change nothing, and are returned in the
    /// same form.
    pub fn read_token_file(&mut self) -> Result<Vec<String>, Vec<String>> {
        let Some(path) = &self.token_file else {
            return Ok(Vec::new());
        };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let text = std::fs::read_to_string(path)
            .map_err(|error| vec![format!("{}: cannot be read: {error}", path.display())])?;
        let mut file = ConfigFile::parse(&name, &text, &[])?;
        let TokenFile { admin } = file.deserialize().unwrap_or_default();
        check_tokens(&admin.tokens, &self.tokens, &mut file);
        check_grants(&admin.grants, &self.holders(), &mut file);
        let notes = file.notes();
        let problems = file.into_problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        self.file = Some(admin);
        Ok(notes)
    }

    /// Keeps what `earlier` settings have of the same token file, if it has problems now.
    pub fn keep_token_file(&mut self, earlier: &Self) {
        if self.file.is_none() && self.token_file == earlier.token_file {
            self.file.clone_from(&earlier.file);
        }
    }

    fn holders(&self) -> Holders<'_> {
        Holders {
            providers: &self.identity_providers,
            have_certificates: self.has_client_certificates,
        }
    }
}

/// Rejects tokens that share a name or a hash, also with one of `others`: one of them would have the
/// permissions of the other, or its changes would look like the other's. It reads the file itself,
/// because `tokens` lacks those with another problem. Notes which tokens have expired.
fn check_tokens(tokens: &[Token], others: &[Token], file: &mut ConfigFile<'_>) {
    let others = others.iter().map(|token| (token.name.clone(), token.hash));
    let mut known: Vec<(String, [u8; 32])> = others.collect();
    for index in 0.. {
        let item = format!("[{index}]");
        let key = |name| ["admin", "tokens", &item, name];
        if file.get(&key("")[..3]).is_none() {
            break;
        }
        let text = |name| file.get(&key(name)).and_then(|value| value.get_ref().as_str());
        let name = text("name").unwrap_or_default().to_owned();
        let hash = text("hash").and_then(parse_hash);
        if !name.is_empty() && known.iter().any(|(other, _)| is_same(other, &name)) {
            let wrong = format!("`{name}` is the name of two tokens");
            file.problem(&key("name"), &wrong, "a name for each token");
        }
        let Some(hash) = hash else { continue };
        if let Some((other, _)) = known.iter().find(|(_, other)| *other == hash) {
            let wrong = format!("`{other}` and `{name}` have the same hash");
            file.problem(&key("hash"), &wrong, "a hash for each token");
        }
        known.push((name, hash));
    }
    for (index, token) in tokens.iter().enumerate() {
        if let Some(expires) = token.expires.filter(|_| token.is_expired()) {
            let key = ["admin", "tokens", &format!("[{index}]"), "expires"];
            let wrong = format!("`{}` expired at {expires}", token.name);
            file.note(&key, &wrong, "a later time, or no token");
        }
    }
}

/// The permissions of one bearer token. Only the token's hash is known.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// The token's name in the history and the log.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// The token's SHA-256 hash.
    #[serde(deserialize_with = "hash")]
    pub hash: [u8; 32],
    /// When the token expires. `None` means never.
    #[serde(default, deserialize_with = "time")]
    pub expires: Option<Timestamp>,
    /// The sections.
    pub sections: PermittedSections,
    /// The actions.
    pub actions: PermittedActions,
}

impl Token {
    /// Whether the token has expired.
    pub fn is_expired(&self) -> bool {
        self.expires
            .is_some_and(|expires| expires <= colonnade_clock::now())
    }
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    // The history and the log use `gateway` for automatic actions.
    convert(
        deserializer,
        "a name other than `gateway`",
        |value| match as_string(value)? {
            name if is_same(name, "gateway") => Err(format!("`{name}` is reserved for the gateway itself")),
            name => Ok(name.to_owned()),
        },
    )
}

/// Whether readers of the history and the log would take one name for the other.
fn is_same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

fn optional_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    path(deserializer).map(Some)
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let expected = "an RFC 3339 time, such as \"2030-01-31T00:00:00Z\"";
    convert(deserializer, expected, |value| {
        let text = match value {
            Value::Datetime(time) => time.to_string(),
            value => as_string(value)?.to_owned(),
        };
        let time = text.parse().map_err(|_| format!("`{text}` is not a time"))?;
        Ok(Some(time))
    })
}

/// The error does not contain the string: it could be the token itself.
fn hash<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
    let expected = "`sha256:` and 64 hexadecimal digits, as `gateway token` prints them";
    convert(deserializer, expected, |value| {
        let hash = parse_hash(as_string(value)?);
        hash.ok_or_else(|| "is not a hash".to_owned())
    })
}

fn parse_hash(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix("sha256:")?;
    let is_hash = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..64).step_by(2).map(byte).collect();
    bytes.filter(|_| is_hash)?.try_into().ok()
}
