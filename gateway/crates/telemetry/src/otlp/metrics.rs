//! The metrics of a registry as messages of OTLP.
//!
//! They are read from the text that the registry writes, because its values have no other way out. A
//! metric keeps the name that Prometheus gives it.

use opentelemetry::KeyValue;
use opentelemetry_proto::tonic::Attributes;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, Sum,
};
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

/// From when to when counters and histograms count, in nanoseconds since the Unix epoch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    /// The start of the process.
    pub(super) start: u64,
    /// Now.
    pub(super) end: u64,
}

/// Returns the metrics that have samples.
pub(super) fn metrics(registry: &Registry, period: Period) -> Vec<Metric> {
    let mut text = String::new();
    // Writing to memory cannot fail.
    let _ = text::encode(&mut text, registry);
    let mut metrics = Vec::<Metric>::new();
    for line in text.lines() {
        if let Some((_, description)) = described(line, "# HELP ") {
            metrics.push(Metric {
                description: description.to_owned(),
                ..Metric::default()
            });
            continue;
        }
        let Some(metric) = metrics.last_mut() else {
            continue;
        };
        if let Some((name, kind)) = described(line, "# TYPE ") {
            start(metric, name, kind);
        } else if let Some((_, unit)) = described(line, "# UNIT ") {
            unit_code(unit).clone_into(&mut metric.unit);
        } else {
            let _ = add_sample(metric, line, period);
        }
    }
    metrics.retain(|metric| point_count(metric) > 0);
    metrics
}

/// The number of data points.
pub(super) fn point_count(metric: &Metric) -> usize {
    match &metric.data {
        Some(Data::Gauge(gauge)) => gauge.data_points.len(),
        Some(Data::Sum(sum)) => sum.data_points.len(),
        Some(Data::Histogram(histogram)) => histogram.data_points.len(),
        _ => 0,
    }
}

/// The name and the text of a line that describes a metric.
fn described<'t>(line: &'t str, start: &str) -> Option<(&'t str, &'t str)> {
    line.strip_prefix(start)?.split_once(' ')
}

/// The code of a unit in UCUM.
fn unit_code(unit: &str) -> &str {
    match unit {
        "seconds" => "s",
        "bytes" => "By",
        other => other,
    }
}

fn start(metric: &mut Metric, name: &str, kind: &str) {
    let cumulative = AggregationTemporality::Cumulative.into();
    let (suffix, data) = match kind {
        "counter" => {
            let sum = Sum {
                aggregation_temporality: cumulative,
                is_monotonic: true,
                ..Sum::default()
            };
            ("_total", Data::Sum(sum))
        }
        "histogram" => {
            let histogram = Histogram {
                aggregation_temporality: cumulative,
                ..Histogram::default()
            };
            ("", Data::Histogram(histogram))
        }
        "info" => ("_info", Data::Gauge(Gauge::default())),
        _ => ("", Data::Gauge(Gauge::default())),
    };
    metric.name = format!("{name}{suffix}");
    metric.data = Some(data);
}

fn add_sample(metric: &mut Metric, line: &str, period: Period) -> Option<()> {
    let (name, rest) = line.split_at(line.find(['{', ' '])?);
    let (labels, value) = split_labels(rest)?;
    let value = value.trim();
    match metric.data.as_mut()? {
        Data::Gauge(gauge) => gauge.data_points.push(number(labels, value, period)?),
        Data::Sum(sum) => {
            let point = number(labels, value, period)?;
            let start_time_unix_nano = period.start;
            sum.data_points.push(NumberDataPoint {
                start_time_unix_nano,
                ..point
            });
        }
        Data::Histogram(histogram) => {
            let part = name.strip_prefix(&metric.name)?;
            add_part(&mut histogram.data_points, part, (labels, value), period)?;
        }
        _ => {}
    }
    Some(())
}

/// Reads the labels at the start of a text, and returns them and the rest.
fn split_labels(text: &str) -> Option<(Vec<KeyValue>, &str)> {
    let mut labels = Vec::new();
    let Some(mut rest) = text.strip_prefix('{') else {
        return Some((labels, text));
    };
    loop {
        if let Some(value) = rest.strip_prefix('}') {
            return Some((labels, value));
        }
        let (key, quoted) = rest.trim_start_matches(',').split_once("=\"")?;
        let (value, behind) = unquote(quoted)?;
        labels.push(KeyValue::new(key.to_owned(), value));
        rest = behind;
    }
}

/// Reads a text up to the quotation mark that ends it, and returns what is behind that.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some((text, characters.as_str())),
            '\\' => match characters.next()? {
                'n' => text.push('\n'),
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
}

