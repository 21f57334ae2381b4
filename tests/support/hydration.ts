import type { Page } from "@playwright/test";

/** The shell's scripts. */
export const SHELL = /\/assets\/shell\/.*\.js$/;
/** The scripts of all sections. */
export const SECTIONS = /\/assets\/(?!shell\/).*\.js$/;

/** Holds back the files whose path matches, until the function that comes back is called. */
export async function hold(page: Page, files: RegExp): Promise<() => void> {
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

/** Marks every element that the document came with, the head's own, too. */
export async function markElements(page: Page): Promise<number> {
  return page.evaluate(() => {
    const elements = [...document.querySelectorAll("#root *")];
    for (const element of [...elements, ...document.querySelectorAll("[data-head]")])
      Object.assign(element, { cameWithTheDocument: true });
    return elements.length;
  });
}

/** How many elements say that a city's ads are loading: each visitor's are drawn in their place. */
export async function countLoading(page: Page): Promise<number> {
  const waiting = page.getByText("Loading ads...", { exact: true }).locator("..");
  return (await waiting.count()) + (await waiting.locator("*").count());
}

/** How many of the marked elements are in the page still, and how many others have come. */
export async function countElements(page: Page): Promise<{ kept: number; others: number }> {
  return page.evaluate(() => {
    const elements = [...document.querySelectorAll("#root *")];
    const kept = elements.filter((element) => "cameWithTheDocument" in element).length;
    return { kept, others: elements.length - kept };
  });
}

/**
 * Waits until the shell listens to links and buttons: it takes the marked tags of the head over by the same effects,
 * and in a page whose section has not arrived, too.
 */
export async function listening(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    // The list of breadcrumbs is the gateway's, and stays.
    [...document.querySelectorAll("[data-head]:not(script)")].every((tag) => !("cameWithTheDocument" in tag)),
  );
}

/** Waits until the browser has drawn what it was told to by now. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Waits until React has taken over all of the page, a section's part of it, too, and is done with it. */
export async function takenOver(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    // React's own notes: the tree as it was last put into the document, and what of it is as the server sent it.
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
