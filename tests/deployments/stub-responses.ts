import type { Page, Request } from "@playwright/test";

import { FALLBACK } from "../isolation/expectations";

/** Lets the gateway answer that the page's deployment was deleted, whichever it is. */
export async function deleteDeployment(page: Page): Promise<void> {
  await page.route("**/_page/**", (route) =>
    route.fulfill({ status: 410, contentType: "application/problem+json", body: '{"title":"Gone","status":410}' }),
  );
}

/** Serves 404 for a file until the page has requested that many documents. */
export async function serveNotFound(page: Page, path: string, { documents = Infinity } = {}): Promise<void> {
  const requested = recordDocuments(page);
  await page.route(`**${path}`, (route) =>
    requested.length < documents ? route.fulfill({ status: 404, body: "" }) : route.fallback(),
  );
}

/** Alters every document. */
async function alterDocuments(page: Page, alter: (html: string) => string): Promise<void> {
  await page.route("**", async (route) => {
    if (route.request().resourceType() !== "document") {
      await route.fallback();
      return;
    }
    const response = await route.fetch();
    await route.fulfill({ response, body: alter(await response.text()) });
  });
}

/** Lets the gateway request reports of that share of all errors. */
export async function enableReports(page: Page, samplePercent: number): Promise<void> {
  await alterDocuments(page, (html) =>
    html.replace('id="boot">{', `id="boot">{"reports":{"samplePercent":${String(samplePercent)}},`),
  );
}

/** Records error reports, and accepts them. */
export async function recordReports(page: Page): Promise<Request[]> {
  const reports: Request[] = [];
  await page.route("**/_report", async (route) => {
    reports.push(route.request());
    await route.fulfill({ status: 204 });
  });
  return reports;
}

/** Records the paths of the documents the page requests. */
export function recordDocuments(page: Page): string[] {
  const requested: string[] = [];
  page.on("request", (request) => {
    if (request.isNavigationRequest()) requested.push(new URL(request.url()).pathname);
  });
  return requested;
}

/** Records fallbacks that the page shows, however briefly. Must be called before the first document. */
export async function recordFallbacks(page: Page): Promise<readonly string[]> {
  const seen: string[] = [];
  await page.exposeFunction("reportFallback", (text: string) => seen.push(text));
  await page.addInitScript(
    (words) => {
      const { reportFallback } = window as unknown as { reportFallback: (text: string) => void };
      new MutationObserver(() => {
        const shown = document.getElementById("root")?.textContent ?? "";
        for (const text of words) if (shown.includes(text)) reportFallback(text);
      }).observe(document, { childList: true, subtree: true, characterData: true });
    },
    [FALLBACK, "This is unavailable right now"],
  );
  return seen;
}
