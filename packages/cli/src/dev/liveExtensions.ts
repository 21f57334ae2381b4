import { isPointVersion, pointIdProblem, referenceProblem } from "../build/extensionPoint.js";
import { EXTENSIONS_FILE, type ExtensionList } from "../build/extensionList.js";
import type { LiveRelease } from "../check/liveExtensions.js";
import { get, isObject, parseObject, readLive, unavailable } from "./live.js";

/**
 * Reads the extension points and extensions of the live sections of a site, and of its shell.
 *
 * @throws GatewayError if the site is unreachable or a response invalid, and UsageError if it is no site.
 */
export async function readLiveExtensions(site: string): Promise<LiveRelease[]> {
  const { remotes, shellAssets } = await readLive(site);
  const releases: LiveRelease[] = [];
  for (const file of [shellAssets, ...Object.values(remotes).map(({ entry }) => entry)]) {
    const list = await readExtensionList(site, file);
    if (list) releases.push(list);
  }
  return releases;
}

/**
 * Reads what a release opens and fills, by the URL path of one of its files. Undefined for a release without points and extensions.
 *
 * @throws GatewayError if the site is unreachable or its response invalid.
 */
export async function readExtensionList(site: string, file: string): Promise<LiveRelease | undefined> {
  const url = new URL(EXTENSIONS_FILE, new URL(file, site));
  const [, , name = "", version = ""] = url.pathname.split("/");
  const { status, chunks } = await get(url);
  if (status === 404) return undefined;
  if (status !== 200) throw unavailable(`${url.href} responded with status ${String(status)}; expected 200`);
  const list = parseObject(url, Buffer.concat(chunks).toString());
  if (isExtensionList(list, name)) return { ...list, name, version };
  throw unavailable(`${url.href} has an invalid extension point or extension; expected those of a release`);
}

function isExtensionList(list: Partial<ExtensionList>, owner: string): list is ExtensionList {
  const { extensionPoints, extensions } = list;
  if (!Array.isArray(extensionPoints) || !Array.isArray(extensions)) return false;
  return (
    extensionPoints
      .map(Object)
      .every(
        ({ id, version, max, examples }: ExtensionList["extensionPoints"][number]) =>
          pointIdProblem(id, owner) === null &&
          isPointVersion(version) &&
          Number.isInteger(max) &&
          Array.isArray(examples) &&
          examples.every(isObject),
      ) &&
    extensions
      .map(Object)
      .every(
        ({ point, order }: ExtensionList["extensions"][number]) =>
          referenceProblem(point) === null && Number.isInteger(order),
      )
  );
}
