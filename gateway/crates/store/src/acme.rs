//! The objects of ACME: the account, the certificate, the pending challenges, and whose turn it is
//! to order. In a folder, only their owner can read them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::SignedDuration;
use tokio::time::sleep;

use crate::error::StoreError;
use crate::folder::FolderObjects;
use crate::objects::{Objects, When};
use crate::turn::Turn;

/// When the last order began, or was kept.
const ORDER: &str = "acme/order.json";

/// An object of ACME.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcmeFile {
    /// The credentials of the account, as JSON.
    Account,
    /// The certificate chain and its private key, as PEM.
    Certificate,
    /// The pending challenges, as JSON.
    Challenges,
}

impl AcmeFile {
    fn key(self) -> &'static str {
        match self {
            Self::Account => "acme/account.json",
            Self::Certificate => "acme/certificate.pem",
            Self::Challenges => "acme/challenges.json",
        }
    }
}

/// The objects of ACME, which all gateways on a store share.
#[derive(Debug, Clone)]
pub struct AcmeFiles {
    pub(crate) objects: Arc<dyn Objects>,
    /// The folder from which a gateway serves the certificate of a bucket.
    pub(crate) cache: Option<FolderObjects>,
}

/// The turn of this gateway to order a certificate.
#[derive(Debug)]
pub struct AcmeOrder(Turn);

impl AcmeFiles {
    /// Reads an object; `None` if it does not exist.
    pub async fn read(&self, file: AcmeFile) -> Result<Option<Bytes>, StoreError> {
        let object = self.objects.read_bytes(file.key()).await?;
        Ok(object.map(|object| object.bytes))
    }

    /// Replaces an object.
    pub async fn replace(&self, file: AcmeFile, bytes: Vec<u8>) -> Result<(), StoreError> {
        let put = self.objects.put(file.key(), bytes.into(), When::Always);
        put.await.map(drop)
    }

    /// Copies the certificate of a bucket to the folder of this gateway, unless it is there.
    pub async fn fetch_certificate(&self) -> Result<(), StoreError> {
        let Some(cache) = &self.cache else {
            return Ok(());
        };
        let cache: &dyn Objects = cache;
        let key = AcmeFile::Certificate.key();
        let Some(bytes) = self.read(AcmeFile::Certificate).await? else {
            return Ok(());
        };
        let cached = cache.read_bytes(key).await?;
        if cached.is_none_or(|cached| cached.bytes != bytes) {
            cache.put(key, bytes, When::Always).await?;
        }
        Ok(())
    }

    /// Begins an order, so that one gateway at a time orders a certificate; `None` if another one
    /// began or kept an order within this time and has not ended it, or if this one only reads the
    /// store.
    pub async fn begin_order(&self, interval: SignedDuration) -> Result<Option<AcmeOrder>, StoreError> {
        if self.objects.is_read_only() {
            return Ok(None);
        }
        let turn = Turn::begin(&*self.objects, ORDER, interval).await?;
        Ok(turn.map(AcmeOrder))
    }

    /// Says in this interval that an order goes on, until another gateway has begun one.
    pub async fn keep_order(&self, AcmeOrder(turn): &mut AcmeOrder, interval: Duration) {
        loop {
            sleep(interval).await;
            // A store that fails may be back in time.
            if let Ok(false) = turn.renew(&*self.objects, ORDER).await {
                return;
            }
        }
    }

    /// Ends an order.
    pub async fn end_order(&self, AcmeOrder(turn): AcmeOrder) -> Result<(), StoreError> {
        turn.end(&*self.objects, ORDER).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::SignedDuration;
    use tokio::time::timeout;

    use crate::testing::store;

    #[tokio::test(start_paused = true)]
    async fn order_is_kept_until_another_gateway_begins_one() {
        let (_folder, store) = store();
        let files = store.acme_files();
        let hour = SignedDuration::from_hours(1);
        let mut own = files.begin_order(hour).await.unwrap().expect("a turn");
        let interval = Duration::from_secs(30);
        let kept = timeout(Duration::from_secs(45), files.keep_order(&mut own, interval)).await;
        assert!(kept.is_err(), "the order goes on");
        assert!(files.begin_order(hour).await.unwrap().is_none());
        // After the time that an order is kept.
        let other = files.begin_order(SignedDuration::ZERO).await.unwrap();
        files.end_order(other.expect("a turn")).await.unwrap();
        let lost = timeout(Duration::from_secs(45), files.keep_order(&mut own, interval)).await;
        assert!(lost.is_ok(), "the order is kept");
    }
}
