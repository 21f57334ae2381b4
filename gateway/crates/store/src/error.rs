//! Why a store operation failed.

use std::io;
use std::path::{Path, PathBuf};

use crate::bucket_error::BucketError;

/// A store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file system operation failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of the store does not have the expected format.
    #[error("{}: {source}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The parse error.
        source: serde_json::Error,
    },
    /// A newer gateway wrote the file in a format that this one does not know.
    #[error(
        "{}: the file has schema {schema}, and this gateway reads up to {supported}; run the newer gateway that wrote it",
        path.display()
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The schema of the file.
        schema: u32,
        /// The highest schema that this gateway reads.
        supported: u32,
    },
    /// A symbolic link: the store never follows one.
    #[error("{}: a symbolic link in the path, which the store never follows", .0.display())]
    SymbolicLink(PathBuf),
    /// A file of a release is not as it was published.
    #[error("{}: the bytes do not match their digest", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A file of a stored release is missing.
    #[error("{}: the file is missing", .0.display())]
    MissingFile(PathBuf),
    /// Something else in place of a file, such as a folder or a FIFO.
    #[error("{}: not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// A copy never overwrites a store.
    #[error("{}: the store is not empty; choose an empty one, because a copy never overwrites a store", .0.display())]
    NotEmpty(PathBuf),
    /// There is no store to copy or to verify.
    #[error("{}: there is no store here", .0.display())]
    NoStore(PathBuf),
    /// Files are there, but not those of a store.
    #[error(
        "{}: files are there, but `store.json` of a store is not; choose an empty folder, or restore `store.json`. A store \
         with folders in `releases/<name>/` has an earlier layout, which this gateway does not read",
        .0.display()
    )]
    OtherContent(PathBuf),
    /// An object store cannot be used as it should.
    #[error("{object}: {source}")]
    Bucket {
        /// The URL of the object.
        object: String,
        /// What is wrong.
        source: BucketError,
    },
    /// The folder is the cache of a store in a bucket.
    #[error(
        "{}: the folder is the cache of a store in a bucket, and no store; `gateway store copy` copies that store to a folder",
        .0.display()
    )]
    IsCache(PathBuf),
    /// `live.json` was deleted.
    #[error(
        "live.json is missing from the store, but its history is there; restore a backup, or run `gateway serve --recover`"
    )]
    LiveStateMissing,
    /// `live.json` is damaged.
    #[error("{0}; restore a backup, or run `gateway serve --recover`")]
    LiveStateDamaged(Box<StoreError>),
    /// `live.json` and the history were deleted, but not the rest.
    #[error(
        "live.json and the history are missing from the store, but deployments are there; restore a backup, or empty \
         deployments/ to start without a live deployment"
    )]
    HistoryMissing,
    /// No change of the history can be made live.
    #[error("no change of the history has a deployment and a shell that can be loaded; restore a backup")]
    NotRecoverable,
    /// A copy to this store was killed.
    #[error("a copy to the store was interrupted; repeat it")]
    CopyInterrupted,
    /// A copy to this store from another one was killed, or is under way.
    #[error("another store was being copied here; repeat that copy, or choose an empty target")]
    OtherCopy,
    /// Garbage collection deleted what was being copied, again and again.
    #[error("the store changed too fast to be copied; try again")]
    Changing,
    /// Another operation, mostly of another process, holds the lock for too long. The operation did
    /// not happen, and will not.
    #[error("another operation holds the lock of the store; try again")]
    Locked,
    /// Another change in this process takes too long. The operation did not happen, and will not.
    #[error("this gateway is making another change; try again")]
    ChangeInProgress,
    /// The operation was aborted before it was done.
    #[error("the store operation was interrupted")]
    Interrupted,
}

/// The cause of an I/O error. The text of the error itself names the path if a library added it.
pub fn cause_without_path(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None => error.kind().to_string(),
    }
}

impl StoreError {
    /// The text for those who must not learn where the store is: without the path of a file.
    pub fn without_path(&self) -> String {
        if let Self::Io { source, .. } = self {
            return format!("a file of the store: {}", cause_without_path(source));
        }
        let text = self.to_string();
        match self.path() {
            Some(path) => text.replace(&*path.to_string_lossy(), "a file of the store"),
            None => text,
        }
    }

    /// The file or object that is the problem.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::Corrupt { path, .. }
            | Self::NewerSchema { path, .. }
            | Self::SymbolicLink(path)
            | Self::Damaged { path }
            | Self::MissingFile(path)
            | Self::NotAFile(path)
            | Self::NotEmpty(path)
            | Self::NoStore(path)
            | Self::OtherContent(path)
            | Self::IsCache(path) => Some(path),
            Self::LiveStateDamaged(error) => error.path(),
            _ => None,
        }
    }

    /// Whether a file itself is the problem. Reading it again does not help.
    pub fn is_damage(&self) -> bool {
        self.is_loss() || matches!(self, Self::NewerSchema { .. })
    }

    /// Whether the store may be intact and only cannot be used now.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Bucket { source, .. } if source.is_away())
    }

    /// Whether the disk is full, or the quota of this user.
    pub(crate) fn is_full(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
    }

    /// Whether another operation or change takes too long.
    pub fn is_contended(&self) -> bool {
        matches!(self, Self::Locked | Self::ChangeInProgress)
    }

    /// Whether the store is opened to read only.
    pub fn is_read_only(&self) -> bool {
        matches!(
            self,
            Self::Bucket {
                source: BucketError::ReadOnly,
                ..
            }
        )
    }

    /// Whether the content of a file is lost. A newer gateway cannot read it either.
    pub fn is_loss(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. }
                | Self::Corrupt { .. }
                | Self::MissingFile(_)
                | Self::NotAFile(_)
                | Self::SymbolicLink(_)
        )
    }
}

/// The error for an object that is not as it was published.
pub(crate) fn damaged(path: &Path) -> StoreError {
    StoreError::Damaged {
        path: path.to_owned(),
    }
}

/// Turns what is lost into `None`.
pub(crate) fn if_intact<T>(read: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(error) if error.is_loss() => Ok(None),
        read => read,
    }
}
