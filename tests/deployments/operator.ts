import type { AdminAccess } from "@colonnade/kit/build";

import { test as base } from "../support/beside";
import { createToken, type Table } from "../support/config.mjs";
import type { Site } from "../support/site.mjs";

/** Version by name of the section, null for one that is to go. */
export type Releases = Readonly<Record<string, string | null>>;

/** What the admin API tells of the rollout that runs. */
export interface Rollout {
  readonly deployment: number;
  readonly percent: number;
}

/** An entry of the history. */
export interface Change {
  readonly action: string;
  readonly live: number;
}

/** The admin API, called directly with a token that may do everything. */
export interface Operator {
  readonly access: AdminAccess;
  deploy(releases: Releases, options?: { percent?: number }): Promise<{ number: number; live: boolean }>;
  promote(deployment: number): Promise<{ number: number; live: boolean }>;
  rollback(what: { section: string } | { deployment: number }): Promise<{ number: number }>;
  preview(releases: Releases, path: string): Promise<{ deployment: number; url: string }>;
  endPreviews(): Promise<void>;
  collect(): Promise<{ deployments: number[]; releases: string[] }>;
  deployments(): Promise<{ live: number | null; rollout: Rollout | null }>;
  history(): Promise<{ entries: Change[] }>;
}

function operatorOf(access: AdminAccess): Operator {
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
    collect: () => call("POST", "/collect", {}),
    deployments: () => call("GET", "/deployments"),
    history: () => call("GET", "/history"),
  };
}

/** A site of the test's own and who operates it. */
export interface Operated {
  readonly own: Site;
  readonly operator: Operator;
}

interface OperatorFixtures {
  /** Starts a site of the test's own, with some tables of its configuration changed, and with somebody to operate it. */
  operate: (changes?: Table) => Promise<Operated>;
}

/** The test function for what operators do. */
export const test = base.extend<OperatorFixtures>({
  operate: async ({ beside }, use) => {
    await use(async (changes = {}) => {
      const { token, hash } = createToken();
      const actions = ["publish", "deploy", "rollback", "preview", "collect"];
      const tokens = [{ name: "operator", hash, sections: ["*"], actions }];
      const own = await beside({ changes: { admin: { tokens }, ...changes } });
      return { own, operator: operatorOf({ url: own.gateway.admin, token }) };
    });
  },
});

export { expect } from "@playwright/test";
