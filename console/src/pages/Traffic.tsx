import type { ReactElement } from "react";

import { RANGES, useConsole } from "../data.js";
import { millisecondsOf, numberOf } from "../format.js";
import { LineChart } from "../parts/LineChart.js";
import { NameFilter, useNameFilter } from "../parts/NameFilter.js";
import { linesOf, sectionsOf } from "../parts/traffic.js";
import { useShown } from "../parts/useShown.js";
import { sectionHref } from "../router.js";

const LABELS: Readonly<Record<number, string>> = { 60: "1 hour", 360: "6 hours", 1440: "24 hours" };

// Each has three charts.
const SIZE = 8;

/** Requests, failures and latency of each section, by track: of those with most errors first. */
export function TrafficPage(): ReactElement {
  const { traffic } = useConsole();
  const all = sectionsOf(traffic);
  const fitting = all.filter(useNameFilter());
  const [sections, more] = useShown(fitting, SIZE, "sections");
  return (
    <section aria-label="Charts" className="panel">
      <TrafficRange />
      {all.length > SIZE && <NameFilter count={fitting.length} />}
      {all.length === 0 && <p className="empty">There were no requests in this time.</p>}
      {all.length > 0 && fitting.length === 0 && <p className="empty">No section with requests fits.</p>}
      {sections.map((section) => (
        <section key={section} aria-label={section} className="traffic">
          <h2>
            <a href={sectionHref(section)}>{section}</a>
          </h2>
          <SectionCharts section={section} />
        </section>
      ))}
      {more}
    </section>
  );
}

/** The choice of the time that charts show, and what they count. */
export function TrafficRange(): ReactElement {
  const { range, setRange, gateway } = useConsole();
  return (
    <>
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
    </>
  );
}

/** The charts of a section. */
export function SectionCharts({ section }: { readonly section: string }): ReactElement {
  const { traffic } = useConsole();
  const per = traffic.step === 1 ? "per minute" : `per ${String(traffic.step)} min`;
  return (
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
  );
}
