//! Who fills the extension points of a set.

use std::collections::BTreeMap;
use std::sync::Arc;

use colonnade_model::extension_rules::{ExtensionRules, Refusal};
use colonnade_model::release::PointReference;

use crate::loaded::manifest::ExtensionManifest;
use crate::loaded::release::{LoadedRelease, ShellFrame};

/// The extensions of a set, by the point that they fill.
#[derive(Debug, Clone, Default)]
pub(super) struct FilledPoints(BTreeMap<PointReference, FilledPoint>);

/// The extensions of one point.
#[derive(Debug, Clone, Default)]
struct FilledPoint {
    /// All of them, in the order in which they are shown. Those that the rules refuse come last.
    extensions: Vec<Arc<ExtensionManifest>>,
    /// How many of them the rules do not refuse.
    permitted: usize,
    /// How many the point shows at most; `None` if no release of the set opens it.
    max: Option<usize>,
}

/// Extensions that no page shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut<'a> {
    /// The point that they fill.
    pub point: &'a PointReference,
    /// The extensions, in the order in which they would be shown.
    pub extensions: &'a [Arc<ExtensionManifest>],
    /// Why no page shows them.
    pub reason: LeftOutReason,
}

/// Why no page shows an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOutReason {
    /// No release of the set opens the point in this version.
    NotOpened,
    /// The point shows this many others.
    Full(usize),
    /// An operator does not want it.
    Refused(Refusal),
}

impl FilledPoints {
    /// Of the set of these releases, with the frame of its shell and these rules.
    pub(super) fn of(releases: &[Arc<LoadedRelease>], frame: &ShellFrame, rules: &ExtensionRules) -> Self {
        let mut points = BTreeMap::<_, FilledPoint>::new();
        for release in releases {
            for extension in release.extensions() {
                let point = points.entry(extension.point.clone()).or_default();
                point.extensions.push(with_shared(extension, frame));
            }
        }
        for opened in releases.iter().flat_map(|release| &release.extension_points) {
            if let Some(point) = points.get_mut(&opened.reference()) {
                point.max = Some(opened.max.into());
            }
        }
        for FilledPoint {
            extensions,
            permitted,
            ..
        } in points.values_mut()
        {
            extensions.sort_by(|a, b| a.rank(rules).cmp(&b.rank(rules)));
            extensions.sort_by_key(|each| each.refusal(rules).is_some());
            *permitted = extensions.partition_point(|each| each.refusal(rules).is_none());
        }
        Self(points)
    }

    /// The extensions that a point shows, in order.
    pub(super) fn shown(&self, point: &PointReference) -> &[Arc<ExtensionManifest>] {
        self.0
            .get(point)
            .map_or(&[], |point| &point.extensions[..point.shown()])
    }

    /// All extensions of a point.
    pub(super) fn all(&self, point: &PointReference) -> &[Arc<ExtensionManifest>] {
        self.0.get(point).map_or(&[], |point| &point.extensions)
    }

    /// The extensions that no page shows. Those that are too many for a point are together.
    pub(super) fn left_out<'a>(&'a self, rules: &'a ExtensionRules) -> impl Iterator<Item = LeftOut<'a>> {
        self.0.iter().flat_map(move |(point, filled)| {
            let reason = filled.max.map_or(LeftOutReason::NotOpened, LeftOutReason::Full);
            let (permitted, refused) = filled.extensions.split_at(filled.permitted);
            let extensions = &permitted[filled.shown()..];
            let waiting = (!extensions.is_empty()).then_some(LeftOut {
                point,
                extensions,
                reason,
            });
            let refused = refused.chunks(1).filter_map(move |extensions| {
                let refusal = extensions[0].refusal(rules)?;
                Some(LeftOut {
                    point,
                    extensions,
                    reason: LeftOutReason::Refused(refusal),
                })
            });
            waiting.into_iter().chain(refused)
        })
    }
}

/// An extension with the scripts of the packages that it takes from the shell.
fn with_shared(extension: &Arc<ExtensionManifest>, frame: &ShellFrame) -> Arc<ExtensionManifest> {
    let mut extension = Arc::clone(extension);
    for package in frame.shared(&Arc::clone(&extension).shared) {
        let extension = Arc::make_mut(&mut extension);
        extension.assets.extend_from_slice(&package.assets);
        extension.bytes += package.bytes;
    }
    extension
}

impl FilledPoint {
    /// How many extensions the point shows: the first ones.
    fn shown(&self) -> usize {
        self.max.unwrap_or(0).min(self.permitted)
    }
}
