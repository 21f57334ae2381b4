//! A release, ready to serve: everything that does not depend on a request is computed once.

mod build;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::HeaderValue;
use httpdate::HttpDate;
use tokio::sync::OnceCell;

use colonnade_model::deployment::ReleaseSummary;
use colonnade_model::extension_rules::ExtensionId;
use colonnade_model::pattern::{Pattern, PatternError};
use colonnade_model::policy::Policy;
use colonnade_model::release::{
    Digest, Examples, ExtensionPoint, FactType, File, Icon, Meta, NavigationEntry, PointReference, ReleaseId,
    ReleaseSource, ServerModules, SocialImage, ThemeColor,
};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::request_scope;

use crate::loaded::inline_style::InlineStyle;
use crate::loaded::manifest::{Asset, AssetKind, ExtensionManifest, PageManifest, RemoteManifest};
use crate::{ListedFile, Store, StoreError};

/// The characters of a file's digest in its entity tags: 144 bits, short to send with every
/// response.
const ETAG_DIGEST: usize = 24;

/// A release, ready to serve.
#[derive(Debug)]
pub struct LoadedRelease {
    /// Its name and version.
    pub id: ReleaseId,
    /// When it was published: the `Last-Modified` of its files.
    pub published_at: PublishedAt,
    /// Where it comes from, if its publisher said so.
    pub source: Option<ReleaseSource>,
    /// The public files, by path relative to `client/`.
    pub files: foldhash::HashMap<String, LoadedFile>,
    /// The version of the section contract it implements.
    pub contract: u32,
    /// Shared packages: the version ranges a section needs, or the exact versions the shell
    /// provides.
    pub shared: BTreeMap<String, String>,
    /// The exports of shared packages that a shell omits.
    pub omitted_exports: BTreeMap<String, Vec<String>>,
    /// The exports of shared packages that a section uses.
    pub used_exports: BTreeMap<String, Vec<String>>,
    /// What its documents need in addition to the strict default.
    pub policy: Policy,
    /// The facts of the site that it reads, with their types.
    pub facts: BTreeMap<String, FactType>,
    /// The values of its section's configuration that it reads, with their types.
    pub config: BTreeMap<String, FactType>,
    /// The extension points that it opens.
    pub extension_points: Vec<ExtensionPoint>,
    /// The links that it contributes to the navigation.
    pub navigation: Vec<NavigationEntry>,
    /// Its role in a deployment.
    pub role: Role,
    /// The files of its server modules, by specifier.
    pub modules: BTreeMap<String, File>,
    /// The file with the examples of its pages and extensions.
    examples: Option<File>,
    /// The server modules, read at the first render.
    server_modules: OnceCell<Option<Arc<ServerModules>>>,
}

/// When a release was published.
#[derive(Debug)]
pub struct PublishedAt {
    /// The time, with a precision of one second.
    pub date: HttpDate,
    /// The value of the `Last-Modified` header field.
    pub header: HeaderValue,
}

impl PublishedAt {
    /// Times before the Unix epoch become the epoch: HTTP dates cannot express them.
    fn at(time: SystemTime) -> Self {
        let date = HttpDate::from(time.max(UNIX_EPOCH));
        let header = HeaderValue::try_from(date.to_string());
        Self {
            date,
            header: header.expect("an HTTP date is a valid header value"),
        }
    }
}

/// A release's role in a deployment.
#[derive(Debug)]
pub enum Role {
    /// The shell, with its part of every document.
    Shell(Arc<ShellFrame>),
    /// A section, with its pages and extensions.
    Section(SectionParts),
}

/// The shell's part of every document.
#[derive(Debug)]
pub struct ShellFrame {
    /// The main script.
    pub entry: Asset,
    /// The stylesheets, in order.
    pub styles: Vec<Asset>,
    /// The main script's assets. Scripts run before it, in this order.
    pub assets: Vec<Asset>,
    /// The icon's URL path and media type.
    pub icon: Option<(String, String)>,
    /// The icons for home screens. Each `file` is a URL path.
    pub icons: Vec<Icon>,
    /// The preview image of shared pages. Its `file` is a URL path.
    pub social_image: Option<SocialImage>,
    /// The colors of the browser's user interface.
    pub theme_color: Option<ThemeColor>,
    /// The meta elements of the site.
    pub meta: Vec<Meta>,
    /// Its extension points, which every document has.
    pub points: Vec<PointReference>,
    /// The shared packages that only some pages load, by name.
    pub shared: BTreeMap<String, SharedPackage>,
}

