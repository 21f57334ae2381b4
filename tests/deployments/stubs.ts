import type { Page, Request } from "@playwright/test";

import { FALLBACK } from "../isolation/expectations";

/** From now on the gateway says that it no longer keeps the page's deployment, whichever that is. */
export async function forgetDeployment(page: Page): Promise<void> {
  await page.route("**/_page/**", (route) =>
    route.fulfill({ status: 410, contentType: "application/problem+json", body: '{"title":"Gone","status":410}' }),
  );
}

/** From now on a file is missing, until the page has asked for so many documents more. */
export async function lose(page: Page, path: string, { documents = Infinity } = {}): Promise<void> {
  const asked = watchDocuments(page);
  await page.route(`**${path}`, (route) =>
    asked.length < documents ? route.fulfill({ status: 404, body: "" }) : route.fallback(),
  );
}

/** Has every document written otherwise than by the gateway. */
export async function alterDocuments(page: Page, alter: (html: string) => string): Promise<void> {
  await page.route("**", async (route) => {
    if (route.request().resourceType() !== "document") {
      await route.fallback();
      return;
    }
    const response = await route.fetch();
    await route.fulfill({ response, body: alter(await response.text()) });
  });
}

/** Has the gateway ask for the reports of so many of all failures. */
export async function wantReports(page: Page, samplePercent: number): Promise<void> {
  await alterDocuments(page, (html) =>
    html.replace('id="boot">{', `id="boot">{"reports":{"samplePercent":${String(samplePercent)}},`),
  );
}

/** What the page reports from now on; the gateway takes it. */
export async function watchReports(page: Page): Promise<Request[]> {
  const reports: Request[] = [];
  await page.route("**/_report", async (route) => {
    reports.push(route.request());
    await route.fulfill({ status: 204 });
  });
  return reports;
}

/** Paths of the documents that the page asks for from now on. */
export function watchDocuments(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.isNavigationRequest()) asked.push(new URL(request.url()).pathname);
  });
  return asked;
}

/** What the page tells of failures, for however short a time. Must be called before its first document. */
export async function watchFailures(page: Page): Promise<readonly string[]> {
  const seen: string[] = [];
  await page.exposeFunction("sawFailure", (text: string) => seen.push(text));
  await page.addInitScript(
    (words) => {
      const { sawFailure } = window as unknown as { sawFailure: (text: string) => void };
      new MutationObserver(() => {
        const shown = document.getElementById("root")?.textContent ?? "";
        for (const text of words) if (shown.includes(text)) sawFailure(text);
      }).observe(document, { childList: true, subtree: true, characterData: true });
    },
    [FALLBACK, "Sign-up is unavailable"],
  );
  return seen;
}
