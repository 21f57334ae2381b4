//! Releases and deployments as the gateway serves them: loaded from the store, validated and
//! indexed once.

mod deployment;
mod filled_points;
mod inline_style;
mod manifest;
mod navigation;
mod release;

pub use deployment::{LoadedCandidate, LoadedDeployment, UnavailableRelease};
pub use filled_points::{LeftOut, LeftOutReason};
pub use inline_style::InlineStyle;
pub use manifest::{Asset, AssetKind, ExtensionManifest, PageManifest, RemoteManifest, SectionEntry};
pub use navigation::Navigation;
pub use release::{
    LoadReleaseError, LoadedFile, LoadedRelease, PublishedAt, Role, SectionParts, SharedPackage, ShellFrame,
};
