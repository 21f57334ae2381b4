import { request as sendRequest } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Page } from "@playwright/test";

import { ASIDE, expect, GREETING, HOME, overlay, test, VITE_ASIDE } from "../support/development";
import { expectAccessible } from "../support/axe";
import { expectErrorsAbout } from "../support/browser-errors";
import { runChecks, type Check } from "../support/checks";
import { waitForHydration } from "../support/hydration";
import { ARTICLE_ROUTES } from "../support/routes";
import { expectScreen, follow, NOT_FOUND_SCREENS, SCREENS, type Screen } from "../support/screens";
import { newEmail, signUp } from "../support/signup";

// All tests share one development server.
test.describe.configure({ mode: "default" });

const CSS = "src/page.module.css";
const HEADING = "<h1>Counter</h1>";

async function openCounter(page: Page): Promise<void> {
  await page.goto("/hello");
  await waitForHydration(page);
  await page.getByRole("button", { name: "Count 0" }).click();
  await page.getByRole("button", { name: "Count 1" }).click();
  await expect(page.getByRole("button", { name: "Count 2" })).toBeVisible();
}

/** The sections that the Module Federation DevTools see, with their versions. */
function sectionsInDevTools(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { moduleInfo } = (globalThis as never as { __FEDERATION__: { moduleInfo: object } }).__FEDERATION__;
    return Object.keys(moduleInfo);
  });
}

test("Edits keep the state of a section", async ({ page, development }) => {
  await openCounter(page);
  // Its container was loaded by the runtime of Module Federation.
  await expect.poll(() => sectionsInDevTools(page)).toContain("hello:development");
  await development.edit(HOME, HEADING, "<h1>Edited</h1>");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Edited");
  await expect(page.getByRole("button", { name: "Count 2" })).toBeVisible();

  const css = await readFile(path.join(development.folder, CSS), "utf8");
  await writeFile(path.join(development.folder, CSS), `${css}.lead { letter-spacing: 7px; }\n`);
  await expect(page.getByText("first and second")).toHaveCSS("letter-spacing", "7px");
  await expect(page.getByRole("button", { name: "Count 2" })).toBeVisible();

  await development.edit(HOME, "<h1>Edited</h1>", HEADING);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Counter");
});

test("An extension is shown in another team's released page, and edits keep its state", async ({
  page,
  development,
}) => {
  await page.goto("/city/Texas/Austin");
  await expectScreen(page, "Austin, Texas");
  expect(await page.content()).not.toContain("/assets/directory/development/");
  const aside = page.locator("[data-extension-point='directory/city-aside@1']");
  // Beside the released extension of another section.
  await expect(aside.getByRole("link", { name: "Safety guide" })).toBeVisible();
  await aside.getByRole("button", { name: "Kites over Austin: 0" }).click();
  await expect(aside.getByRole("button", { name: "Kites over Austin: 1" })).toBeVisible();
  await development.edit(ASIDE, "Kites over", "Balloons over");
  await expect(aside.getByRole("button", { name: "Balloons over Austin: 1" })).toBeVisible();
  await development.edit(ASIDE, "Balloons over", "Kites over");
  await expect(aside.getByRole("button", { name: "Kites over Austin: 1" })).toBeVisible();

  // The browser renders it, but the gateway would not.
  await development.edit(ASIDE, "<button", "<><li>Wind</li><button");
  await development.edit(ASIDE, "</button>", "</button></>");
  await expect(overlay(page)).toContainText("COL172 the extension directory/city-aside@1 has `<li>`");
  await development.edit(ASIDE, "<><li>Wind</li><button", "<button");
  await development.edit(ASIDE, "</button></>", "</button>");
  await expect(overlay(page)).toBeHidden();

  await expect(aside.getByRole("button", { name: "Kites over Austin: 1" })).toBeVisible();
  const state = "useState(0);";
  const throwing = `${state} if (count === 1) throw new Error("too windy");`;
  await development.edit(ASIDE, state, throwing);
  await expect(overlay(page)).toContainText("Runtime error in hello, src/aside.tsx:");
  await expect(overlay(page)).toContainText("the extension directory/city-aside@1 of hello: too windy");
  await development.edit(ASIDE, throwing, state);
  await expect(overlay(page)).toBeHidden();
});

