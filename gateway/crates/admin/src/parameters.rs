//! The parameters in the path of a call.

use matchit::Params;

use colonnade_model::release::ReleaseId;
use colonnade_model::schema::{Integer, Name, Number, Version};

use crate::error::AdminError;

/// The decoded parameters in the path; empty or 0 if the route has none.
#[derive(Default)]
pub(crate) struct Parameters {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) number: u64,
}

impl Parameters {
    /// The decoded parameters.
    pub(crate) fn parse(params: &Params<'_, '_>) -> Result<Self, AdminError> {
        let mut parameters = Self::default();
        for (key, value) in params.iter() {
            let text = value.to_owned();
            match key {
                "name" => Name(parameters.name) = text.try_into().map_err(AdminError::Parameter)?,
                "version" => Version(parameters.version) = text.try_into().map_err(AdminError::Parameter)?,
                _ => {
                    let number = text.parse().map_or(Integer(0), Integer);
                    let number = number
                        .try_into()
                        .map_err(|problem: &str| AdminError::Parameter(problem.to_owned()));
                    Number(parameters.number) = number?;
                }
            }
        }
        Ok(parameters)
    }

    /// The release that the path names.
    pub(crate) fn release(self) -> ReleaseId {
        let Self { name, version, .. } = self;
        ReleaseId { name, version }
    }
}
