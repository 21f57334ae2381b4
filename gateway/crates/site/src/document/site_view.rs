//! What documents contain of the configuration: `site` and the configuration of sections. A reload
//! of the configuration replaces most of it.

use std::sync::Arc;

use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use colonnade_config::{Budget, BuildTarget, Config, ExtensionPoints};
use colonnade_model::language::Language;
use colonnade_model::release::NavigationList;
use colonnade_render::SiteValues;
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::plain_page::{FooterLink, PlainFrame};

use crate::integrations::for_sections;

/// What documents contain of the configuration.
#[derive(Debug)]
pub struct SiteView {
    /// The site's name.
    pub(crate) brand: Arc<str>,
    /// The language of pages that name no other.
    pub(crate) language: Language,
    /// What sections read.
    pub(super) values: Arc<SiteValues>,
    /// The size budgets, and those of the extensions of single points.
    budget: (Budget, ExtensionPoints),
    /// The members of `site` that only a restart changes.
    fixed: Value,
}

impl SiteView {
    /// What documents contain of this configuration.
    pub fn new(config: &Config) -> Self {
        let fixed = json!({
            "origin": config.site.origin.as_str(),
            "logsClientIp": config.telemetry.log_client_ip,
            "integrations": for_sections(config),
        });
        Self::with(fixed, config)
    }

    /// This view with what a reload of this configuration changes. What is equal stays the
    /// same instance, so that what is cached with it stays valid.
    #[must_use]
    pub fn reloaded(&self, config: &Config) -> Self {
        let mut view = Self::with(self.fixed.clone(), config);
        if has_same_values(&self.values, &view.values) {
            view.values = Arc::clone(&self.values);
        }
        view
    }

    fn with(fixed: Value, config: &Config) -> Self {
        let site = &config.site;
        let mut value = fixed.clone();
        value["brand"] = json!(&*site.brand);
        value["contact"] = json!(site.contact);
        value["language"] = json!(site.language);
        value["facts"] = json!(site.facts);
        let sections = config.sections.iter();
        let configured = sections.filter(|(_, settings)| !settings.config.is_empty());
        let configs = configured.map(|(name, settings)| {
            let config = to_raw_value(&settings.config).expect("all keys of facts are strings");
            (name.clone(), Arc::from(config))
        });
        Self {
            brand: Arc::clone(&site.brand),
            language: site.language.clone(),
            values: SiteValues::new(
                value,
                config.navigation.clone(),
                configs.collect(),
                config.policy.clone(),
            ),
            budget: (config.budget.clone(), config.extension_points.clone()),
            fixed,
        }
    }

    /// What the build of a section must fit into while this deployment is live.
    pub(crate) fn build_target(&self, section: &str, live: Option<&Arc<LoadedDeployment>>) -> BuildTarget {
        let (budget, points) = &self.budget;
        let shared = live.map(|live| live.shared());
        BuildTarget::new(
            budget,
            points,
            &self.values.policy,
            section,
            shared.unwrap_or_default(),
        )
    }

    /// What the gateway's own pages have around their content while this deployment is live.
    pub(crate) fn frame(&self, live: Option<&Arc<LoadedDeployment>>) -> PlainFrame {
        let links = live.map(|live| self.values.links(live, NavigationList::Footer));
        let links = links.unwrap_or_default().into_iter().map(|link| FooterLink {
            label: link.label.to_owned(),
            path: link.path.to_owned(),
        });
        PlainFrame {
            brand: Arc::clone(&self.brand),
            footer: links.collect(),
            language: if self.language.is_english() {
                Box::default()
            } else {
                format!(" {}", self.language.attributes()).into()
            },
        }
    }

    /// What sections read.
    pub fn values(&self) -> &Arc<SiteValues> {
        &self.values
    }
}

fn has_same_values(one: &SiteValues, other: &SiteValues) -> bool {
    let [configs, other_configs] = [one, other].map(|values| {
        let configs = values.configs.iter();
        configs.map(|(name, config)| (name, config.get()))
    });
    one.site == other.site
        && one.navigation == other.navigation
        && one.policy == other.policy
        && configs.eq(other_configs)
}