test("New data reloads the page", async ({ page, development }) => {
  await openCounter(page);
  await development.edit(HOME, '"second"', '"third"');
  await expect(page.getByText("first and third")).toBeVisible();
  await expect(page.getByRole("button", { name: "Count 0" })).toBeVisible();
  await development.edit(HOME, '"third"', '"second"');
  await expect(page.getByText("first and second")).toBeVisible();
});

// Chromium warns about preloads that are unused seconds after load, which also happens on slow machines. It logs each 404.
const EXPECTED = /was preloaded using link preload but not used|the server responded with a status of 404/;

// React's development build warns about hydration mismatches and other mistakes. All pages of the site have it here.
test("Every screen and the dialog hydrate without warnings", async ({ page }) => {
  test.setTimeout(120_000);
  const warnings: string[] = [];
  page.on("pageerror", (error) => warnings.push(error.message));
  page.on("console", (message) => {
    const isShown = ["warning", "error"].includes(message.type()) && !EXPECTED.test(message.text());
    if (isShown) warnings.push(message.text());
  });
  const [missing, ...others] = NOT_FOUND_SCREENS;
  const screens = [
    ...SCREENS,
    ...(missing ? [missing] : []),
    ...(process.env.SOAK ? [...ARTICLE_ROUTES, ...others] : []),
  ];
  const expectSilent = async ({ path: to, heading }: Pick<Screen, "path" | "heading">): Promise<void> => {
    await page.goto(to);
    await expectScreen(page, heading);
    await waitForHydration(page);
    expect(warnings.splice(0)).toEqual([]);
  };
  await runChecks(screens.map((screen): Check => [screen.path, () => expectSilent(screen)]));

  await test.step("client-side navigation", async () => {
    await page.goto("/");
    await waitForHydration(page);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog", { name: "Create your account" })).toBeVisible();
    await page.keyboard.press("Escape");
    for (const { path: to, heading } of SCREENS.slice(1)) {
      await follow(page, to);
      await expectScreen(page, heading);
    }
    expect(warnings).toEqual([]);
  });
});

const COUNT = "Count {count}</button>";
const USE_STATE = 'import { useState } from "react";';
const ERRORS = [
  ["Syntax", COUNT, "Count {count</button>", /src\/pages\/home\.tsx:\d+:\d+/, "Count {count</button>"],
  ["Build", USE_STATE, `${USE_STATE}\nexport * from "dayjs";`, /home\.tsx:3:1/, "npm install dayjs"],
  ["Type", "useState(0)", 'useState<number>("0")', /home\.tsx:11:\d+/, "TS2345"],
  ["Render", COUNT, "Count {count} {data[2].length}</button>", /home\.tsx:16:\d+/, "COL110"],
  ["Purity", COUNT, "Count {count} {Math.random()}</button>", /home\.tsx:16:\d+/, "COL102"],
  // Only the build's problem is shown, not what the browser reports.
  ["Policy", HEADING, `${HEADING}<img alt="" src="https://blocked.example/a.png" />`, /home\.tsx:14:\d+/, "COL125"],
  ["Hydration", COUNT, "Count {'document' in globalThis ? count : '-'}</button>", /home\.tsx:16:9/, "+ "],
] as const;

