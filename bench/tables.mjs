// The tables of docs/benchmarks.md, as Markdown.
import { median, ratioQuartiles } from "./report.mjs";

/** @typedef {{ user: number, kernel: number }} Cpu seconds of 100,000 requests */
/** @typedef {{ median: number, p99: number }} Times milliseconds */
/**
 * What was measured in a case, by server and round.
 *
 * @template T
 * @typedef {{ name: string, label: string, goal?: number, command: string, peers: { peer: string, rounds: T[] }[] }} Measured
 */

const ABSENT = "–";

/** The server that the goals are about. */
const SAME_JOB = "nginx-full";

/** @param {string[]} head @param {string[][]} rows */
export function markdownTable(head, rows) {
  const alignment = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, alignment, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** @param {Cpu} cpu */
const total = ({ user, kernel }) => user + kernel;

/** Formats the median of rounds, and its parts in user mode and in the kernel. @param {Cpu[]} rounds */
function formatCpu(rounds) {
  const [user, kernel] = [median(rounds.map((cpu) => cpu.user)), median(rounds.map((cpu) => cpu.kernel))];
  return `${median(rounds.map(total)).toFixed(2)} (${user.toFixed(2)} + ${kernel.toFixed(2)})`;
}

/** Formats the median and the quartiles of the ratios of each round. @param {number[]} first @param {number[]} second */
function formatRatio(first, second) {
  const [low, middle, high] = ratioQuartiles(first, second).map((ratio) => ratio.toFixed(2));
  return `${middle} (${low}–${high})`;
}

/** @template T @param {Measured<T>} measured @param {string} name */
const roundsOf = ({ peers }, name) => peers.find(({ peer }) => peer === name)?.rounds;

/** @template T @param {Measured<T>[]} cases */
const peersOf = (cases) => [...new Set(cases.flatMap(({ peers }) => peers.map(({ peer }) => peer)))];

/**
 * The ratios of the first server to each other one, and their goals.
 *
 * @template T
 * @param {Measured<T>[]} cases
 * @param {(measured: T) => number} valueOf
 */
function ratiosOf(cases, valueOf) {
  const [subject = "", ...others] = peersOf(cases);
  const rows = cases.map((each) => {
    const own = (roundsOf(each, subject) ?? []).map(valueOf);
    const ratios = others.map((name) => {
      const rounds = roundsOf(each, name);
      return rounds ? formatRatio(own, rounds.map(valueOf)) : ABSENT;
    });
    return [each.label, ...ratios, each.goal ? `≤ ${each.goal.toFixed(2)}` : ABSENT];
  });
  return markdownTable(["", ...others.map((name) => `÷ ${name}`), `goal ÷ ${SAME_JOB}`], rows);
}

/** The ratios of CPU time. @param {Measured<Cpu>[]} cases */
export function ratioTable(cases) {
  return ratiosOf(cases, total);
}

/** The ratios of the 99th percentile of response times. @param {Measured<Times>[]} cases */
export function latencyRatioTable(cases) {
  return ratiosOf(cases, ({ p99 }) => p99);
}

/**
 * A column for each server, with its rounds in this format.
 *
 * @template T
 * @param {Measured<T>[]} cases
 * @param {(rounds: T[]) => string} format
 */
function peerTable(cases, format) {
  const names = peersOf(cases);
  const rows = cases.map((each) => [
    each.label,
    ...names.map((name) => {
      const rounds = roundsOf(each, name);
      return rounds ? format(rounds) : ABSENT;
    }),
  ]);
  return markdownTable(["", ...names], rows);
}

/** The CPU time of each server. @param {Measured<Cpu>[]} cases */
export function cpuTable(cases) {
  return peerTable(cases, formatCpu);
}

/** The median and the 99th percentile of response times. @param {Measured<Times>[]} cases */
export function latencyTable(cases) {
  return peerTable(cases, (rounds) =>
    ["median", "p99"]
      .map((key) => median(rounds.map((times) => times[/** @type {keyof Times} */ (key)])).toFixed(2))
      .join(" / "),
  );
}

/** The command of each case. @template T @param {Measured<T>[]} cases */
export function commandTable(cases) {
  return markdownTable(
    ["Case", "Command"],
    cases.map(({ label, command }) => [label, `\`${command}\``]),
  ).replace("| ---: |", "| --- |");
}
