// Runs a fake compiler, which prints what TypeScript prints.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import path from "node:path";

import { expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { TypeCheck } from "./typeCheck.js";

const COMPILER = `
const { utimesSync } = require("node:fs");
const pass = (text) => console.log(text + "\\nFound 1 error. Watching for file changes.");
pass("home.ts(1,1): error TS1: first");
console.log("File change detected. Starting incremental compilation...");
const later = Date.now() / 1000 + 60;
utimesSync("home.ts", later, later);
pass("home.ts(1,1): error TS2: stale\\nother.ts(1,1): error TS3: current");
setInterval(() => {}, 1000);
`;

test("errors in files that changed during a pass are dropped", async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    "tsconfig.json": "{}",
    "home.ts": "1;",
    "other.ts": "1;",
    "node_modules/typescript/package.json": '{ "bin": { "tsc": "tsc.js" } }',
    "node_modules/typescript/tsc.js": COMPILER,
  });
  const passes: string[][] = [];
  await new Promise<void>((resolve) => {
    const check = new TypeCheck(folder, "hello", () => {
      passes.push(check.problems.map(({ message }) => message));
      if (passes.length === 2) resolve();
    });
  });
  expect(passes).toEqual([["TS1: first"], ["TS3: current"]]);
});

test("the compiler ends when its parent is killed", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    "tsconfig.json": "{}",
    "node_modules/typescript/package.json": '{ "bin": { "tsc": "tsc.js" } }',
    "node_modules/typescript/tsc.js": `require("node:net").connect(${String(port)}, "127.0.0.1");`,
  });
  const module = path.resolve(import.meta.dirname, "../../dist/dev/typeCheck.js");
  const source =
    `const { TypeCheck } = await import(${JSON.stringify(module)});\n` +
    `new TypeCheck(${JSON.stringify(folder)}, "hello", () => {});`;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: "inherit" });
  const [socket] = (await once(server, "connection")) as [Socket];
  parent.kill("SIGKILL");
  // The end of the compiler closes its connection.
  await once(socket.resume(), "close");
  server.close();
});