/** Expects that the overlay is accessible in both color schemes, and that the page works once it is closed. */
async function expectAccessibleOverlay(page: Page): Promise<void> {
  await expect(overlay(page).getByRole("button", { name: "Close" })).toBeFocused();
  await expect(overlay(page).locator("pre span")).toBeInViewport({ ratio: 1 });
  await expectAccessible(page, { selector: "colonnade-development-problems" });
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(overlay(page)).toHaveCSS("background-color", "rgb(38, 38, 43)");
  await expectAccessible(page, { selector: "colonnade-development-problems" });
  await page.keyboard.press("Escape");
  await expect(overlay(page)).toBeHidden();
  await page.getByRole("button", { name: "Count 2" }).click();
  await expect(page.getByRole("button", { name: "Count 3" })).toBeVisible();
}

test("The overlay shows seven kinds of errors", async ({ page, development }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openCounter(page);
  for (const [kind, from, to, location, text] of ERRORS) {
    await test.step(kind, async () => {
      await development.edit(HOME, from, to);
      if (kind === "Hydration") {
        // Hydration happens only when the page loads.
        await expect(page.getByRole("button", { name: "Count 0" })).toBeVisible();
        await expect(overlay(page)).toBeHidden();
        await expect.poll(async () => (await page.request.get("/hello")).text()).toContain(">Count <!-- -->-</button>");
        await page.reload();
      }
      const problem = overlay(page)
        .getByRole("article")
        .filter({ hasText: `${kind} error in hello` });
      await expect(problem.getByRole("heading")).toHaveText(location);
      await expect(problem).toContainText(text);
      await expect(problem.locator("pre").first()).toContainText(/^> +\d+ \|/m);
      if (text.startsWith("COL")) {
        const link = problem.getByRole("link", { name: `About ${text}` });
        const [url, anchor = ""] = (await link.getAttribute("href"))?.split("#") ?? [];
        expect(await (await page.request.get(String(url))).text()).toContain(`id="${anchor}"`);
      }
      await expect
        .poll(() => development.output.join("\n"))
        .toMatch(new RegExp(`hello: ${kind.toLowerCase()} error at src/pages/home.tsx:\\d+:\\d+\n`));
      if (kind === "Syntax") await expectAccessibleOverlay(page);
      await development.edit(HOME, to, from);
      await expect(overlay(page)).toBeHidden();
    });
  }
});

test("An error of a stylesheet is shown once", async ({ page, development }) => {
  await openCounter(page);
  const broken = '.lead { background: url("./nowhere.png");';
  await development.edit(CSS, ".lead {", broken);
  const problems = overlay(page).getByRole("article");
  await expect(problems.filter({ hasText: "cannot find ./nowhere.png" })).toHaveCount(1);
  await expect(problems).toHaveCount(1);
  await development.edit(CSS, broken, ".lead {");
  await expect(overlay(page)).toBeHidden();
});

test("An endless loop does not reach the browser", async ({ page, context, development }) => {
  await openCounter(page);
  await development.edit(HOME, "return (", "for (;;); return (");
  await expect(overlay(page)).toContainText("COL111");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Count 2" }).click();
  await expect(page.getByRole("button", { name: "Count 3" })).toBeVisible();

  const other = await context.newPage();
  expect((await other.goto(`${development.url}/hello`))?.status()).toBe(500);
  await expect(overlay(other)).toContainText("COL111");
  await development.edit(HOME, "for (;;); return (", "return (");
  for (const tab of [page, other]) {
    await expect(tab.getByRole("button", { name: "Count 0" })).toBeVisible();
    await expect(overlay(tab)).toBeHidden();
  }
  await other.close();
});

test("The overlay shows errors after hydration", async ({ page, development }) => {
  // Both errors come from one edit, because a further build discards the errors of earlier builds.
  const from = "setCount(count + 1)}>Count";
  const to = '{ document.body.setAttribute("style", "color: red"); throw new Error("clicked"); }}>Throw';
  await openCounter(page);
  await development.edit(HOME, from, to);
  // The response waits for running builds.
  await expect.poll(async () => (await page.request.get("/hello")).text()).toContain(">Throw ");
  await page.getByRole("button", { name: "Throw 2" }).click();
  const problems = overlay(page).getByRole("article");
  const location = /hello, src\/pages\/home\.tsx:16:\d+$/;
  await expect(problems.filter({ hasText: "clicked" }).getByRole("heading", { name: "Runtime error" })).toHaveText(
    location,
  );
  await expect(problems.getByRole("heading", { name: "Policy error" })).toHaveText(location);
  await development.edit(HOME, to, from);
  await expect(overlay(page)).toBeHidden();
});

