// Writes docs/benchmarks.md and its pictures from the last results. See bench/README.md.
import { writeFile } from "node:fs/promises";
import path from "node:path";

import { format, resolveConfig } from "prettier";

import { ROOT } from "../tests/support/repository.mjs";
import { firstLine } from "./command.mjs";
import { EMULATED, MARKS } from "./paint.mjs";
import { PEERS } from "./peers.mjs";
import { PHASES } from "./paint-phases.mjs";
import { drawBars, drawLines, drawStacks } from "./plot.mjs";
import { median, quantile } from "./report.mjs";
import { readResult } from "./results.mjs";
import { commandTable, cpuTable, latencyRatioTable, latencyTable, markdownTable, ratioTable } from "./tables.mjs";

const PAGE = path.join(ROOT, "docs/benchmarks.md");
const image = (/** @type {string} */ name) => path.join(ROOT, `docs/images/bench-${name}.svg`);

/** @typedef {import("./tables.mjs").Cpu} Cpu */
/** @typedef {import("./tables.mjs").Measured<Cpu>} Measured */

/** @param {Cpu[]} rounds */
const cpuOf = (rounds) => median(rounds.map(({ user, kernel }) => user + kernel));

/** @param {import("./results.mjs").Run} run */
const describe = ({ date, machine, system, load, commit, compiler }) =>
  `Measured on ${date} at commit \`${commit}\` with ${compiler}, on ${machine}, ${system}. The load of the machine before was ${load}.`;

