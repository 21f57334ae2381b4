import type { AdminAccess } from "@colonnade/cli";

import { test as base } from "../support/own-site";
import { createToken, type Table } from "../support/config.mjs";
import type { Site } from "../support/site.mjs";

/** Access by a token. */
type TokenAccess = AdminAccess & { readonly token: string };

/** Versions by section name. Null removes a section. */
export type Releases = Readonly<Record<string, string | null>>;

/** A running rollout in the admin API. */
export interface Rollout {
  readonly deployment: number;
  readonly percent: number;
}

/** A history entry. */
export interface Change {
  readonly action: string;
  readonly live: number;
}

/** An admin API client whose token permits everything. */
export interface Operator {
  readonly access: TokenAccess;
  deploy(
    releases: Releases,
    options?: { percent?: number; steps?: string },
  ): Promise<{ number: number; live: boolean }>;
  promote(deployment: number): Promise<{ number: number; live: boolean }>;
  rollback(what: { section: string } | { deployment: number }): Promise<{ number: number }>;
  preview(releases: Releases, path: string): Promise<{ deployment: number; url: string }>;
  endPreviews(): Promise<void>;
  collect(): Promise<{ deployments: number[]; releases: string[] }>;
  deployments(): Promise<{ live: number | null; rollouts: Rollout[] }>;
  history(): Promise<{ entries: Change[] }>;
}

function operatorOf(access: TokenAccess): Operator {
  async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${access.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${access.token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  }
  return {
    access,
    deploy: (releases, options) => call("POST", "/deployments", { releases, ...options }),
    promote: (deployment) => call("POST", `/deployments/${String(deployment)}/promote`, {}),
    rollback: (what) => call("POST", "/rollback", what),
    preview: (releases, path) => call("POST", "/previews", { releases, path }),
    endPreviews: () => call("DELETE", "/previews"),
    collect: () => call("POST", "/garbage-collection", {}),
    deployments: () => call("GET", "/deployments"),
    history: () => call("GET", "/history"),
  };
}

/** A separate site and its operator. */
export interface Operated {
  readonly own: Site;
  readonly operator: Operator;
}

/** Fixtures of tests with an operator. */
export interface OperatorFixtures {
  /** Starts a separate site with configuration changes, and an operator. */
  operate: (changes?: Table) => Promise<Operated>;
}

/** The browser tests' `test` for deployments, rollouts and previews. */
export const test = base.extend<OperatorFixtures>({
  operate: async ({ startOwnSite }, use) => {
    await use(async (changes = {}) => {
      const { token, hash } = createToken();
      const actions = ["publish", "deploy", "rollback", "preview", "garbage_collect"];
      const tokens = [{ name: "operator", hash, sections: ["*"], actions }];
      const own = await startOwnSite({ config: { admin: { tokens }, ...changes } });
      return { own, operator: operatorOf({ url: own.gateway.admin, token }) };
    });
  },
});

export { expect } from "@playwright/test";
