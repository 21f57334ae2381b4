// Sums and lines of the traffic.
import type { TrafficPage, TrafficPoint } from "../openapi.js";
import type { Line } from "./LineChart.js";

type Track = "live" | "candidate" | "other";

/** The traffic of a section on one track. */
export interface Totals {
  readonly requests: number;
  readonly errors: number;
  readonly failures: number;
  /** The mean of the steps' 95th percentiles, weighted by requests; null without requests. */
  readonly p95: number | null;
}

function pointsOf(traffic: TrafficPage, section: string, track: Track): readonly TrafficPoint[] {
  return traffic.series.find((series) => series.section === section && series.track === track)?.points ?? [];
}

/** The traffic of sections on one track since a time. */
export function totalsOf(traffic: TrafficPage, sections: readonly string[], track: Track, since = 0): Totals {
  const first = Math.floor(since / 60_000);
  const points = sections
    .flatMap((section) => pointsOf(traffic, section, track))
    .filter(({ minute }) => minute >= first);
  const sum = (value: (point: TrafficPoint) => number): number =>
    points.reduce((total, point) => total + value(point), 0);
  const requests = sum((point) => point.requests);
  return {
    requests,
    errors: sum((point) => point.errors),
    failures: sum((point) => point.failures),
    p95: requests === 0 ? null : sum((point) => (point.p95 ?? 0) * point.requests) / requests,
  };
}

const TRACKS = [
  ["live", "Live"],
  ["candidate", "Candidate"],
] as const;

/** The lines of a section, one for each track. `empty` is the value of a step without traffic. */
export function linesOf(
  traffic: TrafficPage,
  section: string,
  value: (point: TrafficPoint) => number | null,
  empty: number | null,
): readonly Line[] {
  const { now, minutes, step } = traffic;
  const start = (minute: number): number => minute - (minute % step);
  const lines = TRACKS.map(([track, label]) => {
    const points = new Map(pointsOf(traffic, section, track).map((point) => [point.minute, point]));
    const values: (readonly [number, number | null])[] = [];
    for (let minute = start(now - minutes + 1); minute <= now; minute += step) {
      const point = points.get(minute);
      values.push([minute, point ? value(point) : empty]);
    }
    return { label, kind: track, values, isUsed: points.size > 0 };
  });
  return lines.filter(({ kind, isUsed }) => kind === "live" || isUsed);
}

/** The names of the sections with traffic: those with most errors and failures first, then those with most requests. */
export function sectionsOf(traffic: TrafficPage): readonly string[] {
  const totals = new Map<string, { bad: number; requests: number }>();
  for (const { section, points } of traffic.series) {
    const total = totals.get(section) ?? { bad: 0, requests: 0 };
    for (const { errors, failures, requests } of points) {
      total.bad += errors + failures;
      total.requests += requests;
    }
    totals.set(section, total);
  }
  const ranked = [...totals].sort(
    ([a, of], [b, than]) => than.bad - of.bad || than.requests - of.requests || a.localeCompare(b),
  );
  return ranked.map(([section]) => section);
}