test("A policy error of a browser ends with its cause", async ({ page, development }) => {
  // The static rules find only literal URLs, and the server renders no image.
  const image = `${HEADING}{count > 0 && <img alt="" src={["https:", "", "blocked.example", "a.png"].join("/")} />}`;
  await openCounter(page);
  await development.edit(HOME, HEADING, image);
  const title = overlay(page).getByRole("heading", { level: 2 });
  await expect(title).toHaveText(/^Policy error in hello, src\/pages\/home\.tsx:14:\d+$/);
  await expect(overlay(page)).toContainText("blocks https://blocked.example/a.png (img-src).");
  await expect(overlay(page)).toContainText(
    'policy: { images: ["blocked.example"] } in section.config.js, and images = ["blocked.example"] in [policy.sections.hello]',
  );
  await development.edit(HOME, image, HEADING);
  await expect(overlay(page)).toBeHidden();
});

test("A feature that the browser denies has its cause", async ({ page, development, browserErrors }) => {
  const from = "setCount(count + 1)}>Count";
  // The static rules do not see it.
  const to = 'Reflect.get(navigator, "geolocation").getCurrentPosition(String)}>Locate';
  await openCounter(page);
  await development.edit(HOME, from, to);
  await page.getByRole("button", { name: "Locate 2" }).click();
  await expect(overlay(page).getByRole("heading", { level: 2 })).toHaveText(
    /^Policy error in hello, src\/pages\/home\.tsx:16:\d+$/,
  );
  await expect(overlay(page)).toContainText("The Permissions Policy denies geolocation.");
  await expect(overlay(page)).toContainText(
    'policy: { features: ["geolocation"] } in section.config.js, and features = ["geolocation"] in [policy.sections.hello]',
  );
  await development.edit(HOME, to, from);
  await expect(overlay(page)).toBeHidden();
  expectErrorsAbout(browserErrors, /permissions policy/i);
});

test("A section that Vite builds reloads, and stays as it is if a build fails", async ({ page, development }) => {
  const heading = page.getByRole("main").getByRole("heading", { level: 1 });
  await page.goto("/vite/Welsh");
  await expectScreen(page, "Shwmae");
  await waitForHydration(page);
  await page.getByRole("button", { name: "Say it again" }).click();
  await expect(page.getByText("in Welsh 2 times")).toBeVisible();

  await development.edit(GREETING, '"Shwmae"', '"Helo"');
  await expect(heading).toHaveText("Helo");
  await expect(page.getByText("in Welsh 1 times")).toBeVisible();

  await development.edit(GREETING, "<h1>{words}", "<h1>{words");
  await expect(overlay(page)).toContainText("`node build.js` failed with exit code 1:");
  await expect(overlay(page)).toContainText("src/pages/greeting.tsx:48:");
  await expect(heading).toHaveText("Helo");
  expect(await (await page.request.get("/vite/Welsh")).text()).toContain("<h1>Helo</h1>");

  const from = "setTimes(times + 1);\n        }}\n      >\n        Say it again";
  const to = 'throw new Error("clicked");\n        }}\n      >\n        Throw';
  await development.edit(GREETING, from, to);
  await development.edit(GREETING, "<h1>{words", "<h1>{words}");
  await expect(page.getByRole("button", { name: "Throw" })).toBeVisible();
  await waitForHydration(page);
  await page.getByRole("button", { name: "Throw" }).click();
  await expect(overlay(page)).toContainText("Runtime error in vite, src/pages/greeting.tsx:24:");

  await development.edit(GREETING, to, from);
  await development.edit(GREETING, '"Helo"', '"Shwmae"');
  await expect(heading).toHaveText("Shwmae");
  await expect(overlay(page)).toBeHidden();

  // A page of another section, with an extension of this one.
  await page.goto("/state/Texas");
  await expect(page.getByText("Say it to Texas")).toBeVisible();
  await development.edit(VITE_ASIDE, "Say it to", "Call it out to");
  await expect(page.getByText("Call it out to Texas")).toBeVisible();
});