/// A shared package that only some pages load.
#[derive(Debug)]
pub struct SharedPackage {
    /// Its scripts, in addition to those of every document.
    pub assets: Vec<Asset>,
    /// Their length in bytes.
    pub bytes: u64,
}

impl ShellFrame {
    /// Those of these shared packages that only some pages load.
    pub fn shared<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = &'a SharedPackage> {
        names.iter().filter_map(|name| self.shared.get(name))
    }

    /// The length in bytes of the scripts of these shared packages.
    pub fn shared_bytes(&self, names: &[String]) -> u64 {
        self.shared(names).map(|package| package.bytes).sum()
    }

    /// The scripts of every document, in execution order.
    pub fn scripts(&self) -> impl Iterator<Item = &Asset> {
        let before = self.assets.iter().filter(|asset| asset.kind == AssetKind::Script);
        before.chain(std::iter::once(&self.entry))
    }
}

/// A section's pages, extensions and exposed modules.
#[derive(Debug)]
pub struct SectionParts {
    /// What other sections load of it.
    pub remote: Arc<RemoteManifest>,
    /// The pages with their patterns.
    pub pages: Vec<(Pattern, Arc<PageManifest>)>,
    /// What it contributes to extension points.
    pub extensions: Vec<Arc<ExtensionManifest>>,
    /// The named paths of each page.
    pub paths: Vec<(Arc<PageManifest>, Vec<Arc<str>>)>,
    /// Whether search engines may index each named path.
    pub indexable: HashMap<Arc<str>, bool>,
}

/// One public file.
#[derive(Debug)]
pub struct LoadedFile {
    /// Its URL path.
    pub url_path: Arc<str>,
    /// The value of its `Content-Type`.
    pub media_type: HeaderValue,
    /// The path in the release's folder.
    path: String,
    /// The length in bytes.
    size: u64,
    /// The digest.
    digest: Digest,
    /// The content codings of its stored compressed variants.
    pub codings: Vec<Coding>,
    /// The file as documents inline it, if it is a stylesheet: `None` if it cannot be inlined.
    inline_style: OnceCell<Option<Arc<InlineStyle>>>,
}

/// A stored release cannot be served: its `release.json` is not one that passes validation.
#[derive(Debug, thiserror::Error)]
pub enum LoadReleaseError {
    /// A reference to a file that is not listed.
    #[error("{0} refers to a file that it does not list")]
    File(ReleaseId),
    /// A page with an invalid pattern.
    #[error("{0} has a page with an invalid pattern: {1}")]
    Pattern(ReleaseId, PatternError),
    /// A file whose media type is not a valid header value.
    #[error("{0} has a file with an invalid type")]
    Type(ReleaseId),
    /// A section without a container.
    #[error("{0} is a section without a container")]
    Container(ReleaseId),
}

impl LoadedRelease {
    /// What the checks of a set need to know of a section; `None` for a shell.
    pub fn summary(&self) -> Option<ReleaseSummary> {
        let Role::Section(parts) = &self.role else {
            return None;
        };
        let patterns = parts.pages.iter().map(|(pattern, _)| pattern.as_str().to_owned());
        Some(ReleaseSummary {
            contract: self.contract,
            container: parts.remote.section.container.clone(),
            patterns: patterns.collect(),
            shared: self.shared.clone(),
        })
    }

    /// What other sections load of a section; `None` for a shell.
    pub fn remote(&self) -> Option<&Arc<RemoteManifest>> {
        match &self.role {
            Role::Section(parts) => Some(&parts.remote),
            Role::Shell(_) => None,
        }
    }

    /// The server modules, read from the store once; `None` if the release has none.
    pub async fn server_modules(&self, store: &Store) -> Result<Option<Arc<ServerModules>>, StoreError> {
        let read = self.server_modules.get_or_try_init(|| async {
            let mut files = Vec::new();
            for (specifier, file) in &self.modules {
                files.push((specifier.clone(), self.read(store, file).await?));
            }
            if files.is_empty() {
                return Ok(None);
            }
            let release = self.id.to_string();
            let modules = request_scope::run_blocking(|| {
                let text = |bytes: Bytes| String::from_utf8_lossy(&bytes).into_owned();
                let sources = files
                    .into_iter()
                    .map(|(specifier, bytes)| (specifier, text(bytes)));
                let sources = sources.collect();
                ServerModules { release, sources }
            });
            Ok(Some(Arc::new(modules.await)))
        });
        read.await.cloned()
    }

