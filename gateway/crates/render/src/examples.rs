//! Trial renders of extensions, with the examples of the points that they fill.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Map, Value};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};

use colonnade_model::release::{ExtensionPoint, ReleaseId};
use colonnade_store::Store;
use colonnade_store::loaded::{ExtensionManifest, LoadedDeployment, LoadedRelease};

use crate::attempt::Attempt;
use crate::extension::{PointProps, RequestedExtension};
use crate::problem::{MAX_PROBLEMS, Problem, TrialKey, not_tried};
use crate::renderer::Renderer;
use crate::request::{ReleasePair, RenderRequest};
use crate::section_examples::in_parentheses;
use crate::site_values::SiteValues;
use crate::why::{Failure, Why};

/// The most characters of an example in a message.
const MAX_EXAMPLE_CHARS: usize = 200;

/// How long extensions are tried with the examples of points that are not published.
const MAX_TRYING: Duration = Duration::from_secs(20);

/// Props to test extensions with.
type Example = Map<String, Value>;

/// An extension of a set, and the point that it fills.
#[derive(Clone, Copy)]
pub(crate) struct TrialExtension<'a> {
    deployment: &'a LoadedDeployment,
    section: &'a ReleaseId,
    manifest: &'a Arc<ExtensionManifest>,
    /// The release that opens the point.
    owner: &'a ReleaseId,
    point: &'a ExtensionPoint,
}

impl<'a> TrialExtension<'a> {
    /// The extensions of a set, those that are too many for their point among them.
    pub(crate) fn all_of(deployment: &'a LoadedDeployment) -> impl Iterator<Item = Self> {
        let points = deployment.releases.iter().flat_map(|owner| {
            let points = owner.extension_points.iter();
            points.map(move |point| (&owner.id, point))
        });
        points.flat_map(move |(owner, point)| {
            let filling = deployment.filling(&point.reference()).iter();
            filling.filter_map(move |manifest| Self::of(deployment, manifest, (owner, point)))
        })
    }

    /// An extension of a set with the point that it fills, and the release that opens the point.
    fn of(
        deployment: &'a LoadedDeployment,
        manifest: &'a Arc<ExtensionManifest>,
        (owner, point): (&'a ReleaseId, &'a ExtensionPoint),
    ) -> Option<Self> {
        Some(Self {
            deployment,
            section: &deployment.release(&manifest.section.name)?.id,
            manifest,
            owner,
            point,
        })
    }

    /// What the section of the extension has for the same point in another set.
    fn in_set(self, set: &LoadedDeployment) -> Option<TrialExtension<'_>> {
        TrialExtension::all_of(set).find(|other| {
            other.manifest.point == self.manifest.point && other.section.name == self.section.name
        })
    }

    /// Whether a trial renders it. Those that operators refuse are tried only for their own section.
    pub(crate) fn is_tried(self, live: Option<&LoadedDeployment>) -> bool {
        let live = live.and_then(|live| live.release(&self.section.name));
        let is_live = live.is_some_and(|live| live.id == *self.section);
        let rules = &self.deployment.rules;
        !is_live
            || rules
                .refusal(&self.section.name, self.manifest.point.id())
                .is_none()
    }

    /// The releases whose trial it is part of. A live one whose point it fills only lends examples.
    pub(crate) fn releases(self, live: Option<&LoadedDeployment>) -> impl Iterator<Item = &'a ReleaseId> {
        let live = live.and_then(|live| live.release(&self.owner.name));
        let is_live = live.is_some_and(|live| live.id == *self.owner);
        [self.section].into_iter().chain((!is_live).then_some(self.owner))
    }

    /// What has been tried, once this is rendered; `None` without a shell.
    pub(crate) fn tried(self) -> Option<TrialKey> {
        let pair = ReleasePair::of(self.deployment, &self.section.name)?;
        Some((pair, Some(self.owner.clone())))
    }

    /// Where the sources of the release that opens the point have an example, for messages.
    async fn source_of(self, index: usize, store: &Store) -> String {
        let release = self.deployment.release(&self.owner.name);
        let Some(release) = release.filter(|release| release.id == *self.owner) else {
            return String::new();
        };
        let examples = release.examples(store).await.unwrap_or_default();
        in_parentheses(examples.source_of(&self.manifest.point, index))
    }

    fn describe(
        self,
        (index, example): (usize, &Example),
        source: &str,
        Failure { message, .. }: &Failure,
    ) -> String {
        let mut example = Value::from(example.clone()).to_string();
        if let Some((end, _)) = example.char_indices().nth(MAX_EXAMPLE_CHARS) {
            example.replace_range(end.., "…");
        }
        let Self {
            section,
            manifest,
            owner,
            ..
        } = self;
        let (point, number) = (&manifest.point, index + 1);
        format!(
            "rendering `{point}` (extension of {section}) with example {number} of {owner}{source}, `{example}`, failed: {message}"
        )
    }
}

/// Whether a failure has ended a worker, which costs more than another one.
fn exceeds_limit(failure: &Failure) -> bool {
    matches!(failure.why, Why::CpuLimit | Why::MemoryLimit)
}

