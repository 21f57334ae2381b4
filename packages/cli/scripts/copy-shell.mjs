// Copies the development variant of the built shell into the package, so that `colonnade dev` works without a site.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";

const CLI = path.resolve(import.meta.dirname, "..");
const NAME = "development.tgz";

const source = path.join(CLI, "../../shell/release/client", NAME);

if (!existsSync(source)) {
  console.error(`${source} does not exist; run make build first.`);
  process.exit(1);
}
mkdirSync(path.join(CLI, "shell"), { recursive: true });
copyFileSync(source, path.join(CLI, "shell", NAME));
