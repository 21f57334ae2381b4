import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";

import { viewOf, type RendererJob, type RenderJob, type RenderReply } from "./rendererJob.js";
import type { Report } from "./report.js";

const PROCESS = path.join(import.meta.dirname, "rendererProcess.js");

/** Renders the pages and extensions of a section in a child process, one at a time. */
export class Renderer {
  readonly #job: RendererJob;
  #child: Promise<ChildProcess> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(job: RendererJob) {
    this.#job = job;
  }

  #start(): Promise<ChildProcess> {
    this.#child ??= startProcess(this.#job, () => {
      this.#child = undefined;
    });
    return this.#child;
  }

  /** Renders a page or an extension. A render that exceeds a limit ends the process, and the next render starts another one. */
  render(job: RenderJob): Promise<RenderReply> {
    const result = this.#last.then(() => this.#renderNow(job));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #renderNow(job: RenderJob): Promise<RenderReply> {
    const child = await this.#start();
    const ended = new AbortController();
    const { signal } = ended;
    try {
      child.send(job);
      const reply = once(child, "message", { signal }).then(([message]) => message as RenderReply);
      const exit = once(child, "exit", { signal }).then(() => this.#exited(job));
      return await Promise.race([reply, exit]);
    } finally {
      ended.abort();
    }
  }

  async #exited({ request }: RenderJob): Promise<RenderReply> {
    const text = await readFile(this.#job.reports, "utf8").catch(() => "");
    await rm(this.#job.reports, { force: true });
    const reports = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Report]));
    const error = { name: "Error", message: "the process ended unexpectedly" };
    return {
      rendered: null,
      reports:
        reports.length > 0 ? reports : [{ kind: "thrown", step: `rendering ${viewOf(request)}`, error, stack: "" }],
    };
  }

  /** Ends the process after the pending renders. */
  async close(): Promise<void> {
    await this.#last;
    const child = await this.#child?.catch(() => undefined);
    child?.kill("SIGKILL");
  }
}

async function startProcess(job: RendererJob, onExit: () => void): Promise<ChildProcess> {
  const child = fork(PROCESS, [JSON.stringify(job)], { env: {}, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  child.once("exit", onExit);
  const exit = once(child, "exit").then(() => {
    throw new Error("the renderer process ended before it was ready");
  });
  await Promise.race([once(child, "message"), exit]);
  return child;
}
