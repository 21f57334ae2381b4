//! Server rendering: renders the shell and a section as one React tree in a sandboxed worker
//! process, and the extensions of a page each on its own.
//!
//! A failed render is not an error for visitors: the document is sent without HTML, and the browser
//! renders it.

mod attempt;
mod circuit_breaker;
mod engine;
mod examples;
mod extend;
mod extension;
mod extension_html;
mod history;
mod job;
pub mod metrics;
mod navigation;
mod page;
mod part;
mod problem;
mod process;
mod protocol;
mod queries;
mod renderer;
mod request;
mod requested;
mod results;
mod section_examples;
mod site_url;
mod site_values;
mod trial;
mod validity;
mod why;
mod worker;
mod workers;

pub use extension::{
    ExtensionContent, ExtensionOutcome, ExtensionOutcomes, PlacedExtension, PlacedExtensions,
};
pub use history::RenderStatistics;
pub use navigation::NavigationLink;
pub use page::{Alternate, Breadcrumb, Page, PageContent, PageHead, Rendered};
pub use queries::QuerySource;
pub use renderer::Renderer;
pub use request::RenderRequest;
pub use requested::RequestedRenders;
pub use site_values::{SectionConfig, SiteValues};
pub use trial::{Trial, TrialReport, TrialResults};
pub use validity::{Lifetime, Validity};
pub use why::Why;
pub use worker::main as worker;
