import type { Page } from "@playwright/test";

/** The shell's scripts. */
export const SHELL = /\/assets\/shell\/.*\.js$/;
/** The scripts of all sections. */
export const SECTIONS = /\/assets\/(?!shell\/).*\.js$/;

/** Blocks requests for matching files until the returned function is called. */
export async function holdRequests(page: Page, files: RegExp): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(files, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Waits until the browser has parsed the whole document. Its scripts may be held. */
export async function waitForParsed(page: Page): Promise<void> {
  await page.waitForFunction(() => document.readyState !== "loading");
}

/** Marks every server-rendered element in `#root` once the document is parsed. Returns their number. */
export async function markElements(page: Page): Promise<number> {
  await waitForParsed(page);
  return page.evaluate(() => {
    const elements = [...document.querySelectorAll("#root *")];
    for (const element of elements) Object.assign(element, { serverRendered: true });
    return elements.length;
  });
}

/**
 * Marks every element in `#root` of the next document once it is parsed, before its scripts run. The returned function says
 * how many there are, and how many are a city's loading placeholder, which the client replaces.
 */
export async function markParsedElements(page: Page): Promise<() => Promise<{ marked: number; placeholders: number }>> {
  await page.addInitScript(() => {
    document.addEventListener(
      "readystatechange",
      () => {
        const elements = [...document.querySelectorAll("#root *")];
        for (const element of elements) Object.assign(element, { serverRendered: true });
        const loading = elements.find(({ textContent }) => textContent === "Loading ads...")?.parentElement;
        const placeholders = loading ? loading.querySelectorAll("*").length + 1 : 0;
        Object.assign(globalThis, { parsed: { marked: elements.length, placeholders } });
      },
      { once: true },
    );
  });
  return () =>
    page.evaluate(() => (globalThis as unknown as { parsed: { marked: number; placeholders: number } }).parsed);
}

/** Counts the elements of a city's loading placeholder, which the client replaces with randomly drawn ads. */
export async function countAdPlaceholders(page: Page): Promise<number> {
  const placeholder = page.getByText("Loading ads...", { exact: true }).locator("..");
  return (await placeholder.count()) + (await placeholder.locator("*").count());
}

/** Counts the marked elements still in `#root`, and the elements added since. */
export async function countElements(page: Page): Promise<{ preserved: number; added: number }> {
  return page.evaluate(() => {
    const elements = [...document.querySelectorAll("#root *")];
    const preserved = elements.filter((element) => "serverRendered" in element).length;
    return { preserved, added: elements.length - preserved };
  });
}

/** Selects the document once the shell handles clicks on links and buttons, even before the page's section has loaded. */
export const SHELL_STARTED = "html[data-first-view-rendered]";

/** Waits until the shell handles clicks on links and buttons, even before the page's section has loaded. */
export async function waitForEventHandlers(page: Page): Promise<void> {
  await page.locator(SHELL_STARTED).waitFor({ state: "attached" });
}

/** Waits until the browser has painted all pending changes. */
export async function waitForPaint(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Waits until React has hydrated the whole page, including the section. */
export async function waitForHydration(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    // React internals: the committed fiber tree, and which parts of it are still dehydrated.
    interface Fiber {
      readonly memoizedState: { readonly isDehydrated?: boolean; readonly dehydrated?: unknown } | null;
      readonly child: Fiber | null;
      readonly sibling: Fiber | null;
    }
    const root = document.getElementById("root") as unknown as Record<string, { stateNode: { current: Fiber } }>;
    const key = Object.keys(root).find((name) => name.startsWith("__reactContainer$"));
    const { current } = root[key ?? ""]?.stateNode ?? {};
    if (!current || current.memoizedState?.isDehydrated) return false;
    const fibers = [current];
    for (let fiber = fibers.pop(); fiber; fiber = fibers.pop()) {
      if (fiber.memoizedState?.dehydrated) return false;
      for (const next of [fiber.child, fiber.sibling]) if (next) fibers.push(next);
    }
    return true;
  });
}
