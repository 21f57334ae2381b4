import type { FullResult, Reporter, TestCase, TestResult } from "@playwright/test/reporter";

const COUNT = 10;

/** Prints the slowest tests at the end of a run. */
export default class SlowestTests implements Reporter {
  readonly #durations: { readonly title: string; readonly seconds: number }[] = [];

  onTestEnd(test: TestCase, { duration }: TestResult): void {
    const title = test.titlePath().filter(Boolean).join(" › ");
    this.#durations.push({ title, seconds: duration / 1000 });
  }

  onEnd({ duration }: FullResult): void {
    if (this.#durations.length <= COUNT) return;
    const slowest = this.#durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, COUNT);
    console.log(`\nThe slowest of ${String(this.#durations.length)} tests in ${(duration / 1000).toFixed()} s:`);
    for (const { title, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${title}`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
