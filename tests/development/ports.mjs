/**
 * Reads a port from the environment. Ends the process if it is invalid.
 *
 * @param {string} name
 * @param {number} fallback
 */
export function portFrom(name, fallback) {
  const text = process.env[name] ?? String(fallback);
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  console.error(`${name} is "${text}"; expected a port number from 0 to 65535`);
  process.exit(1);
}
