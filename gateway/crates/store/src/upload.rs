//! Publishing a release.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use colonnade_model::release::{Digest, RELEASE_FILE, ReleaseId};
use colonnade_web::request_scope;
use futures_util::future::ready;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::durable::{entry_names, io};
use crate::error::StoreError;
use crate::inner::{CONCURRENCY, Inner};
use crate::keys::{digest_part, file_key, is_valid, new_file_name, release_id, release_key, upload_key};
use crate::objects::{Version, When};
use crate::published::{FileNames, PublishedRelease};
use crate::types::{PutOutcome, StagedRelease, random_id};

/// The longest time of an upload. Its files are safe from garbage collection for longer.
const UPLOAD_TIMEOUT: Duration = Duration::from_hours(1);

/// The number of releases that a new one may share files with.
const MAX_SOURCES: usize = 20;

/// The files that an upload shares with published releases.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Upload {
    pub(crate) files: BTreeSet<String>,
}

/// The files that an upload sends: their paths and the names of their objects, by digest.
type NewFiles = BTreeMap<String, (String, String)>;

/// A release in its scratch folder.
struct Staged {
    manifest: String,
    /// The digests of the files, by path.
    files: BTreeMap<String, Digest>,
}

impl Inner {
    /// Stores a release, unless its version exists or has a tombstone with another digest.
    pub(crate) async fn put_release(&self, release: StagedRelease) -> Result<PutOutcome, StoreError> {
        let StagedRelease { id, folder, record } = release;
        let (id, folder) = (&id, folder.path());
        if !is_valid(id) {
            let path = self.objects.path(&release_key(id));
            return Err(io(&path)(std::io::ErrorKind::InvalidInput.into()));
        }
        let place = match self.free_place(id, record.digest).await? {
            Ok(place) => place,
            Err(digest) => return Ok(PutOutcome::VersionTaken(digest)),
        };
        let start = Instant::now();
        let path = folder.to_owned();
        let staged = request_scope::run_blocking(move || Staged::read(&path)).await?;
        let upload = random_id();
        let upload_key = upload_key(&upload);
        let mut names = self.share_files(id, &staged, &upload_key).await?;
        let new = staged.new_files(&names);
        let mut sent = self.send_files(folder, &new).await;
        if start.elapsed() > UPLOAD_TIMEOUT {
            sent = Err(StoreError::Interrupted);
        }
        if let Err(error) = sent {
            // On a full disk, what is left would stay for a day.
            let keys = new.values().map(|(_, name)| file_key(name)).chain([upload_key]);
            for key in keys {
                let _ = self.objects.delete(&key).await;
            }
            return Err(error);
        }
        names.extend(new.into_iter().map(|(digest, (_, name))| (digest, name)));
        let names = staged.files.iter().map(|(path, digest)| {
            let name = names[&digest_part(digest)].clone();
            (path.clone(), name)
        });
        let stored = PublishedRelease::new(staged.manifest, record, names.collect(), upload);
        let outcome = self.create_release(id, &stored, place.as_ref()).await?;
        // Left behind, it only keeps files from being deleted for a day.
        let _ = self.objects.delete(&upload_key).await;
        Ok(outcome)
    }

    /// Where a release with this digest can be published: the version of the object that a deleted
    /// release has left, or no object. Or the digest of the release that has or had this version.
    async fn free_place(
        &self,
        id: &ReleaseId,
        digest: Digest,
    ) -> Result<Result<Option<Version>, Digest>, StoreError> {
        let key = release_key(id);
        let place = self.objects.read_bytes(&key).await?;
        if let Some(object) = place.as_ref().filter(|object| !object.is_deleted()) {
            let existing: PublishedRelease = self.objects.parse(&key, &object.bytes)?;
            return Ok(Err(existing.record.digest));
        }
        // Afterwards: it is written before the release is deleted.
        let tombstone = self.tombstone(id).await?;
        Ok(match tombstone.filter(|deleted| *deleted != digest) {
            Some(deleted) => Err(deleted),
            None => Ok(place.map(|object| object.version)),
        })
    }

    /// Publishes a release if the place is still free.
    async fn create_release(
        &self,
        id: &ReleaseId,
        release: &PublishedRelease,
        place: Option<&Version>,
    ) -> Result<PutOutcome, StoreError> {
        let key = release_key(id);
        let when = place.map_or(When::Absent, When::Is);
        if self.objects.write(&key, release, when).await?.is_some() {
            return Ok(PutOutcome::Created);
        }
        match self.published(id).await? {
            // The client repeated a request that had succeeded.
            Some(existing) if existing.upload == release.upload => Ok(PutOutcome::Created),
            Some(existing) => Ok(PutOutcome::VersionTaken(existing.record.digest)),
            None => Err(StoreError::Interrupted),
        }
    }

