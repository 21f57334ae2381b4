//! One order of a certificate.

use colonnade_config::{Acme, AcmeChallenge};
use colonnade_store::{AcmeFile, AcmeFiles, StoreError};
use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, ChallengeType, Identifier, NewAccount, NewOrder,
    OrderStatus, RetryPolicy,
};

use super::challenges::{Challenge, POLL_INTERVAL};

/// Why an order failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum OrderError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Acme(#[from] instant_acme::Error),
    #[error("the stored account is invalid: {0}")]
    Account(#[from] serde_json::Error),
    #[error("the certificate authority does not offer the challenge for `{0}`")]
    NoChallenge(String),
    #[error("the order is {0:?}: the certificate authority could not verify all hosts")]
    Status(OrderStatus),
    #[error("the order took too long")]
    Timeout,
}

/// What an order needs.
pub(super) struct Orders {
    pub(super) settings: Acme,
    /// The e-mail address of the account.
    pub(super) contact: String,
    pub(super) store: AcmeFiles,
}

impl Orders {
    /// Orders a certificate, and stores it.
    pub(super) async fn order(&self) -> Result<(), OrderError> {
        let account = self.account().await?;
        let hosts: Vec<_> = self.settings.hosts.iter().cloned().map(Identifier::Dns).collect();
        let mut order = account.new_order(&NewOrder::new(&hosts)).await?;
        let kind = match self.settings.challenge {
            AcmeChallenge::Http01 => ChallengeType::Http01,
            AcmeChallenge::TlsAlpn01 => ChallengeType::TlsAlpn01,
        };
        let mut pending = Vec::new();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let host = authorization.identifier().to_string();
            let challenge = authorization.challenge(kind.clone());
            let challenge = challenge.ok_or_else(|| OrderError::NoChallenge(host.clone()))?;
            pending.push(Challenge {
                host,
                token: challenge.token.clone(),
                key_authorization: challenge.key_authorization().as_str().to_owned(),
            });
        }
        self.store_challenges(&pending).await?;
        // By then all gateways have read them.
        tokio::time::sleep(POLL_INTERVAL * 2).await;
        let certificate = self.finish(&mut order, &kind).await;
        self.store_challenges(&[]).await?;
        let replaced = self
            .store
            .replace(AcmeFile::Certificate, certificate?.into_bytes());
        Ok(replaced.await?)
    }

    /// Answers the challenges, and returns the certificate with its private key.
    async fn finish(
        &self,
        order: &mut instant_acme::Order,
        kind: &ChallengeType,
    ) -> Result<String, OrderError> {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Pending
                && let Some(mut challenge) = authorization.challenge(kind.clone())
            {
                challenge.set_ready().await?;
            }
        }
        let status = order.poll_ready(&RetryPolicy::default()).await?;
        if status != OrderStatus::Ready {
            return Err(OrderError::Status(status));
        }
        let key = order.finalize().await?;
        let chain = order.poll_certificate(&RetryPolicy::default()).await?;
        Ok(chain + &key)
    }

    async fn store_challenges(&self, challenges: &[Challenge]) -> Result<(), OrderError> {
        let text = serde_json::to_vec(challenges)?;
        Ok(self.store.replace(AcmeFile::Challenges, text).await?)
    }

    /// The stored account, or a new one.
    async fn account(&self) -> Result<Account, OrderError> {
        let builder = match &self.settings.root_certificate {
            Some(path) => Account::builder_with_root(path)?,
            None => Account::builder()?,
        };
        if let Some(text) = self.store.read(AcmeFile::Account).await? {
            let stored: StoredAccount = serde_json::from_slice(&text)?;
            // An account belongs to one certificate authority.
            if stored.directory == self.settings.directory {
                return Ok(builder.from_credentials(stored.credentials).await?);
            }
        }
        let new = NewAccount {
            contact: &[&self.contact],
            // The configuration is invalid otherwise.
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let directory = self.settings.directory.clone();
        let (account, credentials) = builder.create(&new, directory.clone(), None).await?;
        let text = serde_json::to_vec(&StoredAccount {
            directory,
            credentials,
        })?;
        self.store.replace(AcmeFile::Account, text).await?;
        Ok(account)
    }
}

/// The account in the store.
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredAccount {
    directory: String,
    credentials: AccountCredentials,
}
