//! Renders the extensions of a page: what sections contribute to its extension points and to those of
//! the shell.
//!
//! An extension is rendered by jobs of its own, with the props that the page passes. One that fails
//! is left out of the document, which is cached for as long as nothing renders the extension again.

use std::sync::Arc;

use futures_util::future::join_all;

use colonnade_store::Store;

use crate::attempt::Attempt;
use crate::engine::Engine;
use crate::extension::{ExtensionOutcome, PlacedExtension, PlacedExtensions, RequestedExtension};
use crate::page::{Content, PageContent, Rendered};
use crate::request::RenderRequest;
use crate::validity::Validity;
use crate::why::Why;

/// The extensions of a rendered page, in order. The page may name only its own points, and those
/// of the shell.
pub(crate) fn requested<'a>(
    request: RenderRequest<'a>,
    content: &'a PageContent,
) -> Vec<RequestedExtension<'a>> {
    let share = request.started_at.elapsed();
    let requested = request.points().flat_map(move |point| {
        let props = content.points.get(point.as_str());
        let extensions = request.deployment.extensions(point).iter();
        props.into_iter().flat_map(move |props| {
            extensions.clone().map(move |manifest| RequestedExtension {
                manifest,
                props,
                share,
            })
        })
    });
    let mut requested: Vec<_> = requested.collect();
    let count = u32::try_from(requested.len()).unwrap_or(u32::MAX).max(1);
    for extension in &mut requested {
        extension.share /= count;
    }
    requested
}

/// Renders the extensions of a page at the same time, with the props that `usual` passes.
pub(crate) async fn extend(
    engine: &Arc<Engine>,
    store: &Store,
    request: RenderRequest<'_>,
    rendered: Rendered,
    usual: &PageContent,
) -> Rendered {
    let extensions = requested(request, usual);
    let parts = extensions
        .into_iter()
        .map(|extension| render(engine, store, request, extension));
    let parts = join_all(parts).await;
    if parts.is_empty() {
        return rendered;
    }
    let mut extensions = PlacedExtensions::new();
    let mut outcomes = Vec::new();
    let parts = parts.into_iter().map(|(shown, validity, outcome)| {
        let is_shown = shown.is_some();
        if let Some(shown) = shown {
            let of_point = extensions.entry(shown.manifest.point.clone());
            of_point.or_default().push(shown);
        }
        outcomes.push(outcome);
        (is_shown, validity)
    });
    let parts: Vec<_> = parts.collect();
    Rendered {
        page: rendered.page,
        validity: rendered.validity.with(&parts),
        extensions,
        outcomes: outcomes.into(),
    }
}

/// Renders an extension, unless it is cached. Returns it if the document has it, how long the
/// document may be used, and the outcome.
async fn render(
    engine: &Arc<Engine>,
    store: &Store,
    request: RenderRequest<'_>,
    extension: RequestedExtension<'_>,
) -> (Option<PlacedExtension>, Validity, ExtensionOutcome) {
    let shown = |content| PlacedExtension {
        manifest: Arc::clone(extension.manifest),
        content,
    };
    let outcome = |not_rendered| ExtensionOutcome {
        manifest: Arc::clone(extension.manifest),
        not_rendered,
    };
    let Some(mut attempt) = Attempt::new(engine, store, request, Some(extension)) else {
        return (Some(shown(None)), Validity::default(), outcome(None));
    };
    let why = match attempt.content().await {
        Ok((Content::Extension(content), validity)) => {
            let placed = content.map(|content| shown(Some(content)));
            return (placed, validity, outcome(None));
        }
        // The output of an extension is never a page.
        Ok((Content::Page(_), _)) => Why::Exception,
        Err(why) => why,
    };
    (None, attempt.validity_without_html(why), outcome(Some(why)))
}
