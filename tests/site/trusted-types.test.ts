import type { Page } from "@playwright/test";

import { expectRefused } from "../support/failures";
import { expect, test, type Complaints } from "../support/fixtures";
import { expectScreen, follow, MISSING, open, SCREENS } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you are reading." };

/** Does something as a script of the page would. Returns the class of the error that is thrown, if one is. */
async function attempt(page: Page, what: () => void): Promise<string | undefined> {
  return page.evaluate(what).then(
    () => undefined,
    (error: unknown) => /\b\w*Error\b/.exec((error as Error).message.replace("page.evaluate: ", ""))?.[0],
  );
}

/** Expects what Chromium reports of refusals by one directive, and of nothing else, and forgets it. */
async function expectViolations(complaints: Complaints, directive: string): Promise<void> {
  await expect.poll(() => complaints.violations.length).toBeGreaterThan(0);
  expect(complaints.violations.filter((violation) => !violation.startsWith(`${directive} `))).toEqual([]);
  const others = complaints.errors.filter((error) => !/trusted(-| )?(types?|script|html)/i.test(error));
  expect(others).toEqual([]);
  complaints.violations.length = 0;
  complaints.errors.length = 0;
}

const REFUSED: readonly (readonly [what: string, attempt: () => void])[] = [
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
    "the text of a script",
    () => {
      document.createElement("script").textContent = "globalThis.intruded = true";
    },
  ],
  [
    "a script of another site",
    () => {
      document.createElement("script").src = "https://elsewhere.example/assets/shell/1.0.0/main.js";
    },
  ],
  [
    "a script that is no asset",
    () => {
      document.createElement("script").src = "/go/example";
    },
  ],
  [
    "a script that looks like an asset",
    () => {
      document.createElement("script").src = "/assets/../go/example";
    },
  ],
  [
    "a script of its own address",
    () => {
      document.createElement("script").src = "data:text/javascript,globalThis.intruded=true";
    },
  ],
];

for (const [what, script] of REFUSED) {
  test(`a script of the page cannot make ${what}`, async ({ page, complaints }) => {
    await open(page, HOME);
    expect(await attempt(page, script)).toBe("TypeError");
    await expectScreen(page, HOME.heading);
    expect(await page.evaluate(() => "intruded" in window)).toBe(false);
    await expectViolations(complaints, "require-trusted-types-for");
  });
}

test("a script of the page can name an asset, and make no policy of its own", async ({ page, complaints }) => {
  await open(page, HOME);
  const asset = (): void => {
    document.createElement("script").src = "/assets/shell/1.0.0/main.js";
  };
  expect(await attempt(page, asset)).toBeUndefined();
  for (const name of ["default", "other"]) {
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
  await expectViolations(complaints, "trusted-types");
});

test("what is refused is reported, and the gateway takes the report", async ({ page, complaints }) => {
  await open(page, HOME);
  const reported = page.waitForResponse("**/_csp");
  await attempt(page, () => {
    document.body.innerHTML = "<b>text</b>";
  });
  expect((await reported).status()).toBe(204);
  await expectViolations(complaints, "require-trusted-types-for");
});

test("every screen is shown within it, by links from one document", async ({ page, complaints }) => {
  await open(page, HOME);
  for (const { path, heading } of [...SCREENS, ...MISSING]) {
    await follow(page, path);
    await expectScreen(page, heading);
  }
  await expectRefused(complaints, 404);
});
