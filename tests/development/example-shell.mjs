// Runs the site in examples/minimal-shell, another company's: its shell and one section. PORT and ADMIN_PORT override the defaults.
import path from "node:path";

import { build } from "@colonnade/cli";

import { MINIMAL, MINIMAL_CONFIG, ROOT } from "../support/repository.mjs";
import { portFrom } from "./ports.mjs";
import { fail, serve } from "./serve.mjs";

const port = portFrom("PORT", 8180);
for (const folder of MINIMAL) await build(folder, { final: false }).catch(fail);
await serve({
  port,
  adminPort: portFrom("ADMIN_PORT", 9190),
  store: path.join(ROOT, ".run", String(port), "store"),
  packages: MINIMAL,
  base: MINIMAL_CONFIG,
});