fn number(labels: Vec<KeyValue>, value: &str, period: Period) -> Option<NumberDataPoint> {
    let value = match value.parse() {
        Ok(integer) => Value::AsInt(integer),
        Err(_) => Value::AsDouble(value.parse().ok()?),
    };
    Some(NumberDataPoint {
        attributes: Attributes::from(labels).0,
        time_unix_nano: period.end,
        value: Some(value),
        ..NumberDataPoint::default()
    })
}

/// Adds a sample of a histogram. Those of a data point follow each other: its sum, its count and its
/// buckets, whose counts include those of the buckets before.
fn add_part(
    points: &mut Vec<HistogramDataPoint>,
    part: &str,
    (mut labels, value): (Vec<KeyValue>, &str),
    period: Period,
) -> Option<()> {
    if part == "_sum" {
        points.push(HistogramDataPoint {
            attributes: Attributes::from(labels).0,
            start_time_unix_nano: period.start,
            time_unix_nano: period.end,
            sum: Some(value.parse().ok()?),
            ..HistogramDataPoint::default()
        });
        return Some(());
    }
    let point = points.last_mut()?;
    let count: u64 = value.parse().ok()?;
    if part == "_count" {
        point.count = count;
        return Some(());
    }
    let bound = labels.iter().position(|label| label.key.as_str() == "le")?;
    let bound: f64 = labels.swap_remove(bound).value.as_str().parse().ok()?;
    if bound.is_finite() {
        point.explicit_bounds.push(bound);
    }
    let before: u64 = point.bucket_counts.iter().sum();
    point.bucket_counts.push(count - before);
    Some(())
}

#[cfg(test)]
mod tests {
    use opentelemetry_proto::tonic::metrics::v1::metric::Data;
    use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
    use prometheus_client::metrics::counter::Counter;
    use prometheus_client::metrics::family::Family;
    use prometheus_client::metrics::gauge::Gauge;
    use prometheus_client::metrics::histogram::Histogram;
    use prometheus_client::registry::{Registry, Unit};

    use super::{Period, metrics};

    #[test]
    fn each_type_of_metric_keeps_its_values_and_labels() {
        let mut registry = Registry::default();
        let family = Family::<Vec<(&str, String)>, Counter>::default();
        let odd = "a\"b\\c}\nd,e=\"f\" 1".to_owned();
        for (label, count) in [(odd.clone(), 7), ("plain".to_owned(), 8)] {
            family.get_or_create(&vec![("x", label)]).inc_by(count);
        }
        registry.register("odd", "Odd things", family);
        registry.register("none", "Nothing", Family::<Vec<(&str, String)>, Gauge>::default());
        let gauge = Gauge::<f64, std::sync::atomic::AtomicU64>::default();
        gauge.set(-0.5);
        registry.register_with_unit("size", "A size", Unit::Bytes, gauge);
        let histogram = Histogram::new([0.5, 2.0]);
        for value in [0.25, 0.25, 1.0, 9.0] {
            histogram.observe(value);
        }
        registry.register_with_unit("duration", "A duration", Unit::Seconds, histogram);
        let read = metrics(&registry, Period { start: 1, end: 2 });
        let [odd_things, size, duration] = &read[..] else {
            panic!("{read:#?}");
        };
        assert_eq!(
            (&*odd_things.name, &*odd_things.description),
            ("odd_total", "Odd things.")
        );
        let Some(Data::Sum(sum)) = &odd_things.data else {
            panic!("{odd_things:?}");
        };
        assert!(sum.is_monotonic && sum.data_points.len() == 2, "{sum:?}");
        let of_odd = sum
            .data_points
            .iter()
            .find(|point| point.value == Some(Value::AsInt(7)));
        let point = of_odd.expect("a point");
        assert_eq!((point.start_time_unix_nano, point.time_unix_nano), (1, 2));
        assert!(
            format!("{:?}", point.attributes).contains(&format!("{odd:?}")),
            "{point:?}"
        );
        assert_eq!((&*size.name, &*size.unit), ("size_bytes", "By"));
        let Some(Data::Gauge(gauge)) = &size.data else {
            panic!("{size:?}");
        };
        assert_eq!(gauge.data_points[0].value, Some(Value::AsDouble(-0.5)));
        assert_eq!((&*duration.name, &*duration.unit), ("duration_seconds", "s"));
        let Some(Data::Histogram(histogram)) = &duration.data else {
            panic!("{duration:?}");
        };
        let point = &histogram.data_points[0];
        assert_eq!((point.count, point.sum), (4, Some(10.5)));
        assert_eq!(point.explicit_bounds, [0.5, 2.0]);
        assert_eq!(point.bucket_counts, [2, 1, 1]);
    }
}
