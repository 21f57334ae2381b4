import { once } from "node:events";
import { createInterface } from "node:readline";

import type { CommandContext } from "./context.js";

/** Asks a question on the terminal. Returns true without a question if there is no terminal. */
export async function confirm({ stdin, stderr }: CommandContext, question: string): Promise<boolean> {
  if (!stdin?.isTTY || !stderr.isTTY) return true;
  stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  // Without a line, the terminal was closed.
  const answer = await Promise.race([once(lines, "line"), once(lines, "close")]);
  lines.close();
  return /^\s*y(es)?\s*$/i.test(String(answer[0] ?? ""));
}
