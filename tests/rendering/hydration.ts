import type { Page } from "@playwright/test";

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

/** Marks every element that the document came with. */
export async function markElements(page: Page): Promise<number> {
  return page.evaluate(() => {
    const elements = [...document.querySelectorAll("#root *")];
    for (const element of elements) Object.assign(element, { cameWithTheDocument: true });
    return elements.length;
  });
}

/** How many of the marked elements are in the document still, and whether any other has come. */
export async function countElements(page: Page): Promise<{ kept: number; others: number }> {
  return page.evaluate(() => {
    const elements = [...document.querySelectorAll("#root *")];
    const kept = elements.filter((element) => "cameWithTheDocument" in element).length;
    return { kept, others: elements.length - kept };
  });
}

/** Waits until React has taken over all of the page, a section's part of it, too. */
export async function takenOver(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const isReacts = (element: Element): boolean => Object.keys(element).some((key) => key.startsWith("__reactFiber$"));
    const heading = document.querySelector("#main h1");
    return heading !== null && isReacts(heading);
  });
}
