// Compares the privacy policy with what the code of the site can put into a browser.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { TAB_KEYS } from "@colonnade/design/tab";
import { expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");

/** What stores something in a browser, besides the history. */
const STORES = /(?:local|session)Storage[).]|indexedDB|cookieStore|caches\.|serviceWorker|document\.cookie/;

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}

/** The files below these folders. */
function filesOf(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.relative(ROOT, path.join(parentPath, name))),
  );
}

/** The cookies of the gateway's public listener. */
function cookies(): string[] {
  return filesOf("gateway/crates/platform/src", "gateway/crates/site/src").flatMap((file) =>
    [...read(file).matchAll(/const COOKIE: &str = "(.+)"/g)].map(([, name = ""]) => name),
  );
}

it("the privacy policy lists each cookie and each key of session storage", () => {
  const [, section = ""] = /\n## Cookies and storage\n(.*?)\n## /s.exec(read("mfe-legal/content/privacy.md")) ?? [];
  const listed = [...section.matchAll(/^- \*\*.+?:\*\* `(.+?)`/gm)].map(([, name = ""]) => name);
  expect(listed.sort()).toEqual([...cookies(), ...TAB_KEYS].sort());
  expect(cookies()).toHaveLength(2);
  const [, days = ""] =
    /COOKIE_SECONDS: i64 = (\d+) \* 24 \* 60 \* 60;/.exec(read("gateway/crates/platform/src/rollout/mod.rs")) ?? [];
  expect(section).toContain(`ends ${days} days after it was last set`);
});

it("only two modules of the site use what a browser stores", () => {
  const sources = filesOf(
    ...["shell", "mfe-directory", "mfe-articles", "mfe-legal", "mfe-signup"].map((section) => `${section}/src`),
    ...["design", "kit", "shell"].map((name) => `packages/${name}/src`),
  );
  const using = sources.filter((file) => /(?<!\.test)\.tsx?$/.test(file) && STORES.test(read(file))).sort();
  expect(using).toEqual(["keys.ts", "storage.ts"].map((name) => `packages/design/src/tab/${name}`));
});
