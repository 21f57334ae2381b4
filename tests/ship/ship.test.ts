import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Release } from "@colonnade/cli";
import type { Page } from "@playwright/test";

import type { BrowserErrors } from "../support/browser-errors";
import { createToken } from "../support/config.mjs";
import { readCommands, recipes, writeFiles } from "../support/guide";
import { expectHttpError } from "../support/http-errors";
import { holdRequests, waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { startRecipesUpstream, type RecipesUpstream } from "../support/recipes-upstream";
import { ROOT } from "../support/repository.mjs";
import { runCommand, sectionCommand, type RunSection } from "../support/section-command";
import { waitForDialogStyles } from "../support/signup";

async function builtVersion(section: string): Promise<string> {
  const release = JSON.parse(await readFile(path.join(section, "release/release.json"), "utf8")) as Release;
  return release.version;
}

interface Status {
  readonly live: number;
  readonly rollouts: readonly { readonly deployment: number; readonly percent: number; readonly by: string }[];
  readonly sections: readonly {
    readonly name: string;
    readonly live: string | null;
    readonly candidate: string | null;
  }[];
}

interface History {
  readonly entries: readonly { readonly action: string; readonly by: string; readonly reason?: string | null }[];
}

interface Log {
  readonly entries: readonly { readonly kind: string; readonly change?: { readonly action: string } }[];
}

/** What runs instead of commands that take long, unless in soak runs. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  // packages/cli/src/cli/packed.test.ts lints a new section.
  "npm run lint": [],
  // It finds the same errors in an eighth of the CPU time.
  "npm run check": ["node", path.join(ROOT, "node_modules/typescript-7/bin/tsc")],
  // Files share a process.
  "npm test": ["npm", "test", "--", "--no-isolate"],
};

type Follow = (heading: string, after?: (command: string) => Promise<void>) => Promise<string>;

/** The arguments of `colonnade` in a command of the tutorial. The kit has the code of `create-section`. */
function sectionArguments(words: readonly string[]): string[] {
  const create = words.indexOf("create-section");
  return create < 0 ? words.slice(words.indexOf("colonnade") + 1) : ["new", ...words.slice(create + 1)];
}

/** Runs the commands under a heading of docs/tutorial.md, each where the previous one left off. Returns their output. */
function tutorial(folder: string, section: RunSection): Follow {
  let current = folder;
  return async (heading, after) => {
    const outputs: string[] = [];
    for (const command of await readCommands("tutorial.md", heading)) {
      const words = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const [program, first = ""] = words;
      if (program === "cd") current = path.join(current, first);
      // The folder has its dependencies.
      else if (command === "npm install") continue;
      else if (program === "npm") {
        const short = process.env.SOAK ? words : (SHORT[command] ?? words);
        if (short.length > 0) outputs.push(await runCommand(current, short));
      } else outputs.push(await section(current, ...sectionArguments(words)));
      await after?.(command);
    }
    return outputs.join("");
  };
}

/** Follows a link that the shell handles. */
function followLink(page: Page, target: string): Promise<void> {
  return page.getByRole("main").evaluate((main, href) => {
    const link = Object.assign(document.createElement("a"), { href });
    main.append(link);
    link.click();
    link.remove();
  }, target);
}

/** Leaves an app by Back and by a link: its content stays until the next page is loaded. */
async function expectLeaves(page: Page, app: string, name: string): Promise<void> {
  // The fallback of the page has no link.
  const link = page.getByRole("link", { name });
  const article = new URL("/hello/news/7", app).href;
  await page.goto(article);
  await waitForHydration(page);
  for (const leave of [() => page.goBack(), () => followLink(page, article)]) {
    await followLink(page, app);
    await expect(link).toBeVisible();
    const resume = await holdRequests(page, /\/api\/news\/7$/);
    const requested = page.waitForRequest(/\/api\/news\/7$/);
    await Promise.all([leave(), requested]);
    await expect(page).toHaveURL(article);
    // A router renders in the same frame or the next one.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await expect(link).toBeVisible();
    resume();
    await expect(page.locator("#user-content-back")).toBeVisible();
  }
}

/** Moves within the app of docs/recipes/app.md by its own links, Back, and a link that the shell follows. */
async function expectApp(page: Page, shop: string): Promise<void> {
  const heading = page.getByRole("heading", { level: 1 });
  const cart = page.getByRole("button", { name: "In the cart" });
  await page.goto(shop);
  await expect(heading).toHaveText("Products");
  await cart.click();
  await page.getByRole("link", { name: "Lamp" }).click();
  await expect(heading).toHaveText("Product 7");
  await expect(page).toHaveURL(`${shop}/products/7`);
  await page.goBack();
  await expect(heading).toHaveText("Products");
  await followLink(page, `${shop}/products/8`);
  await expect(heading).toHaveText("Product 8");
  await expect(page).toHaveTitle(/^Shop/);
  await page.goBack();
  await expect(heading).toHaveText("Products");
  // The app was never mounted again.
  await expect(cart).toHaveText("In the cart: 1");
  await page.goto(`${shop}/products/9`);
  await expect(heading).toHaveText("Product 9");
  await expectLeaves(page, shop, "Lamp");
}

/** Adds a page for the second app of docs/recipes/app.md, like that of the first one. */
async function addTeas(section: string): Promise<void> {
  const rename = (text: string): string => text.replaceAll("shop", "teas").replaceAll("Shop", "Teas");
  const entry = path.join(section, "src/section.ts");
  const declared = await readFile(entry, "utf8");
  await writeFile(
    entry,
    declared.replace(/^.*pages\/shop.*$/m, (line) => `${line}\n${rename(line)}`),
  );
  const shop = await readFile(path.join(section, "src/pages/shop.tsx"), "utf8");
  await writeFile(path.join(section, "src/pages/teas.tsx"), rename(shop));
}

/** Moves within that app, whose link to its first page has a trailing slash. */
async function expectTeas(page: Page, teas: string): Promise<void> {
  const heading = page.getByRole("heading", { level: 1 });
  await page.goto(teas);
  await page.getByRole("link", { name: "Green" }).click();
  await expect(heading).toHaveText("Tea: green");
  const link = page.getByRole("link", { name: "All teas" });
  await expect(link).toHaveAttribute("href", /\/teas\/$/);
  await link.focus();
  await link.click();
  await expect(heading).toHaveText("Teas");
  await page.goBack();
  await expect(heading).toHaveText("Tea: green");
  await page.goForward();
  await expect(heading).toHaveText("Teas");
  await expect(page).toHaveTitle(/^Teas/);
  await expectLeaves(page, teas, "Green");
}

/** Whether the page has loaded the parser of HTML. */
async function hasParser(page: Page): Promise<boolean> {
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  const scripts = loaded.filter((url) => url.endsWith(".js"));
  const texts = await Promise.all(scripts.map(async (url) => (await page.request.get(url)).text()));
  return texts.some((text) => text.includes("which is never allowed"));
}

/** Opens an article of docs/recipes/cms-html.md, and follows a link of the CMS to another one. */
async function expectCmsHtml(page: Page, hello: string): Promise<void> {
  await page.goto(`${hello}/news/7`);
  await waitForHydration(page);
  await expect(page.locator("#user-content-back")).toHaveText("back");
  await expect(page.locator("article p")).toHaveText("Tea is back. CupsFree");
  await page.evaluate(() => Object.assign(window, { isOpen: true }));
  expect(await hasParser(page)).toBe(false);
  await page.getByRole("link", { name: "Cups" }).click();
  await expect(page.getByRole("heading", { level: 2 })).toHaveText("Blue");
  expect(await page.evaluate(() => "isOpen" in window)).toBe(true);
  expect(await hasParser(page)).toBe(true);
}

/** Signs in and out in docs/recipes/sign-in.md. */
async function expectSignIn(page: Page, hello: string, browserErrors: BrowserErrors): Promise<void> {
  const signIn = async (password: string): Promise<void> => {
    await page.getByLabel("Name").fill("ada");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await page.goto(`${hello}/account`);
  await waitForHydration(page);
  await signIn("wrong");
  await expect(page.getByRole("alert")).toHaveText("Name or password is wrong.");
  await expectHttpError(browserErrors, 401);
  await signIn("right");
  await expect(page.getByText("You are signed in as Ada Lovelace.")).toBeVisible();
  expect(await (await page.request.get(`${hello}/account`)).text()).not.toContain("Ada");
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
}

/** Moves between pages of docs/recipes/analytics.md. */
async function expectViews(page: Page, hello: string, views: readonly string[]): Promise<void> {
  const heading = page.getByRole("heading", { level: 1 });
  await page.goto(`${hello}/guides/tea?utm_source=mail`);
  await expect.poll(() => views).toHaveLength(1);
  await page.getByRole("link", { name: "Which water?" }).click();
  await expect(page).toHaveURL(/#water$/);
  await page.getByRole("link", { name: "Coffee" }).click();
  await expect(heading).toHaveText("How to make coffee");
  await page.goBack();
  await expect(heading).toHaveText("How to make tea");
  await expect.poll(() => views).toEqual(Array(3).fill("/hello/guides/:guide"));
}

/** Opens each page of docs/recipes. */
async function expectRecipes(
  page: Page,
  hello: string,
  { views }: RecipesUpstream,
  browserErrors: BrowserErrors,
): Promise<void> {
  await expectCmsHtml(page, hello);
  await expectSignIn(page, hello, browserErrors);
  await expectViews(page, hello, views);

  await page.goto(`${hello}/story`);
  await waitForHydration(page);
  await page.getByRole("button", { name: "Cups of tea: 0" }).click();
  await expect(page.getByRole("button", { name: "Cups of tea: 1" })).toBeVisible();
  await expect(page.getByText("It began in 2019, with one question:")).toBeVisible();

  await page.goto(`${hello}/chart`);
  await expect(page.getByRole("img", { name: "Visits by day: Mon 120, Tue 180, Wed 90" })).toBeVisible();

  await page.route("**/api/weather?city=Amsterdam", (route) => route.fulfill({ json: { temperature: 21 } }));
  await page.goto(`${hello}/fetch`);
  await expect(page.getByText("It is 21 °C.")).toBeVisible();

  await page.route("**/api/messages", (route) => route.fulfill({ status: 204 }));
  await page.goto(`${hello}/forms`);
  await waitForHydration(page);
  await page.getByRole("textbox", { name: "Message" }).fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("Your message is sent.")).toBeVisible();

  await page.route("**/api/photos", async (route) => {
    const { "content-type": type = "" } = route.request().headers();
    await route.fulfill(type.startsWith("multipart/form-data; boundary=") ? { status: 204 } : { status: 400 });
  });
  await page.goto(`${hello}/photos`);
  await waitForHydration(page);
  await page.getByLabel("Photo").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("a") });
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("Your photo is sent.")).toBeVisible();

  await page.route("**/api/tickets/live", (route) =>
    route.fulfill({ contentType: "text/event-stream", body: "data: 12\n\n" }),
  );
  await page.routeWebSocket("**/api/chat", (socket) => {
    socket.onMessage((message) => {
      socket.send(`You: ${String(message)}`);
    });
  });
  await page.goto(`${hello}/live`);
  await expect(page.getByText("12 tickets are left")).toBeVisible();
  await page.getByRole("textbox", { name: "Your message" }).fill("Hello");
  await page.getByRole("button", { name: "Say it" }).click();
  await expect(page.getByText("You: Hello")).toBeVisible();

  await page.goto(`${hello}/dates`);
  await expect(page.getByRole("time")).toHaveText(/^September 1, 2026/);

  await page.goto(`${hello}/welcome`);
  await page.getByRole("link", { name: "Deutsch" }).click();
  await expect(page.getByText("3 Bücher sind neu.")).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect(page.locator("link[rel=alternate][hreflang=en]")).toHaveAttribute("href", /\/hello\/welcome$/);

  await page.goto(`${hello}/images`);
  await page.getByRole("img", { name: "Two boats" }).evaluate((image: HTMLImageElement) => image.decode());

  await page.goto(`${hello}/lazy`);
  await expect(page.getByRole("heading", { name: "Reviews" })).toBeVisible();
  await expect(page.getByText("The map is 1280 pixels wide.")).toBeVisible();

  await page.goto(`${hello}/worker`);
  await expect(page.getByText("78498 primes below 1000000")).toBeVisible();

  await expectApp(page, `${hello}/shop`);
  await expectTeas(page, `${hello}/teas`);
}

