import { UsageError } from "../build/config.js";
import { callAdmin, type AdminAccess, type Deployment } from "./api.js";

/** What a deploy did. */
export interface Deployed {
  readonly deployment: Deployment;
  /** False where these releases were live already. */
  readonly isNew: boolean;
}

/**
 * Parses `name@version`.
 *
 * @throws UsageError when it is something else.
 */
export function parseRelease(text: string): readonly [name: string, version: string] {
  const at = text.indexOf("@");
  if (at < 1 || at === text.length - 1)
    throw new UsageError(`"${text}" names no release; expected name@version, such as directory@1.4.0`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Puts published releases live, all at once; every other section keeps its release. */
export async function deploy(
  releases: Readonly<Record<string, string>>,
  reason: string | undefined,
  access: AdminAccess,
): Promise<Deployed> {
  const answer = await callAdmin<Deployment>(access, "POST", "/api/v1/deployments", {
    type: "application/json",
    bytes: JSON.stringify({ releases, ...(reason !== undefined && { reason }) }),
  });
  return { deployment: answer.body, isNew: answer.status === 201 };
}
