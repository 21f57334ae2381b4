//! A release made ready to be served: every answer about it that does not depend on a request is made here, once.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use http::HeaderValue;
use httpdate::HttpDate;
use tokio::sync::OnceCell;

use super::answer::{Asset, AssetKind, PageAnswer, SectionEntry, SlotAnswer};
use crate::negotiate::Coding;
use crate::pattern::{Pattern, PatternError};
use crate::release::{File, Icon, Kind, Release, SocialImage, ThemeColor};
use crate::render::Modules;
use crate::store::{ReleaseId, Store, StoreError, StoredRelease};

/// The folder of a release that the public may read.
const PUBLIC: &str = "client/";

/// A release as it is served.
#[derive(Debug)]
pub(crate) struct Served {
    /// Its name and version.
    pub(crate) id: ReleaseId,
    /// When it was published, which is the last time any of its files changed.
    pub(crate) published: Published,
    /// The public files, by their path below `client/`.
    pub(crate) files: HashMap<String, ServedFile>,
    /// Shared packages: ranges or exact versions.
    pub(crate) shared: BTreeMap<String, String>,
    /// What it does in a set.
    pub(crate) role: Role,
    /// The files of its server modules, by their specifiers.
    pub(crate) modules: BTreeMap<String, String>,
    /// Their text, once somebody wanted it.
    sources: OnceCell<Option<Arc<Modules>>>,
}

/// When a release was published.
#[derive(Debug)]
pub(crate) struct Published {
    pub(crate) date: HttpDate,
    /// The same, written.
    pub(crate) header: HeaderValue,
}

impl Published {
    /// At this time, or at the first one that HTTP can write: that of Unix.
    fn at(time: SystemTime) -> Self {
        let date = HttpDate::from(time.max(UNIX_EPOCH));
        let header = HeaderValue::try_from(date.to_string());
        Self {
            date,
            header: header.expect("a date may stand in a header"),
        }
    }
}

/// What a release does in a set.
#[derive(Debug)]
pub(crate) enum Role {
    Shell(Arc<Frame>),
    Section(Parts),
}

/// What the shell puts around every page.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The main script.
    pub(crate) entry: Asset,
    /// The frame's stylesheets, in order.
    pub(crate) styles: Vec<Asset>,
    /// What the main script needs at once; scripts run before it, in order.
    pub(crate) assets: Vec<Asset>,
    /// The icon's URL path and type.
    pub(crate) icon: Option<(String, String)>,
    /// The icons for home screens; each file is a URL path.
    pub(crate) icons: Vec<Icon>,
    /// What is shown where a page is shared; its file is a URL path.
    pub(crate) social_image: Option<SocialImage>,
    /// What browsers colour their own surroundings of a page with.
    pub(crate) theme_color: Option<ThemeColor>,
}

impl Frame {
    /// The scripts of every document, in the order in which they run.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &Asset> {
        let before = self.assets.iter().filter(|asset| asset.kind == AssetKind::Script);
        before.chain(std::iter::once(&self.entry))
    }
}

/// What a section adds to a set.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Its pages, by their patterns.
    pub(crate) pages: Vec<(Pattern, Arc<PageAnswer>)>,
    /// What it puts into the shell's named places, by their names.
    pub(crate) slots: Vec<(String, Arc<SlotAnswer>)>,
    /// The paths that search engines may list.
    pub(crate) indexable: Vec<String>,
    /// For each page that names paths, all of them.
    pub(crate) paths: Vec<(Arc<PageAnswer>, Vec<String>)>,
}

/// One public file.
#[derive(Debug)]
pub(crate) struct ServedFile {
    /// Its URL path.
    pub(crate) address: Arc<str>,
    /// Its media type, as it is sent.
    pub(crate) media_type: HeaderValue,
    /// The base64 of its digest, of which its validators are made.
    pub(crate) tag: String,
    /// The compressed variants there are.
    pub(crate) codings: Vec<Coding>,
}

/// A stored release cannot be served: its `release.json` would not have passed the checks of a publish.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error("{0} names a file that it does not list")]
    File(ReleaseId),
    #[error("{0} has a page with a broken pattern: {1}")]
    Pattern(ReleaseId, PatternError),
    #[error("{0} has a file with a broken type")]
    Type(ReleaseId),
    #[error("{0} is a section without a container")]
    Container(ReleaseId),
}

impl Served {
    /// Makes a stored release ready.
    pub(crate) fn new(id: &ReleaseId, stored: StoredRelease) -> Result<Self, ServeError> {
        let StoredRelease { release, mut record } = stored;
        let urls = Urls::new(id, &release);
        let role = match release.kind {
            Kind::Shell => Role::Shell(Arc::new(urls.frame(&release)?)),
            Kind::Section => Role::Section(urls.parts(&release)?),
        };
        let mut files = HashMap::new();
        for file in &release.files {
            let Some(path) = file.path.strip_prefix(PUBLIC) else {
                continue;
            };
            let media_type = HeaderValue::from_str(&file.media_type);
            let served = ServedFile {
                address: format!("/assets/{}/{}/{path}", id.name, id.version).into(),
                media_type: media_type.map_err(|_| ServeError::Type(id.clone()))?,
                tag: file.digest.base64(),
                codings: record.variants.remove(&file.path).unwrap_or_default(),
            };
            files.insert(path.to_owned(), served);
        }
        Ok(Self {
            id: id.clone(),
            published: Published::at(record.published_at.into()),
            files,
            shared: release.shared,
            role,
            modules: release.modules,
            sources: OnceCell::new(),
        })
    }

