//! Preparing a release: what `release.json` says becomes what requests need.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use http::HeaderValue;
use tokio::sync::OnceCell;

use colonnade_model::deployment::ReleaseSummary;
use colonnade_model::pattern::Pattern;
use colonnade_model::policy::Policy;
use colonnade_model::release::{ExtensionPoint, File, Icon, Kind, Release, ReleaseId, SocialImage};

use crate::StoredRelease;
use crate::loaded::manifest::{
    Asset, AssetKind, ExtensionManifest, PageManifest, RemoteManifest, SectionEntry,
};
use crate::loaded::release::{
    LoadReleaseError, LoadedFile, LoadedRelease, PublishedAt, Role, SectionParts, SharedPackage, ShellFrame,
};

/// The folder of a release whose files are public.
const PUBLIC: &str = "client/";

impl LoadedRelease {
    /// Prepares a stored release for serving.
    pub fn new(id: &ReleaseId, stored: StoredRelease) -> Result<Self, LoadReleaseError> {
        let StoredRelease { release, mut record } = stored;
        let builder = ManifestBuilder::new(id, &release);
        let role = match release.kind {
            Kind::Shell => Role::Shell(Arc::new(builder.frame(&release)?)),
            Kind::Section => Role::Section(builder.parts(&release)?),
        };
        let modules = builder.modules(&release)?;
        let examples = release.examples.as_ref().map(|path| builder.file(path));
        let mut files = foldhash::HashMap::default();
        for file in &release.files {
            let Some(path) = file.path.strip_prefix(PUBLIC) else {
                continue;
            };
            let media_type = HeaderValue::from_str(&file.media_type);
            let loaded = LoadedFile {
                url_path: format!("/assets/{}/{}/{path}", id.name, id.version).into(),
                media_type: media_type.map_err(|_| LoadReleaseError::Type(id.clone()))?,
                path: file.path.clone(),
                size: file.size,
                digest: file.digest,
                codings: record.variants.remove(&file.path).unwrap_or_default(),
                inline_style: OnceCell::new(),
            };
            files.insert(path.to_owned(), loaded);
        }
        Ok(Self {
            id: id.clone(),
            published_at: PublishedAt::at(record.published_at.into()),
            source: record.source,
            files,
            contract: release.contract,
            shared: release.shared,
            omitted_exports: release.omitted_exports,
            used_exports: release.used_exports,
            policy: release.policy,
            facts: release.facts,
            config: release.config,
            extension_points: release.extension_points,
            navigation: release.navigation,
            role,
            modules,
            examples: examples.transpose()?,
            server_modules: OnceCell::new(),
        })
    }

    /// A release that is missing or damaged, as far as it is known: it has pages, but no files. `None` if the summary is damaged, too.
    pub fn from_summary(id: &ReleaseId, summary: &ReleaseSummary) -> Option<Self> {
        let section = Arc::new(SectionEntry {
            name: id.name.clone(),
            version: id.version.clone(),
            container: summary.container.clone(),
            entry: String::new(),
            integrity: String::new(),
            needs_federation_runtime: false,
            assets: Vec::new(),
        });
        let page = |text: &String| {
            let page = PageManifest {
                section: Arc::clone(&section),
                pattern: text.clone(),
                search: Vec::new(),
                assets: Vec::new(),
                bytes: 0,
                shared: Vec::new(),
                points: Vec::new(),
            };
            Some((Pattern::parse(text).ok()?, Arc::new(page)))
        };
        Some(Self {
            id: id.clone(),
            published_at: PublishedAt::at(UNIX_EPOCH),
            source: None,
            files: foldhash::HashMap::default(),
            contract: summary.contract,
            shared: summary.shared.clone(),
            omitted_exports: BTreeMap::new(),
            used_exports: BTreeMap::new(),
            policy: Policy::default(),
            facts: BTreeMap::new(),
            config: BTreeMap::new(),
            extension_points: Vec::new(),
            navigation: Vec::new(),
            role: Role::Section(SectionParts {
                remote: Arc::new(RemoteManifest::new(Arc::clone(&section), [])),
                pages: summary.patterns.iter().map(page).collect::<Option<_>>()?,
                extensions: Vec::new(),
                paths: Vec::new(),
                indexable: HashMap::new(),
            }),
            modules: BTreeMap::new(),
            examples: None,
            server_modules: OnceCell::new(),
        })
    }
}

/// Builds the manifests of a release from the file paths in its `release.json`.
struct ManifestBuilder<'a> {
    id: &'a ReleaseId,
    files: HashMap<&'a str, &'a File>,
}

impl<'a> ManifestBuilder<'a> {
    fn new(id: &'a ReleaseId, release: &'a Release) -> Self {
        let files = release
            .files
            .iter()
            .map(|file| (file.path.as_str(), file))
            .collect();
        Self { id, files }
    }

    fn asset(&self, path: &str) -> Result<Asset, LoadReleaseError> {
        let missing = || LoadReleaseError::File(self.id.clone());
        let file = self.files.get(path).ok_or_else(missing)?;
        let public_path = path.strip_prefix(PUBLIC).ok_or_else(missing)?;
        Ok(Asset {
            href: format!("/assets/{}/{}/{public_path}", self.id.name, self.id.version),
            name: public_path.rsplit('/').next().unwrap_or(public_path).to_owned(),
            integrity: file.digest.to_string(),
            kind: if file.is_style() {
                AssetKind::Style
            } else {
                AssetKind::Script
            },
        })
    }

