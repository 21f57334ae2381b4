import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";

import type { Site } from "../support/site.mjs";

/** The cookie with a visitor's group, from which each rollout selects its visitors. */
export const ROLLOUT_COOKIE = "colonnade-rollout";

interface StoredState {
  readonly visible: { readonly rollouts: readonly { readonly key: string; readonly percent: number }[] };
}

/** The rollout cookie of a visitor whom the newest rollout includes, or not, and no other one. */
export async function rolloutCookie({ store }: Pick<Site, "store">, isCandidate: boolean): Promise<string> {
  const state = JSON.parse(await readFile(path.join(store, "live.json"), "utf8")) as StoredState;
  const { rollouts } = state.visible;
  const groups = Array.from({ length: 65_536 }, (_, group) => group.toString(16).padStart(4, "0"));
  const found = groups.find((group) =>
    rollouts.every(({ key, percent }, index) => {
      const hash = createHmac("sha256", Buffer.from(key, "base64url")).update(Buffer.from(group, "hex")).digest();
      const isIncluded = hash.readUInt32BE(0) < (percent / 100) * 2 ** 32;
      return isIncluded === (isCandidate && index === rollouts.length - 1);
    }),
  );
  if (found === undefined) throw new Error("no visitor is selected like this");
  return found;
}