    /// The names of files that published releases of the same name have, by digest. Names them in
    /// `uploads/`, so that garbage collection keeps them.
    async fn share_files(
        &self,
        id: &ReleaseId,
        staged: &Staged,
        upload_key: &str,
    ) -> Result<BTreeMap<String, String>, StoreError> {
        let wanted: BTreeSet<String> = staged.files.values().map(digest_part).collect();
        let mut shared = BTreeMap::new();
        let mut sources = BTreeSet::new();
        for (source, files) in self.newest_files(&id.name).await? {
            for name in files.into_values() {
                let digest = name.split('.').next().unwrap_or_default();
                if wanted.contains(digest) && !shared.contains_key(digest) {
                    shared.insert(digest.to_owned(), name);
                    sources.insert(source.clone());
                }
            }
        }
        if shared.is_empty() {
            return Ok(shared);
        }
        let upload = Upload {
            files: shared.values().cloned().collect(),
        };
        self.objects.write(upload_key, &upload, When::Always).await?;
        let mut present = BTreeSet::new();
        for source in sources {
            let release = self.published(&source).await?;
            present.extend(
                release
                    .into_iter()
                    .flat_map(|release| release.files.into_values()),
            );
        }
        shared.retain(|_, name| present.contains(name));
        Ok(shared)
    }

    /// The files of the newest releases of a name.
    async fn newest_files(&self, name: &str) -> Result<Vec<(ReleaseId, FileNames)>, StoreError> {
        let mut listed = self.objects.list(&format!("releases/{name}")).await?;
        listed.sort_by_key(|listed| std::cmp::Reverse(listed.written_at));
        let published = listed.iter().filter(|listed| !listed.is_deleted);
        let ids = published
            .take(MAX_SOURCES)
            .filter_map(|listed| release_id(&format!("{name}/{}", listed.name)));
        let ids: Vec<ReleaseId> = ids.collect();
        let reads = stream::iter(ids).map(|id| async move {
            match self.published(&id).await {
                // Nothing is shared with a damaged release.
                Err(error) if error.is_damage() => Ok(None),
                read => Ok(read?.map(|release| (id, release.files))),
            }
        });
        let read: Vec<_> = reads.buffered(CONCURRENCY).try_collect().await?;
        Ok(read.into_iter().flatten().collect())
    }

    /// Sends new files of a folder.
    async fn send_files(&self, folder: &Path, new: &NewFiles) -> Result<(), StoreError> {
        let sends = stream::iter(new.values().cloned()).map(|(path, name)| async move {
            let path = folder.join(path);
            let bytes = request_scope::run_blocking(move || fs::read(&path).map_err(io(&path))).await?;
            self.objects
                .put(&file_key(&name), bytes.into(), When::Always)
                .await
        });
        sends
            .buffer_unordered(CONCURRENCY)
            .try_for_each(|_| ready(Ok(())))
            .await
    }
}

impl Staged {
    /// The files whose digests are not among these.
    fn new_files(&self, shared: &BTreeMap<String, String>) -> NewFiles {
        let mut new = NewFiles::new();
        for (path, digest) in &self.files {
            let part = digest_part(digest);
            if !shared.contains_key(&part) {
                new.entry(part)
                    .or_insert_with(|| (path.clone(), new_file_name(digest)));
            }
        }
        new
    }

    fn read(folder: &Path) -> Result<Self, StoreError> {
        let manifest = folder.join(RELEASE_FILE);
        let mut staged = Self {
            manifest: fs::read_to_string(&manifest).map_err(io(&manifest))?,
            files: BTreeMap::new(),
        };
        for name in entry_names(folder)? {
            if name != RELEASE_FILE {
                staged.add(folder, &name)?;
            }
        }
        Ok(staged)
    }

    fn add(&mut self, folder: &Path, path: &str) -> Result<(), StoreError> {
        let file = folder.join(path);
        if file.is_dir() {
            for name in entry_names(&file)? {
                self.add(folder, &format!("{path}/{name}"))?;
            }
        } else {
            let reader = fs::File::open(&file).map_err(io(&file))?;
            let digest = Digest::of_reader(reader).map_err(io(&file))?;
            self.files.insert(path.to_owned(), digest);
        }
        Ok(())
    }
}
