//! `[store]`: the folder or the bucket of releases and deployments, and what garbage collection
//! retains.

use std::path::{Path, PathBuf};

use colonnade_model::bucket_url::{BUCKET_URL, BucketUrl, Provider};
use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::certificate::CertificateFiles;
use crate::client_tls::ClientTls;
use crate::config_file::ConfigFile;
use crate::secret::{SECRET, SecretSource};
use crate::url::secure_url;
use crate::value::{
    MIB, UNBOUNDED, as_string, convert, integer, mebibytes, number, optional_path, optional_table, path,
    string,
};

/// Settings of the store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct StoreSettings {
    /// The folder: the store or, with `url`, its local cache.
    #[serde(deserialize_with = "path")]
    pub folder: PathBuf,
    /// The bucket with the store. `None`: the folder is the store.
    #[serde(default, deserialize_with = "bucket_url")]
    pub url: Option<BucketUrl>,
    /// The URL of the object store, if it is not the provider's own.
    #[serde(default, deserialize_with = "endpoint")]
    pub endpoint: Option<Url>,
    /// The region of the bucket.
    #[serde(default, deserialize_with = "region")]
    pub region: Option<String>,
    #[serde(default, deserialize_with = "optional_path")]
    root_certificate: Option<PathBuf>,
    #[serde(default, deserialize_with = "optional_table")]
    client_certificate: Option<CertificateFiles>,
    /// How the gateway verifies the object store, and identifies itself to it.
    #[serde(skip)]
    pub tls: ClientTls,
    /// Whether the gateway only reads the bucket.
    #[serde(default, rename = "read_only")]
    pub is_read_only: bool,
    /// The limit of the local cache of release files, in bytes.
    #[serde(rename = "cache_mib", default = "default_cache")]
    #[serde(deserialize_with = "mebibytes::<1, 16_777_216, _>")]
    pub cache_bytes: usize,
    /// The access key. `None`: the credentials of the environment.
    #[serde(default, deserialize_with = "optional_table")]
    pub access_key: Option<StoreAccessKey>,
    #[serde(default = "number::<COLLECTION_HOURS, _>")]
    #[serde(deserialize_with = "integer::<0, 8_760, _, _>")]
    garbage_collection_hours: i64,
    #[serde(default = "number::<MAX_DEPLOYMENTS, _>")]
    #[serde(deserialize_with = "integer::<1, UNBOUNDED, _, _>")]
    max_deployments: usize,
    #[serde(default = "number::<DEPLOYMENTS, _>")]
    #[serde(deserialize_with = "integer::<1, UNBOUNDED, _, _>")]
    retain_deployments: usize,
    #[serde(default = "number::<HOURS, _>")]
    #[serde(deserialize_with = "integer::<0, 87_600, _, _>")]
    retain_hours: i64,
    #[serde(default = "number::<AUDIT_DAYS, _>")]
    #[serde(deserialize_with = "integer::<1, 36_500, _, _>")]
    retain_audit_days: i64,
    #[serde(default = "number::<RELEASES, _>")]
    #[serde(deserialize_with = "integer::<0, UNBOUNDED, _, _>")]
    retain_releases: usize,
}

/// An access key of an object store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct StoreAccessKey {
    /// Its ID.
    #[serde(deserialize_with = "string")]
    pub id: String,
    #[serde(rename = "secret")]
    source: SecretSource,
    /// Its secret.
    #[serde(skip)]
    pub secret: SecretString,
}

/// When garbage is collected, and which deployments are retained besides the live one and those of
/// running rollouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The number of recent deployments.
    pub deployments: usize,
    /// Every deployment that was live, shown or created within this many hours.
    pub hours: i64,
    /// For each section, the number of previously live releases, and of releases that its rollbacks
    /// restore.
    pub releases: usize,
    /// Calls of the admin API that were made within this many days.
    pub audit_days: i64,
    /// The number of deployments above which the oldest ones are not retained, whatever their age.
    pub max_deployments: usize,
    /// After how many hours one of the gateways collects garbage again. `None`: only when it is
    /// called.
    pub collection_hours: Option<i64>,
}

