//! Who may use the API: the tokens, identity providers and grants of the configuration.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use colonnade_config::{Action, AdminSettings, Grant, PermittedActions, PermittedSections, Token};
use colonnade_identity::{Holder, Provider, Providers};

/// What the configuration says about access.
#[derive(Debug, Default)]
pub(crate) struct Access {
    pub(crate) settings: AdminSettings,
    pub(crate) providers: Providers,
}

/// The verified credential of a caller.
#[derive(Debug, Clone)]
pub(crate) enum Credential {
    /// The SHA-256 hash of a token of the configuration.
    Token([u8; 32]),
    /// A valid ID token.
    IdToken(Arc<Holder>),
    /// The client certificate of a connection.
    Certificate(Arc<Holder>),
}

/// Who a caller is, and what it may do.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    /// The name in the history and the log.
    pub(crate) name: String,
    pub(crate) credential: Credential,
    /// When the credential expires, if it does.
    pub(crate) expires: Option<Timestamp>,
    pub(crate) permissions: Vec<Permission>,
    /// The key by which limits count the caller.
    pub(crate) key: [u8; 32],
}

/// Sections, and the actions on each of them.
type Permission = (PermittedSections, PermittedActions);

impl Identity {
    /// Whether an action is permitted on at least one section.
    pub(crate) fn allows_some(&self, action: Action) -> bool {
        self.permissions
            .iter()
            .any(|(_, actions)| actions.contain(action))
    }

    /// Whether an action is permitted on `section`: a section's name, `shell`, or `*` for all
    /// sections.
    pub(crate) fn allows(&self, action: Action, section: &str) -> bool {
        let mut permissions = self.permissions.iter();
        permissions.any(|(sections, actions)| actions.contain(action) && sections.contain(section))
    }
}

impl Access {
    /// The access that a configuration permits. Identity providers of `earlier` keep their keys.
    pub(crate) fn new(settings: AdminSettings, earlier: &Self) -> Self {
        Self {
            providers: Providers::new(&settings.identity_providers, &earlier.providers),
            settings,
        }
    }

    /// The token with this hash. Compares it with every known one in constant time, so that the
    /// duration reveals nothing about known tokens.
    pub(crate) fn token(&self, hash: [u8; 32]) -> Option<&Token> {
        self.settings.tokens().fold(None, |found, token| {
            if bool::from(token.hash.ct_eq(&hash)) {
                Some(token)
            } else {
                found
            }
        })
    }

    /// Who has a credential now. `None`: it is unknown, or no grant applies to it.
    pub(crate) fn identity(&self, credential: &Credential) -> Option<Identity> {
        let (name, expires, permissions) = match credential {
            Credential::Token(hash) => {
                let token = self.token(*hash)?;
                let permission = (token.sections.clone(), token.actions.clone());
                (token.name.clone(), token.expires, vec![permission])
            }
            Credential::IdToken(holder) => {
                let provider = self.providers.named(&holder.provider)?;
                if provider.settings().issuer != holder.issuer {
                    return None;
                }
                self.granted(holder)?
            }
            Credential::Certificate(holder) => self.granted(holder)?,
        };
        Some(Identity {
            name,
            credential: credential.clone(),
            expires,
            permissions,
            key: self.key(credential),
        })
    }

    /// The name and the permissions of a holder, and until when; `None` without a grant.
    fn granted(&self, holder: &Holder) -> Option<(String, Option<Timestamp>, Vec<Permission>)> {
        let permissions: Vec<Permission> = self
            .grants(holder)
            .map(|grant| (grant.sections.clone(), grant.actions.clone()))
            .collect();
        let name = format!("{}:{}", holder.provider, holder.name);
        (!permissions.is_empty()).then_some((name, Some(holder.expires), permissions))
    }

    /// The grants that apply to a holder.
    fn grants(&self, holder: &Holder) -> impl Iterator<Item = &Grant> {
        let grants = self.settings.grants();
        grants.filter(|grant| grant.applies(&holder.provider, &holder.claims))
    }

    /// The key by which limits count who has a credential. A CI's subject differs by branch and by job,
    /// so that all jobs with the same grants count together.
    fn key(&self, credential: &Credential) -> [u8; 32] {
        let text = match credential {
            Credential::Token(hash) => return *hash,
            Credential::IdToken(holder) if !self.is_person(holder) => {
                let grants: Vec<&Grant> = self.grants(holder).collect();
                format!("{}\n{grants:?}", holder.provider)
            }
            Credential::IdToken(holder) | Credential::Certificate(holder) => {
                format!("{}\n{}", holder.issuer, holder.subject)
            }
        };
        Sha256::digest(text).into()
    }

    /// Whether an ID token is for a client at which people sign in.
    fn is_person(&self, holder: &Holder) -> bool {
        let settings = self.providers.named(&holder.provider).map(Provider::settings);
        let clients = settings.map(|settings| [&settings.client_id, &settings.device_client_id]);
        let audience = holder.claims.get("aud").unwrap_or(&Value::Null);
        let all = audience
            .as_array()
            .map_or(std::slice::from_ref(audience), Vec::as_slice);
        let mut clients = clients.into_iter().flatten().flatten();
        clients.any(|client| all.iter().any(|audience| audience == client))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use serde_json::json;

    use super::{Access, Credential};
    use colonnade_identity::Holder;

    #[test]
    fn limits_count_people_and_jobs_with_the_same_grants() {
        let grant = |branch: &str| {
            json!({
                "provider": "acme", "claims": { "ref": branch }, "sections": ["legal"], "actions": ["publish"],
            })
        };
        let settings = json!({
            "identity_providers": [
                { "name": "acme", "issuer": "https://acme.example", "audience": "ci", "client_id": "console" },
            ],
            "grants": [grant("main"), grant("*")],
        });
        let settings = serde_json::from_value(settings).expect("settings");
        let access = Access::new(settings, &Access::default());
        let key = |audience: &str, subject: &str, branch: &str| {
            let claims = json!({ "aud": [audience], "ref": branch });
            let holder = Holder {
                provider: "acme".to_owned(),
                issuer: "https://acme.example".to_owned(),
                subject: subject.to_owned(),
                name: subject.to_owned(),
                expires: Timestamp::MAX,
                claims: claims.as_object().expect("an object").clone(),
            };
            let identity = access.identity(&Credential::IdToken(Arc::new(holder)));
            identity.expect("a grant").key
        };
        assert_eq!(key("ci", "one", "a"), key("ci", "two", "b"));
        assert_ne!(key("ci", "one", "a"), key("ci", "one", "main"));
        assert_ne!(key("console", "one", "a"), key("console", "two", "a"));
        assert_eq!(key("console", "one", "a"), key("console", "one", "main"));
    }
}