    /// The examples of its pages and extensions, read from the store; none if the release has none.
    pub async fn examples(&self, store: &Store) -> Result<Examples, StoreError> {
        let Some(file) = &self.examples else {
            return Ok(Examples::default());
        };
        let bytes = self.read(store, file).await?;
        let examples = request_scope::run_blocking(move || Examples::parse(&bytes)).await;
        examples.map_err(|error| StoreError::Io {
            path: file.path.clone().into(),
            source: error.into(),
        })
    }

    async fn read(&self, store: &Store, file: &File) -> Result<Bytes, StoreError> {
        let bytes = store.read_file(&self.id, file.into(), Coding::Identity).await?;
        bytes.ok_or_else(|| StoreError::Io {
            path: file.path.clone().into(),
            source: io::ErrorKind::NotFound.into(),
        })
    }

    /// One of its stylesheets, for documents, read from the store once; `None` if it cannot be read
    /// or inlined.
    pub async fn inline_style(&self, store: &Store, asset: &Asset) -> Option<Arc<InlineStyle>> {
        let folder = format!("/assets/{}/{}/", self.id.name, self.id.version);
        let file = self.files.get(asset.href.strip_prefix(&folder)?)?;
        let style = file.inline_style.get_or_try_init(|| async {
            let bytes = store.read_file(&self.id, file.listed(), Coding::Identity).await;
            let (bytes, asset) = (bytes.ok().flatten().ok_or(())?, asset.clone());
            Ok::<_, ()>(
                request_scope::run_blocking(move || InlineStyle::new(asset, &bytes).map(Arc::new)).await,
            )
        });
        style.await.ok().cloned().flatten()
    }

    /// Whether each document has a part of the release: it is the shell, or fills an extension point
    /// of it.
    pub(crate) fn is_everywhere(&self) -> bool {
        match &self.role {
            Role::Shell(_) => true,
            Role::Section(_) => self.filled_points().any(PointReference::is_of_shell),
        }
    }

    /// Whether it fills an extension point.
    pub fn fills(&self, point: &PointReference) -> bool {
        self.filled_points().any(|filled| filled == point)
    }

    /// The extension points that it fills.
    pub fn filled_points(&self) -> impl Iterator<Item = &PointReference> {
        self.extensions().iter().map(|extension| &extension.point)
    }

    /// What it contributes to extension points.
    pub fn extensions(&self) -> &[Arc<ExtensionManifest>] {
        match &self.role {
            Role::Section(parts) => &parts.extensions,
            Role::Shell(_) => &[],
        }
    }

    /// Whether it has an extension, in any version of its point.
    pub fn has_extension(&self, extension: &ExtensionId) -> bool {
        let mut points = self.filled_points();
        self.id.name == extension.section && points.any(|point| point.id() == extension.point)
    }

    /// Whether the release is a section with a page of this pattern.
    pub fn has_page(&self, pattern: &str) -> bool {
        match &self.role {
            Role::Section(parts) => parts.pages.iter().any(|(_, page)| page.pattern == pattern),
            Role::Shell(_) => false,
        }
    }

    /// The named paths of each page.
    pub fn named_paths(&self) -> impl Iterator<Item = (&PageManifest, &[Arc<str>])> {
        let paths: &[_] = match &self.role {
            Role::Section(parts) => &parts.paths,
            Role::Shell(_) => &[],
        };
        paths.iter().map(|(page, paths)| (&**page, paths.as_slice()))
    }

    /// Whether the release names a path.
    pub fn names(&self, path: &str) -> bool {
        self.indexable(path).is_some()
    }

    /// Whether the release names a path, and search engines may index it.
    pub fn is_indexable(&self, path: &str) -> bool {
        self.indexable(path) == Some(true)
    }

    fn indexable(&self, path: &str) -> Option<bool> {
        match &self.role {
            Role::Section(parts) => parts.indexable.get(path).copied(),
            Role::Shell(_) => None,
        }
    }

    /// The named paths that search engines may index.
    pub fn indexable_paths(&self) -> impl Iterator<Item = &str> {
        let paths = self.named_paths().flat_map(|(_, paths)| paths);
        paths.map(|path| &**path).filter(|path| self.is_indexable(path))
    }
}

impl LoadedFile {
    /// The file, to read it.
    pub fn listed(&self) -> ListedFile<'_> {
        ListedFile {
            path: &self.path,
            size: self.size,
            digest: self.digest,
        }
    }

    /// The strong entity tag of the file in a content coding (RFC 9110, section 8.8.3).
    pub fn etag(&self, coding: Coding) -> String {
        let digest = self.digest.base64();
        let tag = &digest[..ETAG_DIGEST];
        match coding {
            Coding::Identity => format!("\"{tag}\""),
            _ => format!("\"{tag}-{coding}\""),
        }
    }
}