    fn modules(&self, release: &Release) -> Result<BTreeMap<String, File>, LoadReleaseError> {
        let modules = release.modules.iter();
        let modules = modules.map(|(specifier, path)| Ok((specifier.clone(), self.file(path)?)));
        modules.collect()
    }

    fn file(&self, path: &str) -> Result<File, LoadReleaseError> {
        let file = self.files.get(path).copied().cloned();
        file.ok_or_else(|| LoadReleaseError::File(self.id.clone()))
    }

    fn assets(&self, paths: &[String]) -> Result<Vec<Asset>, LoadReleaseError> {
        paths.iter().map(|path| self.asset(path)).collect()
    }

    /// The length of what a view of a section loads: the entry, the section's assets and its own.
    fn view_bytes(&self, release: &Release, assets: &[String]) -> u64 {
        self.bytes([&release.entry].into_iter().chain(&release.assets).chain(assets))
    }

    /// The length of these files, each counted once.
    fn bytes<'p>(&self, paths: impl Iterator<Item = &'p String>) -> u64 {
        let paths: BTreeSet<&String> = paths.collect();
        let files = paths.into_iter().filter_map(|path| self.files.get(path.as_str()));
        files.map(|file| file.size).sum()
    }

    fn frame(&self, release: &Release) -> Result<ShellFrame, LoadReleaseError> {
        let icon = match &release.icon {
            Some(path) => {
                let media_type = self.files.get(path.as_str()).map(|file| file.media_type.clone());
                Some((self.asset(path)?.href, media_type.unwrap_or_default()))
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
        let shared = release.shared_assets.iter().map(|(package, paths)| {
            let assets = self.assets(paths)?;
            let bytes = self.bytes(paths.iter());
            Ok((package.clone(), SharedPackage { assets, bytes }))
        });
        Ok(ShellFrame {
            shared: shared.collect::<Result<_, LoadReleaseError>>()?,
            entry: self.asset(&release.entry)?,
            styles: self.assets(&release.styles)?,
            assets: self.assets(&release.assets)?,
            icon,
            icons: icons.collect::<Result<_, LoadReleaseError>>()?,
            social_image: social_image.transpose()?,
            theme_color: release.theme_color.clone(),
            meta: release.meta.clone(),
            points: release
                .extension_points
                .iter()
                .map(ExtensionPoint::reference)
                .collect(),
        })
    }

    fn parts(&self, release: &Release) -> Result<SectionParts, LoadReleaseError> {
        let entry = self.asset(&release.entry)?;
        let container = release.container.clone();
        let section = Arc::new(SectionEntry {
            name: self.id.name.clone(),
            version: self.id.version.clone(),
            container: container.ok_or_else(|| LoadReleaseError::Container(self.id.clone()))?,
            entry: entry.href,
            integrity: entry.integrity,
            needs_federation_runtime: release.needs_federation_runtime.unwrap_or(true),
            assets: self.assets(&release.assets)?,
        });
        let mut pages = Vec::new();
        let mut indexable = HashMap::new();
        let mut paths = Vec::new();
        for page in &release.pages {
            let pattern = Pattern::parse(&page.pattern);
            let manifest = PageManifest {
                section: Arc::clone(&section),
                pattern: page.pattern.clone(),
                search: page.search.clone(),
                assets: self.assets(&page.assets)?,
                bytes: self.view_bytes(release, &page.assets),
                shared: page.shared.clone(),
                points: page.extension_points.clone(),
            };
            let pattern = pattern.map_err(|error| LoadReleaseError::Pattern(self.id.clone(), error))?;
            let manifest = Arc::new(manifest);
            let named: Vec<Arc<str>> = page
                .paths
                .iter()
                .map(|named| named.path.as_str().into())
                .collect();
            indexable.extend(
                named
                    .iter()
                    .cloned()
                    .zip(page.paths.iter().map(|named| named.indexable)),
            );
            paths.push((Arc::clone(&manifest), named));
            pages.push((pattern, manifest));
        }
        let extensions = release.extensions.iter().map(|extension| {
            Ok(Arc::new(ExtensionManifest {
                section: Arc::clone(&section),
                point: extension.point.clone(),
                order: extension.order,
                assets: self.assets(&extension.assets)?,
                bytes: self.view_bytes(release, &extension.assets),
                shared: extension.shared.clone(),
            }))
        });
        let extensions = extensions.collect::<Result<_, LoadReleaseError>>()?;
        let exposes = release.exposes.iter().map(|module| {
            let bytes = self.bytes([&release.entry].into_iter().chain(&module.assets));
            Ok((module.name.clone(), self.assets(&module.assets)?, bytes))
        });
        let exposes = exposes.collect::<Result<Vec<_>, LoadReleaseError>>()?;
        Ok(SectionParts {
            remote: Arc::new(RemoteManifest::new(section, exposes)),
            pages,
            extensions,
            paths,
            indexable,
        })
    }
}
