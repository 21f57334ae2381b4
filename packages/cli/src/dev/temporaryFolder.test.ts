import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "vitest";

import { temporaryFolder } from "../../fixtures/temporary.js";

const MODULE = path.resolve(import.meta.dirname, "../../dist/dev/temporaryFolder.js");
const SOURCE = `const { createTemporaryFolder } = await import(${JSON.stringify(MODULE)});
console.log(await createTemporaryFolder());
setInterval(() => {}, 1000);`;

test("folders of killed processes are deleted", async () => {
  const parent = await temporaryFolder();
  const start = async (): Promise<{ readonly name: string; kill(): Promise<void> }> => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", SOURCE], {
      env: { ...process.env, TMPDIR: parent },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const kill = async (): Promise<void> => {
      child.kill("SIGKILL");
      await once(child, "exit");
    };
    return { name: path.basename(String(line).trim()), kill };
  };
  const running = await start();
  const killed = await start();
  await killed.kill();
  const next = await start();
  expect((await readdir(parent)).sort()).toEqual([running.name, next.name].sort());
  await Promise.all([running.kill(), next.kill()]);
});
