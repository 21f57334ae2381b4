import type { Page } from "@playwright/test";

import { expectErrorsAbout, type BrowserErrors } from "../support/browser-errors";
import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };

/** Runs code in the page. Returns the class of the error it throws, if any. */
async function attempt(page: Page, what: () => void): Promise<string | undefined> {
  return page.evaluate(what).then(
    () => undefined,
    (error: unknown) => /\b\w*Error\b/.exec((error as Error).message.replace("page.evaluate: ", ""))?.[0],
  );
}

/** Expects `count` violations of one directive and no others, and clears them. */
async function expectViolations(browserErrors: BrowserErrors, directive: string, count: number): Promise<void> {
  const violation: unknown = expect.stringMatching(`^${directive} `);
  await expect.poll(() => browserErrors.cspViolations).toEqual(Array(count).fill(violation));
  browserErrors.cspViolations.length = 0;
  expectErrorsAbout(browserErrors, /trusted(-| )?(types?|script|html)/i);
}

const UNSAFE: readonly (readonly [what: string, attempt: () => void])[] = [
  [
    "HTML by innerHTML",
    () => {
      document.body.innerHTML = "<b>text</b>";
    },
  ],
  [
    "HTML by insertAdjacentHTML",
    () => {
      document.body.insertAdjacentHTML("beforeend", "<b>text</b>");
    },
  ],
  [
    "script text",
    () => {
      document.createElement("script").textContent = "globalThis.intruded = true";
    },
  ],
  [
    "a cross-origin script",
    () => {
      document.createElement("script").src = "https://elsewhere.example/assets/shell/1.0.0/main.js";
    },
  ],
  [
    "a script outside /assets/",
    () => {
      document.createElement("script").src = "/go/example";
    },
  ],
  [
    "a script path that leaves /assets/",
    () => {
      document.createElement("script").src = "/assets/../go/example";
    },
  ],
  [
    "a data: script",
    () => {
      document.createElement("script").src = "data:text/javascript,globalThis.intruded=true";
    },
  ],
];

test("Unsafe DOM writes and other policies throw, and asset scripts are allowed", async ({ page, browserErrors }) => {
  await open(page, HOME);
  for (const [what, script] of UNSAFE) {
    await test.step(what, async () => {
      expect(await attempt(page, script)).toBe("TypeError");
      await expectScreen(page, HOME.heading);
      expect(await page.evaluate(() => "intruded" in window)).toBe(false);
      await expectViolations(browserErrors, "require-trusted-types-for", 1);
    });
  }

  const asset = (): void => {
    document.createElement("script").src = "/assets/shell/1.0.0/main.js";
  };
  expect(await attempt(page, asset)).toBeUndefined();
  const names = ["default", "other"];
  for (const name of names) {
    const error = await page.evaluate((policy) => {
      const { trustedTypes } = window as unknown as {
        trustedTypes: { createPolicy(name: string, rules: object): void };
      };
      try {
        trustedTypes.createPolicy(policy, { createHTML: (html: string) => html });
        return "none";
      } catch (thrown) {
        return (thrown as Error).name;
      }
    }, name);
    expect(error, name).toBe("TypeError");
  }
  await expectViolations(browserErrors, "trusted-types", names.length);
});
