// Copies the development variant of the built shell into the kit, so that `colonnade dev` works without a site.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";

const KIT = path.resolve(import.meta.dirname, "..");
const NAME = "development.tgz";

const source = path.join(KIT, "../shell/release/client", NAME);

if (!existsSync(source)) {
  console.error(`${source} does not exist; run make build first.`);
  process.exit(1);
}
mkdirSync(path.join(KIT, "shell"), { recursive: true });
copyFileSync(source, path.join(KIT, "shell", NAME));
