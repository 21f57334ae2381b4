//! One order of a certificate.

use std::time::Duration;

use colonnade_config::{Acme, AcmeChallenge};
use colonnade_store::{AcmeFile, AcmeFiles, StoreError};
use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, ChallengeType, Identifier, NewAccount, NewOrder,
    OrderStatus, RetryPolicy,
};

use crate::acme::challenges::Challenge;
use crate::acme::hook::{HookError, call};

/// The longest time that an order may take.
const ORDER_TIMEOUT: Duration = Duration::from_mins(15);

/// The longest time to withdraw the answers to challenges.
const WITHDRAW_TIMEOUT: Duration = Duration::from_mins(3);

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
    #[error("the certificate authority asks for `{0}`, which is not ordered")]
    OtherName(String),
    #[error("the order is {0:?}: the certificate authority could not verify all hosts")]
    Status(OrderStatus),
    #[error(transparent)]
    Hook(#[from] HookError),
    #[error("the order took too long")]
    Timeout,
    #[error("the order could not be kept in the store, and another gateway has begun one")]
    Superseded,
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
        let mut answered = Vec::new();
        let ordering = tokio::time::timeout(ORDER_TIMEOUT, self.certificate(&mut answered)).await;
        let stored = match ordering.unwrap_or(Err(OrderError::Timeout)) {
            Ok(certificate) => self.store_certificate(certificate).await,
            Err(error) => Err(error),
        };
        // Also after a failure. What stays harms nothing.
        let withdrawing = tokio::time::timeout(WITHDRAW_TIMEOUT, self.withdraw(&answered)).await;
        if let Err(error) = withdrawing.unwrap_or(Err(OrderError::Timeout)) {
            tracing::warn!(event = "acme_cleanup_failed", error = %error);
        }
        stored
    }

    async fn store_certificate(&self, certificate: String) -> Result<(), OrderError> {
        let certificate = certificate.into_bytes();
        self.store.replace(AcmeFile::Certificate, certificate).await?;
        Ok(self.store.fetch_certificate().await?)
    }

    /// A new certificate with its private key. Adds the challenges that it answers to `answered`.
    async fn certificate(&self, answered: &mut Vec<Challenge>) -> Result<String, OrderError> {
        let account = self.account().await?;
        let hosts: Vec<_> = self.settings.names.iter().cloned().map(Identifier::Dns).collect();
        let mut order = account.new_order(&NewOrder::new(&hosts)).await?;
        let kind = match self.settings.challenge {
            AcmeChallenge::Http01 => ChallengeType::Http01,
            AcmeChallenge::TlsAlpn01 => ChallengeType::TlsAlpn01,
            AcmeChallenge::Dns01 => ChallengeType::Dns01,
        };
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let host = authorization.identifier().to_string();
            // The hook gets it as an argument.
            if !self.settings.names.contains(&host) {
                return Err(OrderError::OtherName(host));
            }
            let challenge = authorization.challenge(kind.clone());
            let challenge = challenge.ok_or_else(|| OrderError::NoChallenge(host.clone()))?;
            answered.push(Challenge {
                host,
                token: challenge.token.clone(),
                key_authorization: challenge.key_authorization().as_str().to_owned(),
            });
            if let (AcmeChallenge::Dns01, Some(challenge)) = (self.settings.challenge, answered.last()) {
                call(&self.settings.dns_hook, "present", challenge).await?;
            }
        }
        if self.settings.challenge != AcmeChallenge::Dns01 {
            self.store_challenges(answered).await?;
            // By then all gateways have read them.
            tokio::time::sleep(self.settings.poll_interval + Duration::from_secs(1)).await;
        }
        self.finish(&mut order, &kind).await
    }

    /// Withdraws the answers to challenges.
    async fn withdraw(&self, answered: &[Challenge]) -> Result<(), OrderError> {
        if self.settings.challenge != AcmeChallenge::Dns01 {
            return self.store_challenges(&[]).await;
        }
        let mut outcome = Ok(());
        for challenge in answered {
            let called = call(&self.settings.dns_hook, "cleanup", challenge).await;
            outcome = outcome.and(called);
        }
        Ok(outcome?)
    }

    /// Has the challenges verified, and returns the certificate with its private key.
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
