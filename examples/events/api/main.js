// Runs the API. PORT is 9200 by default. DATABASE is the path of the database; by default it is in memory, so RSVPs are lost
// when the API stops.
import { startApi } from "./server.js";

const port = Number(process.env["PORT"] ?? 9200);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`PORT is "${String(process.env["PORT"])}"; expected a port number from 0 to 65535`);
  process.exit(2);
}

try {
  const api = await startApi({
    port,
    location: process.env["DATABASE"] ?? ":memory:",
    log: (entry) => {
      console.log(JSON.stringify(entry));
    },
  });
  console.log(JSON.stringify({ listening: api.url }));
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => {
      if (!isStopping) void api.close();
      isStopping = true;
    });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