    /// The server modules, read from the store once; `None` if there are none.
    pub(crate) async fn sources(&self, store: &dyn Store) -> Result<Option<Arc<Modules>>, StoreError> {
        let read = self.sources.get_or_try_init(|| async {
            let mut sources = Vec::new();
            for (specifier, path) in &self.modules {
                let bytes = store.file(&self.id, path, Coding::Identity).await?;
                let bytes = bytes.ok_or_else(|| StoreError::Io {
                    path: path.into(),
                    source: io::ErrorKind::NotFound.into(),
                })?;
                sources.push((specifier.clone(), String::from_utf8_lossy(&bytes).into_owned()));
            }
            Ok((!sources.is_empty()).then(|| {
                Arc::new(Modules {
                    release: self.id.to_string(),
                    sources,
                })
            }))
        });
        read.await.cloned()
    }

    /// For each page that names paths, all of them.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&PageAnswer, &[String])> {
        let paths: &[_] = match &self.role {
            Role::Section(parts) => &parts.paths,
            Role::Shell(_) => &[],
        };
        paths.iter().map(|(page, paths)| (&**page, paths.as_slice()))
    }

    /// The paths that search engines may list.
    pub(crate) fn indexable(&self) -> &[String] {
        match &self.role {
            Role::Section(parts) => &parts.indexable,
            Role::Shell(_) => &[],
        }
    }
}

impl ServedFile {
    /// The strong validator of the file in a coding.
    pub(crate) fn etag(&self, coding: Coding) -> String {
        match coding {
            Coding::Identity => format!("\"{}\"", self.tag),
            _ => format!("\"{}-{coding}\"", self.tag),
        }
    }
}

/// Turns the paths of a release's files into what a browser needs to load them.
struct Urls<'a> {
    id: &'a ReleaseId,
    files: HashMap<&'a str, &'a File>,
}

impl<'a> Urls<'a> {
    fn new(id: &'a ReleaseId, release: &'a Release) -> Self {
        let files = release
            .files
            .iter()
            .map(|file| (file.path.as_str(), file))
            .collect();
        Self { id, files }
    }

    fn asset(&self, path: &str) -> Result<Asset, ServeError> {
        let missing = || ServeError::File(self.id.clone());
        let file = self.files.get(path).ok_or_else(missing)?;
        let below = path.strip_prefix(PUBLIC).ok_or_else(missing)?;
        Ok(Asset {
            href: format!("/assets/{}/{}/{below}", self.id.name, self.id.version),
            name: below.rsplit('/').next().unwrap_or(below).to_owned(),
            integrity: file.digest.to_string(),
            kind: if file.is_style() {
                AssetKind::Style
            } else {
                AssetKind::Script
            },
        })
    }

    fn assets(&self, paths: &[String]) -> Result<Vec<Asset>, ServeError> {
        paths.iter().map(|path| self.asset(path)).collect()
    }

    fn frame(&self, release: &Release) -> Result<Frame, ServeError> {
        let icon = match &release.icon {
            Some(path) => {
                let file = self.files.get(path.as_str()).map(|file| file.media_type.clone());
                Some((self.asset(path)?.href, file.unwrap_or_default()))
            }
            None => None,
        };
        let icons = release.icons.iter().map(|icon| {
            let file = self.asset(&icon.file)?.href;
            Ok(Icon { file, ..icon.clone() })
        });
        let social_image = release.social_image.as_ref().map(|image| {
            let file = self.asset(&image.file)?.href;
            Ok(SocialImage {
                file,
                ..image.clone()
            })
        });
        Ok(Frame {
            entry: self.asset(&release.entry)?,
            styles: self.assets(&release.styles)?,
            assets: self.assets(&release.assets)?,
            icon,
            icons: icons.collect::<Result<_, ServeError>>()?,
            social_image: social_image.transpose()?,
            theme_color: release.theme_color.clone(),
        })
    }

    fn parts(&self, release: &Release) -> Result<Parts, ServeError> {
        let entry = self.asset(&release.entry)?;
        let container = release.container.clone();
        let section = Arc::new(SectionEntry {
            name: self.id.name.clone(),
            version: self.id.version.clone(),
            container: container.ok_or_else(|| ServeError::Container(self.id.clone()))?,
            entry: entry.href,
            integrity: entry.integrity,
            assets: self.assets(&release.assets)?,
        });
        let mut pages = Vec::new();
        let mut indexable = Vec::new();
        let mut paths = Vec::new();
        for page in &release.pages {
            let pattern = Pattern::parse(&page.pattern);
            let answer = PageAnswer {
                section: Arc::clone(&section),
                pattern: page.pattern.clone(),
                assets: self.assets(&page.assets)?,
            };
            let pattern = pattern.map_err(|error| ServeError::Pattern(self.id.clone(), error))?;
            let answer = Arc::new(answer);
            let named = page.paths.iter().map(|named| named.path.clone());
            paths.push((Arc::clone(&answer), named.collect()));
            pages.push((pattern, answer));
            let listed = page.paths.iter().filter(|named| named.indexable);
            indexable.extend(listed.map(|named| named.path.clone()));
        }
        let mut slots = Vec::new();
        for slot in &release.slots {
            let answer = SlotAnswer {
                section: Arc::clone(&section),
                assets: self.assets(&slot.assets)?,
            };
            slots.push((slot.name.clone(), Arc::new(answer)));
        }
        Ok(Parts {
            pages,
            slots,
            indexable,
            paths,
        })
    }
}
