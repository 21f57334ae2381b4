//! Requests for documents.

use std::sync::Arc;

use http::StatusCode;
use jiff::civil::Date;

use colonnade_model::pattern::RequestPath;
use colonnade_render::{RenderOutcome, RenderRequest, Rendered, RenderedContent};
use colonnade_store::loaded::{LoadedDeployment, PageManifest};
use colonnade_web::client::ClientKey;

use crate::deployment_selection::DeploymentSelection;

/// A request for a document.
#[derive(Clone, Copy)]
pub struct DocumentRequest<'a> {
    /// The deployment that the visitor sees.
    pub selection: &'a DeploymentSelection<'a>,
    /// The page; `None` if no page matches the path.
    pub page: Option<&'a Arc<PageManifest>>,
    /// The requested path.
    pub path: Option<&'a RequestPath>,
    /// The client; `None` if the gateway warms its cache.
    pub client: Option<ClientKey>,
}

/// A request for a document that is refreshed in the background.
pub(super) struct RefreshRequest {
    deployment: Arc<LoadedDeployment>,
    page: Option<Arc<PageManifest>>,
    path: Option<RequestPath>,
    client: Option<ClientKey>,
}

impl<'a> DocumentRequest<'a> {
    /// Returns the canonical path to render. The not-found page is the same for all paths.
    pub(super) fn canonical_path(&self) -> String {
        let path = self.path.filter(|_| self.page.is_some());
        path.map_or("/".to_owned(), RequestPath::canonical)
    }

    pub(super) fn render_request(&self, path: &'a str, day: Date) -> RenderRequest<'a> {
        RenderRequest {
            deployment: self.selection.deployment,
            page: self.page.map(|page| &**page),
            path,
            day,
            client: self.client,
        }
    }

    /// Returns the status of a document with this outcome of its render.
    pub(super) fn status(&self, render: &RenderOutcome) -> StatusCode {
        let is_not_found = match render {
            Ok(Rendered { content, .. }) => match content {
                RenderedContent::Redirect(_) => return StatusCode::TEMPORARY_REDIRECT,
                RenderedContent::Page(page) => page.status == 404,
            },
            Err(_) => self.page.is_none(),
        };
        if is_not_found {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::OK
        }
    }

    /// Returns the same request, for the background.
    pub(super) fn for_refresh(&self) -> RefreshRequest {
        RefreshRequest {
            deployment: Arc::clone(self.selection.deployment),
            page: self.page.cloned(),
            path: self.path.cloned(),
            client: self.client,
        }
    }
}

impl RefreshRequest {
    /// Returns what selects the deployment. A document does not depend on why it was selected, unless it is a preview,
    /// which is never refreshed.
    pub(super) fn selection(&self) -> DeploymentSelection<'_> {
        DeploymentSelection::live(&self.deployment)
    }

    /// Returns the request with this selection.
    pub(super) fn request<'a>(&'a self, selection: &'a DeploymentSelection<'a>) -> DocumentRequest<'a> {
        DocumentRequest {
            selection,
            page: self.page.as_ref(),
            path: self.path.as_ref(),
            client: self.client,
        }
    }
}
