import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import type { Release } from "@colonnade/kit/build";

import { createToken } from "../support/config.mjs";
import { expect, sectionCommand, test } from "../support/section-command";

async function builtVersion(section: string): Promise<string> {
  const release = JSON.parse(await readFile(path.join(section, "release/release.json"), "utf8")) as Release;
  return release.version;
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const before = await readFile(file, "utf8");
  expect(before).toContain(from);
  await writeFile(file, before.replace(from, to));
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

test("A new team ships its section from an empty folder", async ({ page, startOwnSite, folder }) => {
  test.setTimeout(180_000);
  // A token for one section only, which does not exist yet.
  const { token, hash } = createToken();
  const actions = ["publish", "deploy", "rollback", "preview"];
  const own = await startOwnSite({
    config: { admin: { tokens: [{ name: "hello team", hash, sections: ["hello"], actions }] } },
  });
  const section = sectionCommand({ url: own.gateway.admin, token });
  const hello = path.join(folder, "hello");
  const expectHeading = async (text: string): Promise<void> => {
    await page.goto(`${own.url}/hello`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(text);
  };

  await test.step("new, build, publish, deploy", async () => {
    expect(await section(folder, "new", "hello")).toContain(
      "created hello/ with a page at /hello and a Git repository\n",
    );
    await section(hello, "build");
    const version = await builtVersion(hello);
    expect(await section(hello, "publish")).toBe(`hello@${version} is published\n`);
    expect(await section(hello, "publish")).toBe(`hello@${version} was already published\n`);
    expect(await section(hello, "deploy", "--reason", "our first page")).toMatch(
      /^deployment \d+ is live\nhttp\S+\/hello\n$/,
    );
    await expectHeading("Hello");
  });
  const first = await builtVersion(hello);

  await edit(path.join(hello, "src/pages/home.tsx"), "<h1>Hello</h1>", "<h1>Hello again</h1>");
  await section(hello, "build");
  const second = await builtVersion(hello);

  await test.step("deploy --rollout, status", async () => {
    await section(hello, "publish");
    expect(await section(hello, "deploy", "--rollout", "10")).toMatch(
      /^deployment \d+ is the candidate, for 10% of visitors\n/,
    );
    const status = JSON.parse(await section(hello, "status", "--json")) as Status;
    expect(status.rollouts).toMatchObject([{ percent: 10, by: "hello team" }]);
    expect(status.sections.find(({ name }) => name === "hello")).toMatchObject({ live: first, candidate: second });
    const table = await section(hello, "status");
    expect(table).toContain(`deployment ${String(status.live)} is live\n`);
    expect(table).toMatch(/^hello +\d+ +10% +hello team +/m);
    expect(table).toMatch(
      new RegExp(`^hello +${first} +${second} +${second} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC$`, "m"),
    );
  });

  await test.step("promote", async () => {
    expect(await section(hello, "promote", "--percent", "50")).toContain("for 50% of visitors");
    expect(await section(hello, "promote")).toMatch(/^deployment \d+ is live\n$/);
    await expectHeading("Hello again");
  });

  await test.step("rollback", async () => {
    expect(await section(hello, "rollback")).toMatch(/^deployment \d+ is live, with hello@/);
    await expectHeading("Hello");
  });

  await test.step("history", async () => {
    const { entries } = JSON.parse(await section(hello, "history", "--limit", "5", "--json")) as History;
    expect(entries.map(({ action }) => action)).toEqual(["rollback", "promote", "percent", "rollout", "deploy"]);
    expect(entries.at(-1)).toMatchObject({ by: "hello team", reason: "our first page" });
  });

  await test.step("logs", async () => {
    const { entries } = JSON.parse(await section(hello, "logs", "--json")) as Log;
    const happened = entries.map(({ kind, change }) => change?.action ?? kind);
    expect(happened.filter((what) => !what.startsWith("trial-"))).toEqual([
      ...["published", "deploy", "published", "rollout", "percent", "promote", "rollback"],
    ]);
    expect(happened.slice(0, 3)).toEqual(["published", "trial-started", "trial-passed"]);
  });

  await test.step("preview", async () => {
    const [link = ""] = (await section(hello, "preview", `hello@${second}`, "--path", "/hello")).split("\n");
    // The link has the site's public origin, which is not where this gateway listens.
    await page.goto(`${own.url}${new URL(link).pathname}`);
    await expect(page.getByRole("complementary", { name: "Preview" })).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Hello again");
    await page.getByRole("button", { name: "End preview" }).click();
    await expectHeading("Hello");
  });

  await test.step("Actions outside the token's scope are rejected", async () => {
    await expect(section(hello, "rollback", "--section", "directory")).rejects.toThrow(/403/);
    await expect(section(hello, "garbage-collect")).rejects.toThrow(/403/);
  });
});