const COLLECTION_HOURS: u16 = 24;
const MAX_DEPLOYMENTS: u16 = 2000;
const DEPLOYMENTS: u16 = 20;
const HOURS: u16 = 72;
const RELEASES: u16 = 3;
const AUDIT_DAYS: u16 = 365;
const CACHE_MIB: usize = 4096;

impl Default for Retention {
    fn default() -> Self {
        Self {
            deployments: DEPLOYMENTS.into(),
            hours: HOURS.into(),
            releases: RELEASES.into(),
            audit_days: AUDIT_DAYS.into(),
            max_deployments: MAX_DEPLOYMENTS.into(),
            collection_hours: Some(COLLECTION_HOURS.into()),
        }
    }
}

impl StoreSettings {
    /// Makes relative paths start at `folder`, and reads the secret.
    pub(crate) fn resolve(&mut self, folder: &Path, file: &mut ConfigFile<'_>) {
        self.folder = folder.join(&self.folder);
        if let Some(key) = &mut self.access_key {
            match key.source.read(folder) {
                Ok(secret) => key.secret = secret,
                Err(wrong) => file.problem(&["store", "access_key", "secret"], &wrong, SECRET),
            }
        }
        let keys = ["root_certificate", "client_certificate"].map(|key| ["store", key]);
        let (root, certificate) = (self.root_certificate.as_ref(), self.client_certificate.as_ref());
        self.tls = ClientTls::load([&keys[0], &keys[1]], root, certificate, folder, file);
        self.warn(file);
    }

    /// Warns of keys without effect.
    fn warn_of_unused_keys(&self, file: &mut ConfigFile<'_>) {
        let keys = [
            ("endpoint", self.endpoint.is_some()),
            ("region", self.region.is_some()),
            ("access_key", self.access_key.is_some()),
            ("root_certificate", self.root_certificate.is_some()),
            ("client_certificate", self.client_certificate.is_some()),
            ("read_only", self.is_read_only),
        ];
        for (key, is_set) in keys {
            if is_set && self.url.is_none() {
                file.warning(
                    &["store", key],
                    "has no effect without `store.url`",
                    "`store.url`, too",
                );
            }
        }
        let has_other_credentials = self.url.as_ref().is_some_and(|url| url.provider != Provider::S3);
        if has_other_credentials && self.access_key.is_some() {
            let wrong = "has no effect for this provider";
            file.warning(&["store", "access_key"], wrong, "it only with an s3:// URL");
        }
    }

    /// Warns if the folder is not a folder that this user can write to, and cannot be created.
    fn warn(&self, file: &mut ConfigFile<'_>) {
        self.warn_of_unused_keys(file);
        // The folder, or the folder in which it is created.
        let existing = self.folder.ancestors().find(|folder| folder.exists());
        let existing = existing.filter(|folder| *folder != Path::new(""));
        let existing = existing.unwrap_or(Path::new("."));
        let wrong = if !existing.is_dir() {
            format!("{} is not a folder", existing.display())
        } else if let Err(error) = tempfile::tempfile_in(existing) {
            format!("{} is not writable: {}", existing.display(), error.kind())
        } else {
            return;
        };
        let expected = "a folder that can be written to or created";
        file.warning(&["store", "folder"], &wrong, expected);
    }

    /// What garbage collection retains.
    pub fn retention(&self) -> Retention {
        Retention {
            deployments: self.retain_deployments,
            hours: self.retain_hours,
            releases: self.retain_releases,
            audit_days: self.retain_audit_days,
            max_deployments: self.max_deployments,
            collection_hours: Some(self.garbage_collection_hours).filter(|hours| *hours > 0),
        }
    }
}

fn default_cache() -> usize {
    CACHE_MIB * MIB
}

fn bucket_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BucketUrl>, D::Error> {
    convert(deserializer, BUCKET_URL, |value| {
        as_string(value)?.parse().map(Some)
    })
}

fn endpoint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    secure_url(deserializer).map(Some)
}

fn region<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    string(deserializer).map(Some)
}
