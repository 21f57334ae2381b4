//! The URL of a place in an object store, such as `s3://bucket/prefix`.

use std::fmt;
use std::str::FromStr;

/// What a URL must be, for errors.
pub const BUCKET_URL: &str = "s3://bucket/prefix, gs://bucket/prefix or az://container/prefix";

/// A bucket, and the prefix of keys in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketUrl {
    /// Who provides the bucket.
    pub provider: Provider,
    /// The bucket, which Azure calls a container.
    pub bucket: String,
    /// The prefix without slashes at its ends; empty for the whole bucket.
    pub prefix: String,
}

/// The protocol of an object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Amazon S3, and what speaks its protocol.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

impl Provider {
    fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Google => "gs",
            Self::Azure => "az",
        }
    }
}

impl FromStr for BucketUrl {
    type Err = String;

    /// Errors do not contain the text: it may have a password in it by mistake.
    fn from_str(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or("is not a URL")?;
        let providers = [Provider::S3, Provider::Google, Provider::Azure];
        let provider = providers.into_iter().find(|provider| provider.scheme() == scheme);
        let provider = provider.ok_or("has another scheme")?;
        if rest.contains(['@', '?', '#', '%']) {
            return Err("has more than a bucket and a prefix".to_owned());
        }
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_bucket = (3..=63).contains(&bucket.len())
            && bucket
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte));
        if !is_bucket {
            return Err("has no valid bucket".to_owned());
        }
        let prefix = prefix.trim_end_matches('/');
        let is_segment = |segment: &str| {
            !matches!(segment, "" | "." | "..")
                && segment
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-._=+".contains(&byte))
        };
        if prefix.len() > 256 || !(prefix.is_empty() || prefix.split('/').all(is_segment)) {
            return Err("has an invalid prefix".to_owned());
        }
        Ok(Self {
            provider,
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
        })
    }
}

impl fmt::Display for BucketUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.provider.scheme(), self.bucket)?;
        if !self.prefix.is_empty() {
            write!(f, "/{}", self.prefix)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_bucket_urls_are_shown_as_written() {
        for text in ["s3://releases", "gs://my.bucket/site", "az://container/sites/one"] {
            let url: BucketUrl = text.parse().unwrap();
            assert_eq!(url.to_string(), text);
        }
        let url: BucketUrl = "s3://releases/site/".parse().unwrap();
        assert_eq!((url.bucket.as_str(), url.prefix.as_str()), ("releases", "site"));
    }

    #[test]
    fn invalid_bucket_urls_are_rejected_without_their_text() {
        for text in [
            "releases",
            "https://releases",
            "s3://",
            "s3://ab",
            "s3://Releases",
            "s3://key:secret@releases",
            "s3://releases/a//b",
            "s3://releases/../b",
            "s3://releases/a?b",
            "s3://releases/a b",
        ] {
            let error = text.parse::<BucketUrl>().unwrap_err();
            assert!(
                !error.contains("releases") && !error.contains("secret"),
                "{error}"
            );
        }
    }
}