async function serverTable() {
  const rows = [];
  for (const { name, what, version, install } of PEERS) {
    // Each section names the commit that it measured.
    const shown = name === "gateway" ? "see below" : ((await version()) ?? `not installed: \`${install}\``);
    rows.push([name, shown, what]);
  }
  for (const [tool, ...flags] of [
    ["wrk", "-v"],
    ["h2load", "--version"],
  ]) {
    const line = firstLine([tool ?? "", ...flags]) ?? "not installed";
    rows.push([tool ?? "", line.replace(/ *(\[|Copyright).*/, ""), "load"]);
  }
  return markdownTable(["", "Version", "What it is"], rows).replaceAll("---:", "---");
}

async function compareSection() {
  const result = await readResult("compare");
  if (!result) return "";
  /** @type {{ run: import("./results.mjs").Run, cpu: Measured[], latency: any[] }} */
  const { run, cpu, latency } = result;
  await drawBars(
    image("cost"),
    "CPU seconds of 100,000 requests by case and server",
    cpu.map(({ label, peers }) => ({
      label,
      bars: peers.map(({ peer, rounds }) => ({ name: peer, value: cpuOf(rounds) })),
    })),
  );
  return `
## CPU time of a request

${describe(run)}

The gateway's CPU time divided by that of each other server: the median of the ratios of ${cpu[0]?.peers[0]?.rounds.length} rounds of
one second, and their quartiles. Below 1, the gateway costs less. The last column is the highest ratio to nginx-full that is wanted.

${ratioTable(cpu)}

CPU seconds of 100,000 requests, of all processes of the server, in user mode + in the kernel:

${cpuTable(cpu)}

![Bar charts of the CPU time of each server in each case.](./images/bench-cost.svg)

${commandTable(cpu)}

## Response times

At 6,000 requests per second, in milliseconds, over open connections, median / 99th percentile: the medians of ${latency[0]?.peers[0]?.rounds.length} rounds.

${latencyTable(latency)}

The gateway's 99th percentile divided by that of each other server, as above:

${latencyRatioTable(latency)}

${commandTable(latency)}
`;
}

async function connectionsSection() {
  const result = await readResult("connections");
  if (!result) return "";
  /** @type {{ run: import("./results.mjs").Run, cpu: Measured[], tls: Measured[] }} */
  const { run, cpu, tls } = result;
  for (const [name, label, cases] of /** @type {[string, string, Measured[]][]} */ ([
    ["connections", "HTTP/1.1", cpu],
    ["connections-tls", "HTTP/2 and TLS", tls],
  ]))
    await drawLines(
      image(name),
      `CPU time of a request by the number of connections, ${label}`,
      { x: "connections", y: "CPU of a request, µs" },
      cases.flatMap(({ name: connections, peers }) =>
        peers.map(({ peer, rounds }) => ({ series: peer, x: Number(connections), y: 10 * cpuOf(rounds) })),
      ),
    );
  return `
## Connections

${describe(run)} The ratios are as above.

\`${cpu[0]?.command.replace(/--connections \d+/, "--connections N")}\`, in CPU seconds of 100,000 requests, and its ratios:

![A line chart of the CPU time of a request over HTTP/1.1 from 1 to 4,000 connections.](./images/bench-connections.svg)

${cpuTable(cpu)}

${ratioTable(cpu)}

The same over HTTP/2 and TLS, with one request at a time of each connection: \`${tls[0]?.command.replace(/--clients \d+/, "--clients N")}\`.

![A line chart of the CPU time of a request over HTTP/2 and TLS from 1 to 4,000 connections.](./images/bench-connections-tls.svg)

${cpuTable(tls)}

${ratioTable(tls)}
`;
}

async function sectionsSection() {
  const result = await readResult("growth");
  if (!result) return "";
  /** @type {{ run: import("./results.mjs").Run, rows: Record<string, number>[] }} */
  const { run, rows } = result;
  const cells = rows.map((row) => Object.values(row).map((value) => value.toFixed(Number.isInteger(value) ? 0 : 1)));
  return `
## Sections

${describe(run)} One gateway with its store in a folder, and one with its store in a bucket of an S3 server that takes 30 ms longer for
each response; a cached document; each added section with five pages. [Scale](scale.md#sections) says why these numbers grow or do
not.

![Small charts by the number of sections: CPU time and document size are flat.](./images/growth-sections.svg)

${markdownTable(Object.keys(rows[0] ?? {}), cells)}
`;
}

/** Numbers of each load, by page and variant. @typedef {Record<string, Record<string, Record<string, number>[]>>} Loads */

/** The paint times, with the highest wanted ratios to one bundle. */
const PAINTS = /** @type {const} */ ([
  ["lcp", "largest contentful paint", 0.5],
  ["ready", "ready", 0.95],
]);

/** A bar for each page and variant, divided into phases. @param {Loads} phases */
async function phasesTable(phases) {
  const bars = Object.entries(phases).flatMap(([page, variants]) =>
    Object.entries(variants).map(([name, all]) => ({ bar: `${page}, ${name}`, all })),
  );
  const values = bars.flatMap(({ bar, all }) =>
    PHASES.map((part) => ({ bar, part, value: median(all.map((each) => each[part] ?? NaN)) })),
  );
  await drawStacks(image("ready"), "What a page does until it is ready", "ms", values);
  const rows = PHASES.map((phase) => [
    phase,
    ...values.filter(({ part }) => part === phase).map(({ value }) => value.toFixed(0)),
  ]);
  return markdownTable(["ms", ...bars.map(({ bar }) => bar)], rows);
}

async function firstPaintSection() {
  const result = await readResult("first-paint");
  if (!result) return "";
  /** @type {{ run: import("./results.mjs").Run, version: string, pages: Loads, phases: Loads }} */
  const { run, version, pages, phases } = result;
  const groups = Object.entries(pages).flatMap(([page, variants]) =>
    PAINTS.map(([mark, label, goal]) => ({
      label: `${page}: ${label}, ms`,
      goal,
      bars: Object.entries(variants).map(([name, all]) => ({
        name,
        value: median(all.map((each) => each[mark] ?? NaN)),
      })),
    })),
  );
  await drawBars(image("first-paint"), "Paint times of the site and of other builds of it", groups);
  const names = groups[0]?.bars.map(({ name }) => name) ?? [];
  const rows = groups.map(({ label, goal, bars }) => {
    const [site] = bars;
    const cells = bars.map(({ value }, index) => {
      const ratio = index === 0 ? "" : ` (${(Number(site?.value) / value).toFixed(2)})`;
      return value.toFixed(0) + ratio;
    });
    return [label, ...cells, `≤ ${goal.toFixed(2)}`];
  });
  return `
## First paint

${describe(run)} Chromium ${version}, an empty cache, a 4x CPU slowdown, 100 ms latency and 5 Mbit/s: medians, and in parentheses the
site's time divided by that of the variant. [bench/README.md](../bench/README.md#first-paint) describes the variants.

![Bar charts of paint times of the site and other builds of it.](./images/bench-first-paint.svg)

${markdownTable(["", ...names, "goal ÷ one bundle"], rows)}

What the main thread does until the page is ready, in loads that are traced, which takes time itself. The site is painted long
before: its style, layout and paint are part of this time, and those of one bundle mostly follow.

![Bars of what the main thread does until the page is ready.](./images/bench-ready.svg)

${await phasesTable(phases)}
`;
}

async function extensionsSection() {
  const result = await readResult("extensions");
  if (!result) return "";
  /** @typedef {{ cpu: number[], weight: import("../tests/support/page-weight.mjs").Weight }} Costs */
  /** @type {{ run: import("./results.mjs").Run, version: string, marks: Record<string, Record<string, number>[]>, costs: Record<string, Costs> }} */
  const { run, version, marks, costs } = result;
  const timed = MARKS.filter(([mark]) => mark !== "longest").map(([mark, label]) => ({
    label: `${label}, ms`,
    variants: Object.values(marks).map((all) => all.map((each) => each[mark] ?? NaN)),
  }));
  const cpu = { label: "CPU of the cached document, µs", variants: Object.values(costs).map((each) => each.cpu) };
  const measured = [...timed, cpu].map(({ label, variants }) => [
    label,
    ...variants.map((all) => {
      const [low = "", middle = "", high = ""] = [0.25, 0.5, 0.75].map((share) => quantile(all, share).toFixed(0));
      return `${middle} (${low}–${high})`;
    }),
  ]);
  const counted = /** @type {const} */ ([
    ["scripts, bytes", "script"],
    ["scripts of the extensions, bytes", "extension"],
    ["document, bytes", "document"],
    ["requests", "requests"],
  ]).map(([label, part]) => [label, ...Object.values(costs).map(({ weight }) => String(weight[part]))]);
  return `
## Extensions

${describe(run)} A city page with two [extensions](plugins.md), and twice the same page without any: their difference is that of the
measurement. Chromium ${version}, ${EMULATED}: medians and quartiles of ${cpu.variants[0]?.length} rounds, in which the variants
alternate. The largest element is an ad below the extensions, which the browser draws once the page is hydrated; the window is so
high that it is in view in each variant. The scripts of the extensions load after those of the page. \`GATEWAY_PROFILE=release node bench/extensions.mjs\` measures it.

${markdownTable(["", ...Object.keys(marks)], [...measured, ...counted])}
`;
}

const text = `# Benchmarks

<!-- Generated by make bench. -->

\`make bench\` compares the gateway with other servers on one machine, and writes this page. The gateway has its default
configuration, with two exceptions: it renders no pages in advance, and its limits per client are higher, because all requests
come from one client. Each server runs on one core, and the load and the upstream on another one. \`node bench/compare.mjs --cases h1-10k --peers nginx-full\` measures one case, next to one server.

${await serverTable()}

All servers send the same files, compressed with Brotli before. \`nginx-full\` and the gateway do the same job.
${await compareSection()}${await connectionsSection()}${await sectionsSection()}${await firstPaintSection()}${await extensionsSection()}`;
await writeFile(PAGE, await format(text, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
