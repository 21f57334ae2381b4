import { deploy, publish } from "@colonnade/cli";

import { PACKAGES } from "./repository.mjs";

/**
 * Publishes the last builds of `packages`, one at a time: the gateway limits how many one token publishes at once.
 *
 * @param {import("@colonnade/cli").AdminAccess} access
 * @param {string[]} [packages]
 */
export async function publishPackages(access, packages = PACKAGES) {
  const published = [];
  for (const folder of packages) published.push(await publish(folder, access));
  return published;
}

/**
 * Publishes the last builds of `packages` and deploys them together.
 *
 * @param {import("@colonnade/cli").AdminAccess} access
 * @param {string[]} [packages]
 */
export async function deployPackages(access, packages = PACKAGES) {
  const published = await publishPackages(access, packages);
  const releases = Object.fromEntries(published.map(({ name, version }) => [name, version]));
  return { published, ...(await deploy(releases, undefined, access)) };
}
