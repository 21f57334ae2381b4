import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";

import type { Site } from "../support/site.mjs";

/** The cookie with a visitor's draws for the running rollouts. */
export const ROLLOUT_COOKIE = "colonnade-rollout";
/** The first visitors to join a rollout. */
export const FIRST_COHORT = 0;
/** The last visitors to join a rollout. */
export const LAST_COHORT = 4_294_967_295;

interface StoredState {
  readonly visible: { readonly rollouts: readonly { readonly id: string; readonly key: string }[] };
}

/** The rollout cookie of a visitor who is in the last cohort of each rollout, and in this one of the newest. */
export async function cookieOfCohort({ store }: Pick<Site, "store">, cohort: number): Promise<string> {
  const state = JSON.parse(await readFile(path.join(store, "live.json"), "utf8")) as StoredState;
  const { rollouts } = state.visible;
  return rollouts
    .map(({ id, key }, index) => {
      const draw = `${id}.${String(index === rollouts.length - 1 ? cohort : LAST_COHORT)}`;
      const signature = createHmac("sha256", Buffer.from(key, "base64url")).update(draw).digest("base64url");
      return `${draw}.${signature}`;
    })
    .join(":");
}
