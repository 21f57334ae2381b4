import { expect, type ConsoleMessage, type Page } from "@playwright/test";

/** Errors the browser reported during a test. */
export interface BrowserErrors {
  /** Console errors and uncaught exceptions. */
  readonly errors: string[];
  /** Content security policy violations, as `directive blocked-uri`. */
  readonly cspViolations: string[];
  /** What the errors that a test expects contain or match. */
  readonly expected: (string | RegExp)[];
}

function describe(message: ConsoleMessage): string {
  return `${message.text()} (${message.location().url})`;
}

function isExpected({ expected }: BrowserErrors, error: string): boolean {
  return expected.some((what) => (typeof what === "string" ? error.includes(what) : what.test(error)));
}

/**
 * Expects that all browser errors so far contain or match one of `expected`. Those to come may do so, too: the browser can report
 * a failed request later than what the page shows because of it.
 */
export function expectErrorsAbout(browserErrors: BrowserErrors, ...expected: (string | RegExp)[]): void {
  browserErrors.expected.push(...expected);
  expect(browserErrors.errors.splice(0).filter((error) => !isExpected(browserErrors, error))).toEqual([]);
}

/** Collects the errors that the browser reports in `page` from now on. */
export async function listenForErrors(page: Page): Promise<BrowserErrors> {
  const browserErrors: BrowserErrors = { errors: [], cspViolations: [], expected: [] };
  const add = (error: string): void => {
    if (!isExpected(browserErrors, error)) browserErrors.errors.push(error);
  };
  page.on("console", (message) => {
    if (message.type() === "error") add(describe(message));
  });
  page.on("pageerror", (error) => {
    add(error.message);
  });
  await page.exposeFunction("reportCspViolation", (text: string) => browserErrors.cspViolations.push(text));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { reportCspViolation } = window as unknown as { reportCspViolation: (text: string) => void };
      reportCspViolation(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return browserErrors;
}
