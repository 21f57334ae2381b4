// Runs the API. PORT is 9200 by default.
import { startApi } from "./server.js";

const log = (/** @type {object} */ entry) => {
  console.log(JSON.stringify(entry));
};

try {
  const api = await startApi({ port: Number(process.env["PORT"] ?? 9200), log });
  log({ listening: api.url });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void api.close());
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
