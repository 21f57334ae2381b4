// What the main thread of a page does until the page is ready, from a trace of Chromium.

/** @typedef {{ name: string, cat: string, ph: string, pid: number, tid: number, ts: number, dur?: number }} TraceEvent microseconds */
/** @typedef {Record<string, number>} Phases milliseconds, by `PHASES` */

/** The categories of events that a trace needs. */
export const TRACED = ["-*", "blink.user_timing", "devtools.timeline", "loading", "toplevel", "v8"];

const WAITING = "waiting";
const OTHER = "other";

/** Phases, with the events that they consist of. An event within one of another phase is of its own phase. */
const EVENTS = {
  [WAITING]: [],
  "parse HTML": ["ParseHTML", "ParseAuthorStyleSheet"],
  "layout and paint": ["UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit"],
  compile: ["v8.compile"],
  evaluate: ["EvaluateScript"],
  // Hydrating and rendering run in messages, and in promises of scripts that have loaded.
  React: ["FunctionCall", "RunMicrotasks", "EventDispatch", "TimerFire"],
  [OTHER]: [],
};

/** The names of phases, in the order in which they begin. */
export const PHASES = Object.keys(EVENTS);

const PHASE_OF = new Map(Object.entries(EVENTS).flatMap(([phase, names]) => names.map((name) => [name, phase])));

/**
 * Divides the time of one thread into phases: each moment is of the innermost event that is running.
 *
 * @param {readonly TraceEvent[]} events of the thread
 * @param {number} start
 * @param {number} end
 * @returns {Phases}
 */
function divide(events, start, end) {
  /** @type {Phases} */
  const phases = Object.fromEntries(PHASES.map((phase) => [phase, 0]));
  /** @type {{ phase: string, end: number }[]} */
  const running = [];
  let at = start;
  /** @param {number} until */
  const advance = (until) => {
    const { phase } = running.at(-1) ?? { phase: WAITING };
    const duration = Math.max(0, Math.min(until, end) - at);
    phases[phase] = (phases[phase] ?? 0) + duration / 1000;
    at += duration;
  };
  const inOrder = events.toSorted((a, b) => a.ts - b.ts || Number(b.dur) - Number(a.dur));
  for (const { name, ts, dur = 0 } of [...inOrder, { name: "", ts: Infinity }]) {
    for (let last = running.at(-1); last && last.end <= ts; last = running.at(-1)) {
      advance(last.end);
      running.pop();
    }
    advance(ts);
    running.push({ phase: PHASE_OF.get(name) ?? running.at(-1)?.phase ?? OTHER, end: ts + dur });
  }
  return phases;
}

/**
 * Returns what the main thread did from the start of the navigation until the page was ready.
 *
 * @param {readonly TraceEvent[]} events
 * @returns {Phases}
 */
export function phasesOf(events) {
  const ready = events.find(({ name, cat }) => name === "ready" && cat === "blink.user_timing");
  if (!ready) throw new Error("the trace has no mark with the name ready");
  const ofPage = events.filter(({ pid }) => pid === ready.pid);
  // The empty page before has one, too.
  const start = ofPage.findLast(({ name, ts }) => name === "navigationStart" && ts < ready.ts);
  if (!start) throw new Error("the trace has no start of the navigation");
  const onThread = ofPage.filter(({ tid, ph }) => tid === ready.tid && ph === "X");
  return divide(onThread, start.ts, ready.ts);
}
