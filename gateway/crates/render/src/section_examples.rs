//! Trial renders of pages and extensions with the examples of their own section: paths or props, with
//! results of the queries.

use std::sync::Arc;

use serde_json::value::RawValue;

use colonnade_model::release::{Examples, ExtensionExample, PageExample, ReleaseId};
use colonnade_store::Store;
use colonnade_store::loaded::{ExtensionManifest, LoadedDeployment, LoadedRelease, PageManifest, Role};

use crate::attempt::Attempt;
use crate::extension::{PointProps, RequestedExtension};
use crate::page::Output;
use crate::renderer::Renderer;
use crate::request::RenderRequest;
use crate::results::Results;
use crate::site_values::SiteValues;
use crate::why::Failure;

/// An example of a section of a deployment.
#[derive(Clone, Copy)]
pub(crate) struct SectionExample<'a> {
    /// The release that has it.
    pub(crate) section: &'a ReleaseId,
    subject: ExampleSubject<'a>,
}

#[derive(Clone, Copy)]
enum ExampleSubject<'a> {
    Page(&'a PageManifest, &'a PageExample),
    Extension(&'a Arc<ExtensionManifest>, &'a ExtensionExample),
}

impl<'a> SectionExample<'a> {
    /// The examples of a release.
    pub(crate) fn all_of(
        release: &'a LoadedRelease,
        examples: &'a Examples,
    ) -> impl Iterator<Item = SectionExample<'a>> {
        let parts = match &release.role {
            Role::Section(parts) => Some(parts),
            Role::Shell(_) => None,
        };
        let subjects = parts.into_iter().flat_map(|parts| {
            let pages = examples.pages.iter().filter_map(|example| {
                let mut pages = parts.pages.iter().map(|(_, page)| page);
                let page = pages.find(|page| page.pattern == example.pattern)?;
                Some(ExampleSubject::Page(page, example))
            });
            let extensions = examples.extensions.iter().filter_map(|example| {
                let mut extensions = parts.extensions.iter();
                let manifest = extensions.find(|extension| extension.point == example.point)?;
                Some(ExampleSubject::Extension(manifest, example))
            });
            pages.chain(extensions)
        });
        let section = &release.id;
        subjects.map(move |subject| Self { section, subject })
    }

    fn results(self) -> &'a RawValue {
        match self.subject {
            ExampleSubject::Page(_, example) => &example.results,
            ExampleSubject::Extension(_, example) => &example.results,
        }
    }

    pub(crate) fn describe(self, Failure { message, .. }: &Failure) -> String {
        let section = self.section;
        match self.subject {
            ExampleSubject::Page(PageManifest { pattern, .. }, PageExample { path, source, .. }) => {
                let source = in_parentheses(source.as_deref());
                format!(
                    "rendering {path} (page {pattern} of {section}) with the results of its example{source} failed: {message}"
                )
            }
            ExampleSubject::Extension(_, ExtensionExample { point, source, .. }) => {
                let source = in_parentheses(source.as_deref());
                format!(
                    "rendering `{point}` (extension of {section}) with its own example{source} failed: {message}"
                )
            }
        }
    }
}

/// The position of an example in a message; empty if it is unknown.
pub(crate) fn in_parentheses(source: Option<&str>) -> String {
    source.map_or_else(String::new, |source| format!(" ({source})"))
}

impl Renderer {
    /// Why an example fails; `None` if it does not, or if it also fails in `live`, which has the same
    /// release.
    pub(crate) async fn example_failure(
        &self,
        store: &Store,
        example: SectionExample<'_>,
        (deployment, live): (&LoadedDeployment, Option<&LoadedDeployment>),
        site: &SiteValues,
    ) -> Option<Failure> {
        let failure = self.try_example(store, example, deployment, site).await.err()?;
        let same = live.filter(|live| {
            let release = live.release(&example.section.name);
            release.is_some_and(|release| release.id == *example.section)
        });
        if let Some(live) = same {
            let before = self.try_example(store, example, live, site).await;
            if before.is_err_and(|failure| failure.why.blames_release()) {
                return None;
            }
        }
        Some(failure)
    }

    /// Renders a page or an extension with an example. What has no queries needs no results.
    async fn try_example(
        &self,
        store: &Store,
        example: SectionExample<'_>,
        deployment: &LoadedDeployment,
        site: &SiteValues,
    ) -> Result<(), Failure> {
        let props;
        let (page, path, extension) = match example.subject {
            ExampleSubject::Page(page, PageExample { path, .. }) => (Some(page), &**path, None),
            ExampleSubject::Extension(manifest, ExtensionExample { props: json, .. }) => {
                props = PointProps::of_example(json);
                (None, "/", Some(RequestedExtension::of_example(manifest, &props)))
            }
        };
        let request = RenderRequest::without_client(deployment, page, path, site);
        let engine = self.engine.as_ref();
        let attempt = engine.and_then(|engine| Attempt::new(engine, store, request, extension));
        let Some(attempt) = attempt else {
            return Ok(());
        };
        let Output::Queries(queries) = attempt.trial_output(None).await? else {
            return Ok(());
        };
        let results = Results::of_example(queries, example.results());
        attempt.try_results(&results).await
    }
}
