//! Who fills the extension points of a set.

use std::collections::BTreeMap;
use std::sync::Arc;

use colonnade_model::release::PointReference;

use super::manifest::ExtensionManifest;
use super::release::{LoadedRelease, Role};

/// The extensions of a set, by the point that they fill.
#[derive(Debug, Default)]
pub(super) struct FilledPoints(BTreeMap<PointReference, FilledPoint>);

/// The extensions of one point.
#[derive(Debug, Default)]
struct FilledPoint {
    /// All of them, in the order in which they are shown.
    extensions: Vec<Arc<ExtensionManifest>>,
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
    /// How many others the point shows. `None` if no release of the set opens the point in this
    /// version.
    pub max: Option<usize>,
}

impl FilledPoints {
    /// Of the set of these releases.
    pub(super) fn of(releases: &[Arc<LoadedRelease>]) -> Self {
        let mut points = BTreeMap::<_, FilledPoint>::new();
        for release in releases {
            if let Role::Section(parts) = &release.role {
                for extension in &parts.extensions {
                    let point = points.entry(extension.point.clone()).or_default();
                    point.extensions.push(Arc::clone(extension));
                }
            }
        }
        for opened in releases.iter().flat_map(|release| &release.extension_points) {
            if let Some(point) = points.get_mut(&opened.reference()) {
                point.max = Some(opened.max.into());
            }
        }
        for point in points.values_mut() {
            let extensions = &mut point.extensions;
            extensions.sort_by(|one, other| {
                let names = || one.section.name.cmp(&other.section.name);
                one.order.cmp(&other.order).then_with(names)
            });
        }
        Self(points)
    }

    /// The extensions that a point shows, in order.
    pub(super) fn shown(&self, point: &PointReference) -> &[Arc<ExtensionManifest>] {
        self.0.get(point).map_or(&[], |point| point.split().0)
    }

    /// All extensions of a point.
    pub(super) fn all(&self, point: &PointReference) -> &[Arc<ExtensionManifest>] {
        self.0.get(point).map_or(&[], |point| &point.extensions)
    }

    /// The extensions that no page shows.
    pub(super) fn left_out(&self) -> impl Iterator<Item = LeftOut<'_>> {
        let left_out = self.0.iter().map(|(reference, point)| LeftOut {
            point: reference,
            extensions: point.split().1,
            max: point.max,
        });
        left_out.filter(|left_out| !left_out.extensions.is_empty())
    }
}

impl FilledPoint {
    /// The extensions that the point shows, and the others.
    fn split(&self) -> (&[Arc<ExtensionManifest>], &[Arc<ExtensionManifest>]) {
        let shown = self.max.unwrap_or(0).min(self.extensions.len());
        self.extensions.split_at(shown)
    }
}
