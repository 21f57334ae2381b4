//! The gateways of the store: each writes its state there, and all can be read at any of them.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use tokio::time::{MissedTickBehavior, interval};
use utoipa::ToSchema;

use colonnade_model::fleet::{GatewayState, WorkerCount};
use colonnade_store::KnownGateway;
use colonnade_web::response::{Response, json};

use crate::{Admin, AdminError, gateway};

/// How often a gateway writes its state. In a bucket, each write costs a request.
const INTERVAL: Duration = Duration::from_mins(1);

/// The age of a state whose gateway counts as missing: it has left out two writes.
const MISSING_AFTER: Duration = Duration::from_mins(3);

/// A gateway of the store.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Gateway {
    /// The ID of its process.
    id: String,
    /// Whether this gateway sent the response.
    own: bool,
    /// When it wrote its state, by the clock of the store.
    #[schema(value_type = String, format = DateTime)]
    seen_at: Timestamp,
    /// Whether it has written nothing for three minutes: it has ended, or cannot reach the store.
    missing: bool,
    state: GatewayState,
}

/// List the gateways of the store
///
/// Each gateway writes its state every minute, and deletes it when it stops. One that was killed,
/// or that cannot reach the store, is listed as missing for a day. A read-only gateway writes no
/// state: only its own list has it.
#[utoipa::path(
    get, path = "/api/v1/gateways", tag = "health", operation_id = "listGateways",
    responses((status = 200, body = Vec<Gateway>, description = "The gateways, in ascending order by host.")),
)]
pub(super) async fn list(admin: &Admin) -> Result<Response, AdminError> {
    let id = admin.member.id.to_string();
    let known = admin.deployments.store().gateways().await?;
    let newest = known.iter().map(|known| known.written_at).max();
    let others = known.into_iter().filter(|known| known.id != id);
    let mut gateways: Vec<Gateway> = others.map(|known| of_other(known, newest)).collect();
    gateways.push(Gateway {
        id,
        own: true,
        seen_at: colonnade_clock::now(),
        missing: false,
        state: admin.state(),
    });
    gateways.sort_by(|a, b| (&a.state.host, &a.id).cmp(&(&b.state.host, &b.id)));
    Ok(json(StatusCode::OK, &gateways))
}

fn of_other(known: KnownGateway, newest: Option<Timestamp>) -> Gateway {
    let age = newest.map(|newest| newest.duration_since(known.written_at).unsigned_abs());
    Gateway {
        id: known.id,
        own: false,
        seen_at: known.written_at,
        missing: age.is_some_and(|age| age > MISSING_AFTER),
        state: known.state,
    }
}

impl Admin {
    /// Writes the state of this gateway to the store every minute, until it is aborted.
    pub async fn report_state(self: Arc<Self>) {
        let store = self.deployments.store();
        if store.check_writable().is_err() {
            return;
        }
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            // A store that fails is a problem of `/readyz`, and this gateway is missing meanwhile.
            let _ = store.write_gateway(self.member.id, &self.state()).await;
        }
    }

    /// Deletes the state of this gateway, which stops.
    pub async fn withdraw_state(&self) {
        let store = self.deployments.store();
        if store.check_writable().is_ok() {
            let _ = store.delete_gateway(self.member.id).await;
        }
    }

    fn state(&self) -> GatewayState {
        let deployments = &self.deployments;
        let (status, problems) = gateway::status(self);
        let process = (self.member.read)();
        let workers = deployments.render_workers();
        GatewayState {
            host: self.member.host.clone(),
            version: self.version.to_owned(),
            started_at: deployments.diagnostics().since,
            status: status.to_owned(),
            problems,
            store_problem: deployments.store_problem(),
            revision: deployments.current().revision(),
            memory: process.memory,
            certificate_expires_at: process.certificate_expires_at,
            workers: workers.map(|(available, configured)| WorkerCount {
                available,
                configured,
            }),
        }
    }
}
