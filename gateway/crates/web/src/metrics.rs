//! Helpers for metrics of all crates.

use std::fmt;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;

/// The names and values of labels. Labels with values of different types have structs.
pub type Labels<const N: usize, V = &'static str> = [(&'static str, V); N];

/// A metric family whose description is exposed even while the family is empty, so that `/metrics`
/// lists every metric from the start.
#[derive(Debug)]
pub struct Described<M>(pub M);

impl<M: EncodeMetric> EncodeMetric for Described<M> {
    fn encode(&self, encoder: MetricEncoder<'_>) -> fmt::Result {
        self.0.encode(encoder)
    }

    fn metric_type(&self) -> MetricType {
        self.0.metric_type()
    }
}

/// Registers metrics, each as `"name": metric, "help";` or, with a unit, as
/// `"name" in Unit: metric, "help";`. `/metrics` describes each of them from the start.
#[macro_export]
macro_rules! register_metrics {
    (@ $registry:expr, $name:literal, $help:literal, $metric:expr) => {
        $registry.register($name, $help, $metric)
    };
    (@ $registry:expr, $name:literal $unit:ident, $help:literal, $metric:expr) => {
        $registry.register_with_unit($name, $help, ::prometheus_client::registry::Unit::$unit, $metric)
    };
    ($registry:expr; $($name:literal $(in $unit:ident)?: $metric:expr, $help:literal;)*) => {
        $($crate::register_metrics!(
            @ $registry, $name $($unit)?, $help, $crate::metrics::Described($metric.clone())
        );)*
    };
}
