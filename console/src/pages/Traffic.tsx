import type { ReactElement } from "react";

import { RANGES, useConsole } from "../data.js";
import { millisecondsOf, numberOf } from "../format.js";
import { LineChart } from "../parts/LineChart.js";
import { linesOf, sectionsOf } from "../parts/traffic.js";

const LABELS: Readonly<Record<number, string>> = { 60: "1 hour", 360: "6 hours", 1440: "24 hours" };

/** Requests, failures and latency of each section, by track. */
export function TrafficPage(): ReactElement {
  const { traffic, range, setRange, gateway } = useConsole();
  const sections = sectionsOf(traffic);
  const per = traffic.step === 1 ? "per minute" : `per ${String(traffic.step)} min`;
  return (
    <section aria-label="Charts" className="panel">
      <fieldset className="choices">
        <legend>Time</legend>
        {RANGES.map((minutes) => (
          <label key={minutes}>
            <input
              type="radio"
              name="range"
              checked={minutes === range}
              onChange={() => {
                setRange(minutes);
              }}
            />
            {LABELS[minutes]}
          </label>
        ))}
      </fieldset>
      <p className="muted">
        Of this gateway, since its start. {gateway.status !== "ready" && <span>It does not serve the site now. </span>}
        Requests are those for documents and page data.
      </p>
      {sections.length === 0 && <p className="empty">There were no requests in this time.</p>}
      {sections.map((section) => (
        <section key={section} aria-label={section} className="traffic">
          <h2>{section}</h2>
          <div className="charts">
            <LineChart
              title={`Requests ${per}`}
              lines={linesOf(traffic, section, ({ requests }) => requests, 0)}
              format={numberOf}
            />
            <LineChart
              title={`Errors and failures ${per}`}
              lines={linesOf(traffic, section, ({ errors, failures }) => errors + failures, 0)}
              format={numberOf}
            />
            <LineChart
              title="Latency, 95th percentile"
              lines={linesOf(traffic, section, ({ p95 }) => p95, null)}
              format={millisecondsOf}
            />
          </div>
        </section>
      ))}
    </section>
  );
}
