// Copies the globals of the gateway's render sandbox into the kit, where `section check` uses them.
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";

const KIT = path.resolve(import.meta.dirname, "..");
const SOURCE = path.join(KIT, "../gateway/crates/render/src/worker/globals.js");
const TARGET = path.join(KIT, "dist/check/globals.js");

mkdirSync(path.dirname(TARGET), { recursive: true });
copyFileSync(SOURCE, TARGET);
