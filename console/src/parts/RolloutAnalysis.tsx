import type { ReactElement } from "react";
import { Table } from "./Table.js";

import { millisecondsOf, numberOf, shareOf } from "../format.js";
import type { RolloutAnalysis as Analysis, RolloutQuery, RolloutTrack, RolloutVerdict } from "../openapi.js";

interface Row {
  readonly name: string;
  /** What passes. */
  readonly rule: string;
  readonly value: (track: RolloutTrack) => string;
  /** What the value is a share of. */
  readonly samples?: (track: RolloutTrack) => string;
  readonly verdict: RolloutVerdict;
}

const VERDICTS: Readonly<Record<RolloutVerdict, readonly [sign: string, text: string]>> = {
  passing: ["✓", "passing"],
  failing: ["✕", "failing"],
  "too-few-samples": ["…", "too few"],
  "no-data": ["?", "no data"],
};

const percentOf = (percent: number): string => shareOf(percent / 100);
const points = (margin: number): string => `at most ${String(margin)} ${margin === 1 ? "point" : "points"} above live`;

function ruleOf({ max, maxRatio, problem }: RolloutQuery): string {
  if (problem !== undefined) return problem;
  return max === undefined ? `at most ${String(maxRatio)} times live` : `at most ${String(max)}`;
}

function rowsOf({ criteria, queries, limits, candidate, live }: Analysis): readonly Row[] {
  const hasRequests = Math.min(candidate.requests, live.requests) >= limits.minRequests;
  // Without requests there is no share.
  const ofRequests = (value: (track: RolloutTrack) => number | null, format: (value: number) => string) => {
    return (track: RolloutTrack): string => {
      const number = value(track);
      return track.requests === 0 || number === null ? "–" : format(number);
    };
  };
  return [
    {
      name: "Requests",
      rule: `in this step, at least ${numberOf(limits.minRequests)}`,
      value: ({ requests }) => numberOf(requests),
      verdict: hasRequests ? "passing" : "too-few-samples",
    },
    {
      name: "5xx responses",
      rule: points(limits.serverErrorMarginPercent),
      value: ofRequests(({ serverErrorPercent }) => serverErrorPercent, percentOf),
      verdict: criteria.serverErrors,
    },
    {
      name: "Render failures",
      rule: points(limits.renderFailureMarginPercent),
      value: ofRequests(({ renderFailurePercent }) => renderFailurePercent, percentOf),
      verdict: criteria.renderFailures,
    },
    {
      name: "99th percentile",
      rule: `at most ${millisecondsOf(limits.latencyMarginMs)} above live`,
      value: ofRequests(({ latencyP99Ms }) => latencyP99Ms, millisecondsOf),
      verdict: criteria.latencyP99,
    },
    {
      name: "Failed browsers",
      rule: `${points(limits.abortMarginPercent)}, from ${numberOf(limits.minViews)} documents`,
      value: ({ clients, failedClientPercent }) => (clients === 0 ? "–" : percentOf(failedClientPercent)),
      samples: ({ clients }) => (clients === 0 ? "" : `of ${numberOf(clients)}`),
      verdict: criteria.failedClients,
    },
    ...queries.map((query) => ({
      name: `${query.name} of ${query.section}`,
      rule: ruleOf(query),
      value: (track: RolloutTrack) => {
        const number = track === candidate ? query.candidate : query.live;
        return number === null ? "–" : number.toLocaleString("en", { maximumSignificantDigits: 4 });
      },
      verdict: query.verdict,
    })),
  ];
}

/** The canary analysis by criterion, with its samples and limits. */
export function RolloutAnalysis({ analysis }: { readonly analysis: Analysis }): ReactElement {
  return (
    <Table
      caption="Canary analysis"
      className="comparison"
      columns={[
        ["Analysis"],
        ["Candidate"],
        ["Live"],
        [
          <span key="" className="verdict-text">
            Verdict
          </span>,
        ],
      ]}
    >
      {rowsOf(analysis).map(({ name, rule, value, samples, verdict }) => {
        const [sign, text] = VERDICTS[verdict];
        return (
          <tr key={name}>
            <th scope="row">
              {name} <span className="rule">{rule}</span>
            </th>
            {[analysis.candidate, analysis.live].map((track, side) => (
              <td key={side}>
                {value(track)} {samples && <span className="rule">{samples(track)}</span>}
              </td>
            ))}
            <td className={`verdict ${verdict}`}>
              <span aria-hidden="true">{sign}</span> <span className="verdict-text">{text}</span>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