test("A new page appears", async ({ page, development }) => {
  expect((await page.goto("/hello/new"))?.status()).toBe(404);
  await development.edit("src/section.ts", "pages: {", 'pages: { "/hello/new": () => import("./pages/home"),');
  await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toHaveText("Counter");
  await expect(overlay(page)).toBeHidden();
  expect((await page.request.get("/hello/new")).status()).toBe(200);
  await page.evaluate(() => {
    document.querySelector<HTMLAnchorElement>("footer a[href='/terms']")?.click();
  });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Terms of use");
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Counter");
});

test("No other visitor gets a development section", async ({ page, secureSite, development, playwright }) => {
  const visitor = await playwright.request.newContext({ baseURL: secureSite.url, ignoreHTTPSErrors: true });
  const read = async (pagePath: string): Promise<string> => {
    const response = await visitor.get(pagePath);
    return `${String(response.status())} ${await response.text()}`;
  };
  const before = [await read("/hello"), await read("/signup"), await read("/sitemap.xml")];
  await page.goto("/signup");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Create your account");
  expect(await page.content()).toContain("/assets/signup/development/");
  await openCounter(page);
  expect([await read("/hello"), await read("/signup"), await read("/sitemap.xml")]).toEqual(before);
  expect(before[0]).toMatch(/^404 /);
  for (const document of before) expect(document).not.toContain("development/");
  // This test and the earlier tests send no error reports and no requests to the admin API.
  const log = secureSite.gateway.log.join("\n");
  expect(log).not.toMatch(/"(POST|PUT)".*(_report|\/api\/v1\/)/);
  expect((await visitor.get("/assets/hello/development/entry.js")).status()).toBe(404);
  expect(development.output.join()).not.toContain(secureSite.access.token);
  await visitor.dispose();
});

test("The command names what weighs most in pages, of webpack and of Vite", async ({ development }) => {
  const output = expect.poll(() => development.output.join("\n"));
  await output.toMatch(
    /^signup: the page \/success imports [\d.]+ KiB of scripts, .*: src\/pages\/success\.tsx [\d.]+ KiB,/m,
  );
  await output.toMatch(
    /^vite: the page \/vite\/:language loads [\d.]+ KiB of scripts \(Brotli\): entry\.js [\d.]+ KiB\./m,
  );
});

test("The command prints where it serves each section, forwards requests and refuses other hosts", async ({
  request,
  development,
  secureSite,
}) => {
  for (const name of ["hello", "signup"])
    await expect
      .poll(() => development.output)
      .toContain(`${development.url}/${name} serves ${name} in ${secureSite.url}`);
  const response = await request.get("/api/echo/cities?state=Texas");
  expect(await response.json()).toEqual({ url: "/base/cities?state=Texas" });
  const status = await new Promise((resolve) => {
    sendRequest(development.url, { headers: { host: "site.example" } }, (received) => {
      resolve(received.resume().statusCode);
    }).end();
  });
  expect(status).toBe(421);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a form shows its outcome", async ({ page, development }) => {
    await page.goto("/signup");
    const { email } = await signUp(page.getByRole("main"), { email: newEmail("reject") });
    await expect(page.getByRole("main")).toContainText("This email address is already registered.");
    await expect(page.getByLabel("Email")).toHaveValue(email);
    expect(await page.content()).toContain("/assets/signup/development/");
    await page.goto("/signup");
    await signUp(page.getByRole("main"));
    await expect(page).toHaveURL(`${development.url}/success`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your account");
  });
});
