//! The outcome of a render request.

use colonnade_web::client::ClientKey;

use crate::page::RenderedContent;
use crate::results::{Lifetime, ResultsId};

/// A rendered page, or why there is none.
pub type RenderOutcome = Result<Rendered, NotRendered>;

/// What was rendered.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The content.
    pub content: RenderedContent,
    /// How long it may be used.
    pub lifetime: Lifetime,
    /// The results it was rendered with; `None` for a page without queries.
    pub results: Option<ResultsId>,
    /// The client whose limits are the reason that a query failed. Other clients may get all results.
    pub rejected_client: Option<ClientKey>,
}

/// Why a page was not rendered. The browser renders it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotRendered {
    /// Server rendering is disabled, or a release has no server modules. The browser always renders the page.
    BrowserOnly,
    /// The render failed. The next one may succeed.
    Failed,
    /// The circuit breaker is open.
    CircuitOpen,
    /// No worker rendered it, whatever its releases do.
    Unavailable,
    /// A limit of this client is the reason: the queue is full, and its network holds no less than others; or the render failed
    /// with a result that was rejected. Another client may get the page.
    ClientLimited(ClientKey),
}

impl Rendered {
    /// The content of a page without queries.
    pub(super) fn without_queries(content: RenderedContent) -> Self {
        Self {
            content,
            lifetime: Lifetime::Unlimited,
            results: None,
            rejected_client: None,
        }
    }
}
