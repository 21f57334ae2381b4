import { deploy, publish } from "@colonnade/kit/build";

import { PACKAGES } from "./repository.mjs";

/**
 * Publishes the last builds of `packages` and deploys them together.
 *
 * @param {import("@colonnade/kit/build").AdminAccess} access
 * @param {string[]} [packages]
 */
export async function deployPackages(access, packages = PACKAGES) {
  const published = await Promise.all(packages.map((folder) => publish(folder, access)));
  const releases = Object.fromEntries(published.map(({ name, version }) => [name, version]));
  return { published, ...(await deploy(releases, undefined, access)) };
}