test("A new team ships its section from an empty folder", async ({ page, browserErrors, startOwnSite, folder }) => {
  const upstream = await startRecipesUpstream();
  // A token for one section only, which does not exist yet.
  const { token, hash } = createToken();
  const actions = ["publish", "deploy", "rollback", "preview"];
  const own = await startOwnSite({
    config: { ...upstream.config, admin: { tokens: [{ name: "hello team", hash, sections: ["hello"], actions }] } },
  });
  const section = sectionCommand({ url: own.gateway.admin, token });
  const hello = path.join(folder, "hello");
  const expectHeading = async (text: string): Promise<void> => {
    await page.goto(`${own.url}/hello`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(text);
  };

  const follow = tutorial(folder, section);
  await test.step("new, build, publish, deploy", async () => {
    // Nothing is installed from them.
    for (const name of ["kit", "cli"]) await writeFile(path.join(folder, `colonnade-${name}-0.1.0.tgz`), "");
    expect(await follow("Create a section")).toContain("created hello/ with a page at /hello and a Git repository\n");
    const output = await follow("Put it live");
    const version = await builtVersion(hello);
    expect(output).toContain(`hello@${version} is published\n`);
    expect(output).toMatch(/^deployment \d+ is live\nhttp\S+\/hello\n$/m);
    expect(await section(hello, "publish")).toBe(`hello@${version} was already published\n`);
    await expectHeading("Hello");
  });
  const first = await builtVersion(hello);

  await test.step("check, test, build, publish", async () => {
    for (const guide of ["tutorial.md", ...(await recipes())]) await writeFiles(guide, hello);
    await addTeas(hello);
    await follow("Change the page");
  });
  const second = await builtVersion(hello);

  await test.step("preview", async () => {
    const [link = ""] = (await follow("Preview it")).split("\n");
    // The link has the site's public origin, which is not where this gateway listens.
    await page.goto(`${own.url}${new URL(link).pathname}`);
    await page.getByRole("button", { name: "Start preview" }).click();
    await expect(page.getByRole("complementary", { name: "Preview" })).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Hello again");
    await waitForDialogStyles(page);
    await page.getByRole("button", { name: "End preview" }).click();
    await page.waitForURL(`${own.url}/`);
    await expectHeading("Hello");
  });

  const expectRollout = async (): Promise<void> => {
    const status = JSON.parse(await section(hello, "status", "--json")) as Status;
    expect(status.rollouts).toMatchObject([{ percent: 10, by: "hello team" }]);
    expect(status.sections.find(({ name }) => name === "hello")).toMatchObject({ live: first, candidate: second });
    const table = await section(hello, "status");
    expect(table).toContain(`deployment ${String(status.live)} is live\n`);
    expect(table).toMatch(/^hello +\d+ +10% +- +too few samples +hello team +/m);
    expect(table).toMatch(
      new RegExp(
        `^hello +${first} +- +${second} +${second} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC +- +- +\\d of 4096 MiB +2 of 500$`,
        "m",
      ),
    );
  };

  await test.step("deploy --rollout, status, promote", async () => {
    const output = await follow("Roll it out", async (command) => {
      if (command.endsWith(" status")) await expectRollout();
    });
    expect(output).toMatch(/^deployment \d+ is the candidate, for 10% of visitors$/m);
    expect(output).toContain("for 50% of visitors");
    expect(output).toMatch(/^deployment \d+ is live\n$/m);
    await expectHeading("Hello again");
  });

  await test.step("recipes", () => expectRecipes(page, `${own.url}/hello`, upstream, browserErrors));
  upstream.stop();

  await test.step("rollback, history", async () => {
    expect(await follow("Roll it back")).toMatch(/^deployment \d+ is live, with hello@/m);
    await expectHeading("Hello");
    const { entries } = JSON.parse(await section(hello, "history", "--limit", "6", "--json")) as History;
    const actions = ["deploy", "preview", "rollout", "percent", "promote", "rollback"];
    expect(entries.map(({ action }) => action)).toEqual(actions.toReversed());
    expect(entries.at(-1)).toMatchObject({ by: "hello team", reason: "our first page" });
  });

  await test.step("logs", async () => {
    const { entries } = JSON.parse(await section(hello, "logs", "--json")) as Log;
    const happened = entries.map(({ kind, change }) => change?.action ?? kind);
    expect(happened.filter((what) => !what.startsWith("trial-"))).toEqual([
      ...["published", "deploy", "published", "preview", "rollout", "percent", "promote", "rollback"],
    ]);
    expect(happened.slice(0, 3)).toEqual(["published", "trial-started", "trial-passed"]);
  });

  await test.step("Actions outside the token's scope are rejected", async () => {
    await expect(section(hello, "rollback", "--section", "directory")).rejects.toThrow(/403/);
    await expect(section(hello, "garbage-collect")).rejects.toThrow(/403/);
  });
});
