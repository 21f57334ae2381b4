// The watchdog thread of a check: see watchdog.ts.
import { appendFileSync } from "node:fs";
import { Session, type Debugger, type InspectorNotification } from "node:inspector";
import { workerData } from "node:worker_threads";

import type { Report } from "./report.js";
import { cpuTime, type WatchdogData } from "./watchdog.js";

const INTERVAL = 20;
// The debugger interrupts loops and regular expressions at once, except on a busy machine.
const PAUSE_LIMIT = 30_000;

const { reports, deadline, limit, name } = workerData as WatchdogData;

function endProcess(stack: string): void {
  const step = new TextDecoder().decode(name.slice(0, limit[1]));
  const report: Report = { kind: "timeout", step, limit: limit[0] ?? 0, stack };
  appendFileSync(reports, `${JSON.stringify(report)}\n`);
  process.kill(process.pid, "SIGKILL");
}

// Pauses the main thread to find out which code it executes.
function reportTimeout(): void {
  const session = new Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }: InspectorNotification<Debugger.ScriptParsedEventDataType>) => {
    files.set(params.scriptId, params.url);
  });
  session.on("Debugger.paused", ({ params }: InspectorNotification<Debugger.PausedEventDataType>) => {
    // Between two microtasks, the stack has only functions of Node.js. The next function is the section's.
    if (params.callFrames.every(({ location }) => files.get(location.scriptId)?.startsWith("node:"))) {
      session.post("Debugger.stepInto");
      return;
    }
    const frames = params.callFrames.map(({ functionName, location }) => {
      const file = files.get(location.scriptId) ?? "";
      const position = `${file}:${String(location.lineNumber + 1)}:${String((location.columnNumber ?? 0) + 1)}`;
      return `    at ${functionName || "anonymous"} (${position})`;
    });
    endProcess(frames.join("\n"));
  });
  session.post("Debugger.enable");
  session.post("Debugger.pause");
  setTimeout(endProcess, PAUSE_LIMIT, "");
}

const timer = setInterval(() => {
  const end = deadline[0] ?? 0;
  if (end === 0 || cpuTime() < end) return;
  clearInterval(timer);
  reportTimeout();
}, INTERVAL);