impl Renderer {
    /// Renders the extensions that a set shows, and that this gateway has not rendered, with the
    /// first example of their point. Then documents wait for as long as an extension takes, or not
    /// at all if it fails.
    pub async fn try_unknown(&self, store: &Store, set: &LoadedDeployment) {
        let Some(engine) = &self.engine else {
            return;
        };
        let site = engine.site.load_full();
        let request = RenderRequest::without_client(set, None, "/", &site);
        let is_known = |extension: &ExtensionManifest| {
            let release = set.release(&extension.section.name);
            let statistics =
                |release: &LoadedRelease| engine.history.statistics(&release.id, &extension.point);
            release.is_some_and(|release| statistics(release).renders > 0)
        };
        let points = set.releases.iter().flat_map(|release| &release.extension_points);
        let points = points
            .filter_map(|point| Some((point.reference(), PointProps::of_example(point.examples.first()?))));
        let points: Vec<_> = points.collect();
        let shown = points.iter().flat_map(|(point, props)| {
            let extensions = set.extensions(point).iter();
            extensions.map(move |manifest| RequestedExtension::of_example(manifest, props))
        });
        let unknown = shown.filter(|extension| !is_known(extension.manifest));
        let tries = unknown
            .filter_map(|extension| Attempt::new(engine, store, request, Some(extension)))
            .map(Attempt::try_postponed);
        // At the same time, so that one that loops does not delay the others.
        join_all(tries).await;
    }

    /// Renders the extensions of a set, except those of `owner`, with the examples of points that a release
    /// of `owner` would open. Returns a problem for each that newly fails, as a trial of the release
    /// does; `None` if the gateway has no worker or time for all of them.
    pub async fn try_points(
        &self,
        store: &Store,
        live: &LoadedDeployment,
        owner: &ReleaseId,
        points: &[ExtensionPoint],
    ) -> Option<Vec<String>> {
        let Some(engine) = &self.engine else {
            return Some(Vec::new());
        };
        let deadline = Instant::now() + MAX_TRYING;
        let site = engine.site.load_full();
        let mut extensions = Vec::new();
        for point in points {
            let filling = live.filling(&point.reference()).iter();
            extensions
                .extend(filling.filter_map(|manifest| TrialExtension::of(live, manifest, (owner, point))));
        }
        extensions.retain(|extension| extension.section.name != owner.name && extension.is_tried(Some(live)));
        let mut problems = Vec::new();
        let mut untried = extensions.len();
        for extension in extensions {
            untried -= 1;
            let failure = self.new_failure(store, extension, Some(live), &site);
            let Some((example, failure)) = timeout_at(deadline, failure).await.ok()? else {
                continue;
            };
            if !failure.why.blames_release() {
                return None;
            }
            problems.push(extension.describe(example, "", &failure));
            if problems.len() == MAX_PROBLEMS && untried > 0 {
                problems.push(not_tried(untried));
                break;
            }
        }
        Some(problems)
    }

    /// Renders an extension with the examples of its point, up to the first with which it newly fails.
    pub(crate) async fn extension_problem(
        &self,
        store: &Store,
        extension: TrialExtension<'_>,
        live: Option<&LoadedDeployment>,
        site: &SiteValues,
    ) -> Option<Problem> {
        let (example, failure) = self.new_failure(store, extension, live, site).await?;
        let source = extension.source_of(example.0, store).await;
        Some(Problem {
            releases: extension.releases(live).cloned().collect(),
            text: extension.describe(example, &source, &failure),
        })
    }

    /// The first example of its point with which an extension newly fails, and its index. It is no new
    /// failure if it also fails with this example in `live`. With an example that the point of `live`
    /// does not have, it fails there if it fails with all others. After a limit that is no new failure
    /// it is not tried again.
    async fn new_failure<'a>(
        &self,
        store: &Store,
        extension: TrialExtension<'a>,
        live: Option<&LoadedDeployment>,
        site: &SiteValues,
    ) -> Option<((usize, &'a Example), Failure)> {
        let before = live.and_then(|live| extension.in_set(live));
        let failing_before = OnceCell::new();
        for (index, example) in extension.point.examples.iter().enumerate() {
            let Err(failure) = self.render_example(store, extension, example, site).await else {
                continue;
            };
            if let Some(before) = before {
                let failing = failing_before.get_or_init(|| self.failing_examples(store, before, site));
                let (failing, examples) = (failing.await, &before.point.examples);
                let fails_with_all = failing.len() == examples.len();
                if failing.contains(&example) || fails_with_all && !examples.contains(example) {
                    if exceeds_limit(&failure) {
                        return None;
                    }
                    continue;
                }
            }
            return Some(((index, example), failure));
        }
        None
    }

    /// The examples with which an extension fails. One that exceeds a limit is not tried with others:
    /// it counts as failing with all.
    async fn failing_examples<'a>(
        &self,
        store: &Store,
        extension: TrialExtension<'a>,
        site: &SiteValues,
    ) -> Vec<&'a Example> {
        let mut failing = Vec::new();
        for example in &extension.point.examples {
            let outcome = self.render_example(store, extension, example, site).await;
            let Err(failure) = outcome else {
                continue;
            };
            if exceeds_limit(&failure) {
                return extension.point.examples.iter().collect();
            }
            if failure.why.blames_release() {
                failing.push(example);
            }
        }
        failing
    }

    async fn render_example(
        &self,
        store: &Store,
        extension: TrialExtension<'_>,
        example: &Example,
        site: &SiteValues,
    ) -> Result<(), Failure> {
        let request = RenderRequest::without_client(extension.deployment, None, "/", site);
        let props = PointProps::of_example(example);
        let extension = RequestedExtension::of_example(extension.manifest, &props);
        self.render_if_uncached(store, request, Some(extension)).await
    }
}
