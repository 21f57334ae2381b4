//! `[signup]`: where sign-ups go.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use secrecy::SecretString;

use super::Partner;
use super::reader::{Table, count, number, text, texts};
use super::secret::{SECRET, secret};
use super::signup_limits::{self, SignupLimits};
use super::site::{PAGE, page_path};
use super::url::{ORIGIN, Origin, origin};

/// How sign-ups are forwarded.
#[derive(Debug)]
pub(crate) struct Signup {
    /// The backend.
    pub(crate) backend: Origin,
    /// The bearer key it asks for.
    pub(crate) key: SecretString,
    /// The fixed tracking tag sent along.
    pub(crate) affiliate_subid: String,
    /// The hosts its redirects may name besides this origin.
    pub(crate) redirect_hosts: Vec<String>,
    /// How long connecting may take.
    pub(crate) connect_timeout: Duration,
    /// How long everything may take, to the answer's last byte.
    pub(crate) total_timeout: Duration,
    /// How long a connection waits for the next sign-up; with zero none does.
    pub(crate) keep: Duration,
    /// The id of the partner visitors are taken to when sign-up is out of reach.
    pub(crate) partner: Option<String>,
    /// How much of it there may be.
    pub(crate) limits: SignupLimits,
}

/// The pages a sign-up form leads to.
#[derive(Debug)]
pub(crate) struct SignupPages {
    /// The one with the form, shown with its error when the form was refused.
    pub(crate) page: String,
    /// Where a sign-up without a redirect of its own ends.
    pub(crate) success: String,
}

impl Default for SignupPages {
    fn default() -> Self {
        Self {
            page: "/signup".to_owned(),
            success: "/success".to_owned(),
        }
    }
}

const CONNECT_TIMEOUT_MS: u64 = 3_000;
const TOTAL_TIMEOUT_MS: u64 = 10_000;
/// Less than servers leave a connection open unless they are told otherwise.
const KEEP_MS: u64 = 1_000;

/// Reads `[signup]`. The pages come apart from the rest: they are there also where sign-ups go nowhere.
pub(super) fn read(
    mut table: Table<'_>,
    folder: &Path,
    partners: Option<&BTreeMap<String, Partner>>,
) -> (Option<Signup>, Option<SignupPages>) {
    let pages = pages(&mut table);
    let backend = table.required("backend", ORIGIN, |value| origin(&text(value)?));
    let key = table.required("key", SECRET, |value| secret(value, folder));
    let affiliate_subid = table.required("affiliate_subid", "a fixed tracking tag", text);
    let hosts = table.optional(
        "redirect_hosts",
        "a list of host names, such as [\"members.example.com\"]",
        |value| {
            let hosts = texts(value)?;
            match hosts.iter().find(|host| !is_host(host)) {
                Some(host) => Err(format!("`{host}` is no host name")),
                None => Ok(hosts),
            }
        },
    );
    let milliseconds = "a whole number of milliseconds above zero";
    let connect = table.optional("connect_timeout_ms", milliseconds, count);
    let total = table.optional("total_timeout_ms", milliseconds, count);
    let keep = table.optional("keep_ms", "a whole number of milliseconds", number);
    let partner = table.optional("partner", "the id of one of [partners]", |value| {
        let id = text(value)?;
        // Where the partners themselves could not be read, that is the problem to report.
        let known = partners.is_none_or(|partners| partners.contains_key(&id));
        if known {
            Ok(id)
        } else {
            Err(format!("there is no [partners.{id}]"))
        }
    });
    let limits = signup_limits::read(&mut table);
    table.finish();
    let signup = || {
        Some(Signup {
            backend: backend?,
            key: key?,
            affiliate_subid: affiliate_subid?,
            redirect_hosts: hosts?.unwrap_or_default(),
            connect_timeout: Duration::from_millis(connect?.unwrap_or(CONNECT_TIMEOUT_MS)),
            total_timeout: Duration::from_millis(total?.unwrap_or(TOTAL_TIMEOUT_MS)),
            keep: Duration::from_millis(keep?.unwrap_or(KEEP_MS)),
            partner: partner?,
            limits: limits?,
        })
    };
    (signup(), pages)
}

fn pages(table: &mut Table<'_>) -> Option<SignupPages> {
    let default = SignupPages::default();
    let page = table.optional("page", PAGE, |value| page_path(&text(value)?));
    let success = table.optional("success", PAGE, |value| page_path(&text(value)?));
    Some(SignupPages {
        page: page?.unwrap_or(default.page),
        success: success?.unwrap_or(default.success),
    })
}

/// A host's name as addresses have it. URLs allow more, such as `*` and `;`, which would mean something else in a
/// policy.
fn is_host(text: &str) -> bool {
    let is_plain = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
    is_plain && url::Host::parse(text).is_ok_and(|host| host.to_string() == text)
}
