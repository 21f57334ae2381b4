//! The client of an object store.
//!
//! Without an access key, credentials come from where the provider's own tools look for them:
//! environment variables, the file of a workload identity, or the metadata service of the machine.

use std::sync::Arc;
use std::time::Duration;

use colonnade_model::bucket_url::{BucketUrl, Provider};
use object_store::aws::{AmazonS3Builder, AwsCredential};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig, StaticCredentialProvider};
use rustls::ClientConfig;
use secrecy::{ExposeSecret as _, SecretString};

use crate::bucket::objects::BucketObjects;
use crate::bucket::requests::CountRequests;
use crate::bucket_error::BucketError;
use crate::error::StoreError;
use crate::metrics::StoreMetrics;

/// How long after the first request it is repeated: less than `READ_TIMEOUT`, so that an object
/// store that hangs is asked once.
const RETRY_TIMEOUT: Duration = Duration::from_secs(4);

/// Where a bucket is, and how to reach it.
#[derive(Debug, Clone)]
pub struct BucketSettings {
    /// The bucket and the prefix.
    pub url: BucketUrl,
    /// The URL of the object store, if it is not the provider's own.
    pub endpoint: Option<String>,
    /// The region of the bucket. `None`: the one of the environment.
    pub region: Option<String>,
    /// Whether nothing is written, also not to check the bucket.
    pub is_read_only: bool,
    /// The access key, only for the protocol of S3. `None`: the one of the environment.
    pub access_key: Option<AccessKey>,
    /// How the object store is verified. `None`: by the roots of the system.
    pub tls: Option<Arc<ClientConfig>>,
}

/// An access key of an object store with the protocol of S3.
#[derive(Debug, Clone)]
pub struct AccessKey {
    /// Its ID.
    pub id: String,
    /// Its secret.
    pub secret: SecretString,
}

impl BucketSettings {
    /// The objects of the bucket. Sends nothing.
    pub(crate) fn objects(&self, metrics: &StoreMetrics) -> Result<BucketObjects, StoreError> {
        let requests = CountRequests {
            metrics: metrics.clone(),
            tls: self.tls.clone(),
        };
        let client = self.client(requests).map_err(|error| StoreError::Bucket {
            object: self.url.to_string(),
            source: BucketError::of_settings(&error),
        })?;
        Ok(BucketObjects::new(
            client,
            &self.url.prefix,
            self.url.to_string(),
            self.is_read_only,
        ))
    }

    fn client(&self, requests: CountRequests) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
        // The only possible error is that this provider is installed already.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let options = ClientOptions::new()
            // The configuration permits it only for this machine.
            .with_allow_http(
                self.endpoint
                    .as_ref()
                    .is_some_and(|endpoint| endpoint.starts_with("http://")),
            );
        let retries = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(1),
                base: 2.0,
            },
            max_retries: 4,
            retry_timeout: RETRY_TIMEOUT,
        };
        let bucket = &self.url.bucket;
        Ok(match self.url.provider {
            Provider::S3 => {
                let mut builder = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    .with_client_options(options)
                    .with_http_connector(requests)
                    .with_retry(retries);
                if let Some(AccessKey { id, secret }) = &self.access_key {
                    // Not as keys of the builder: a session token of the environment belongs to
                    // another key.
                    builder =
                        builder.with_credentials(Arc::new(StaticCredentialProvider::new(AwsCredential {
                            key_id: id.clone(),
                            secret_key: secret.expose_secret().to_owned(),
                            token: None,
                        })));
                }
                if let Some(endpoint) = &self.endpoint {
                    builder = builder.with_endpoint(endpoint);
                }
                if let Some(region) = &self.region {
                    builder = builder.with_region(region);
                }
                Arc::new(builder.build()?)
            }
            Provider::Google => {
                let mut builder = GoogleCloudStorageBuilder::from_env()
                    .with_bucket_name(bucket)
                    .with_client_options(options)
                    .with_http_connector(requests)
                    .with_retry(retries);
                if let Some(endpoint) = &self.endpoint {
                    builder = builder.with_base_url(endpoint);
                }
                Arc::new(builder.build()?)
            }
            Provider::Azure => {
                let mut builder = MicrosoftAzureBuilder::from_env()
                    .with_container_name(bucket)
                    .with_client_options(options)
                    .with_http_connector(requests)
                    .with_retry(retries);
                if let Some(endpoint) = &self.endpoint {
                    builder = builder.with_endpoint(endpoint.clone());
                }
                Arc::new(builder.build()?)
            }
        })
    }
}
