import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import { expect } from "@playwright/test";

import { publishedSite } from "./published-site";
import { ROOT } from "./repository.mjs";
import { COMMAND, sectionCommand } from "./section-command";
import { startSite, type Site } from "./site.mjs";

// Self-signed for localhost. Only the tests trust it.
const CERTIFICATE = path.join(ROOT, "tests/support/tls/certificate.pem");
const KEY = path.join(ROOT, "tests/support/tls/key.pem");

/** A page with state, at `/hello`. */
const COUNTER = `import { definePage } from "@colonnade/kit";
import { useState } from "react";

import css from "../page.module.css";

export const page = definePage({
  data: () => ["first", "second"],
  paths: () => ["/hello"],
  head: () => ({ title: "Counter", description: "A counter.", canonical: "/hello" }),
  Component: ({ data }) => {
    const [count, setCount] = useState(0);
    return (
      <div className="page">
        <h1>Counter</h1>
        <p className={css.lead}>{data.join(" and ")}</p>
        <button onClick={() => setCount(count + 1)}>Count {count}</button>
      </div>
    );
  },
});
`;

/** An extension with state, of a point of a released section. */
const KITES = `import { defineExtension } from "@colonnade/kit/extensions";
import { useState } from "react";

export const extension = defineExtension({
  data: () => ({}),
  Component: ({ props }: { readonly props: { readonly city: string } }) => {
    const [count, setCount] = useState(0);
    return (
      <button type="button" onClick={() => setCount(count + 1)}>
        {\`Kites over \${props.city}: \${String(count)}\`}
      </button>
    );
  },
});
`;

/** Sets a budget that each page exceeds. */
async function limit(config: string): Promise<void> {
  const text = await readFile(config, "utf8");
  await writeFile(config, text.replace('entry: "', 'budget: { scriptKib: 1 }, entry: "'));
}

/** A running `colonnade dev`. */
export interface Development {
  readonly url: string;
  /** Folder of the section "hello". */
  readonly folder: string;
  /** The lines that the command printed. */
  readonly output: readonly string[];
  /** Replaces text in a file of the section "hello". */
  edit(file: string, from: string, to: string): Promise<void>;
}

/** The file of the page at `/hello`. */
export const HOME = "src/pages/home.tsx";

/** The page of the section "vite", which Vite builds. */
export const GREETING = "../vite-section/src/pages/greeting.tsx";

/** The extension of the section "vite". */
export const VITE_ASIDE = "../vite-section/src/extensions/greeting.tsx";

/** The file of the extension of `directory/city-aside@1`. */
export const ASIDE = "src/aside.tsx";

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

/** Starts a site that accepts only HTTPS, like a production site. */
export async function startSecureSite(): Promise<Site> {
  const listen = { site: "127.0.0.1:0", admin: "127.0.0.1:0", tls: { certificate: CERTIFICATE, key: KEY } };
  const site = await startSite({ base: publishedSite(), config: { listen } });
  return { ...site, url: site.url.replace("http://127.0.0.1", "https://localhost") };
}

/** Starts `colonnade dev` for a new section "hello", the released section "signup" and an example that Vite builds. */
export async function startDevelopment(site: Site): Promise<Development & { stop(): Promise<void> }> {
  const parent = await mkdtemp(path.join(os.tmpdir(), "colonnade-dev-"));
  const folder = path.join(parent, "hello");
  await symlink(path.join(ROOT, "node_modules"), path.join(parent, "node_modules"));
  await sectionCommand(site.access)(parent, "new", "hello");
  await writeFile(path.join(folder, HOME), COUNTER);
  await writeFile(path.join(folder, ASIDE), KITES);
  const declaration = path.join(folder, "src/section.ts");
  const fills = 'extensions: { "directory/city-aside@1": () => import("./aside") },\n  pages: {';
  await writeFile(declaration, (await readFile(declaration, "utf8")).replace("pages: {", fills));
  // Without tsconfig.json, `colonnade dev` does not check the types of this section.
  const copied = { signup: "mfe-signup", "vite-section": "examples/vite-section" };
  for (const [name, source] of Object.entries(copied))
    await cp(path.join(ROOT, source), path.join(parent, name), {
      recursive: true,
      filter: (file) => !/[/\\](node_modules|release|dist|tsconfig\.json)$/.test(file),
    });
  for (const name of Object.keys(copied)) await limit(path.join(parent, name, "section.config.js"));
  const api = createServer((request, response) => {
    response.end(JSON.stringify({ url: request.url }));
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  const { port } = api.address() as AddressInfo;
  const options = ["--site", site.url, "--port", "0", "--api", `echo=http://127.0.0.1:${String(port)}/base`];
  const child = spawn(process.execPath, [COMMAND, "dev", "hello", ...Object.keys(copied), ...options], {
    cwd: parent,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATE },
  });
  const output: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => {
      reject(new Error(`colonnade dev ended:\n${output.join("\n")}`));
    });
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on("line", (line) => {
        output.push(line);
        const [, found] = /^(http:\S+)\/hello serves /.exec(line) ?? [];
        if (found) resolve(found);
      });
  });
  return {
    url,
    folder,
    output,
    async edit(file, from, to) {
      const text = await readFile(path.join(folder, file), "utf8");
      expect(text).toContain(from);
      await writeFile(
        path.join(folder, file),
        text.replace(from, () => to),
      );
    },
    async stop() {
      await stop(child);
      api.close();
      await rm(parent, { recursive: true, force: true });
    },
  };
}
