import { mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";

import * as tar from "tar";

import {
  DEVELOPMENT_FORMAT,
  DEVELOPMENT_MANIFEST,
  DEVELOPMENT_SHELL,
  type DevelopmentShell,
} from "../build/developmentShell.js";
import { GatewayError, reasonOf, UsageError } from "../build/usageError.js";
import { CONTRACT } from "@colonnade/kit/contract";

/** The development variant of a shell, in a local folder. */
export interface LocalShell extends DevelopmentShell {
  readonly folder: string;
  /** Names of the files that browsers may load. */
  readonly files: ReadonlySet<string>;
}

/** Fetches the development variants of the site's shells, once per version. */
export class Shells {
  readonly #site: string;
  readonly #folder: string;
  readonly #shells = new Map<string, Promise<LocalShell>>();

  /** `folder` is the folder to write the variants to. */
  constructor(site: string, folder: string) {
    this.#site = site;
    this.#folder = folder;
  }

  /** Returns the variant of the shell whose files have this URL path, such as `/assets/shell/1.2.0/`. */
  get(assets: string): Promise<LocalShell> {
    const cached = this.#shells.get(assets);
    if (cached) return cached;
    const loading = this.#load(assets, path.join(this.#folder, String(this.#shells.size)));
    this.#shells.set(assets, loading);
    loading.catch(() => this.#shells.delete(assets));
    return loading;
  }

  /** Returns the path of a variant's file by its URL path. */
  async file(pathname: string): Promise<string | undefined> {
    for (const [assets, loading] of this.#shells) {
      if (!pathname.startsWith(assets)) continue;
      const { files, folder } = await loading;
      const name = pathname.slice(assets.length);
      if (files.has(name)) return path.join(folder, "client", name);
    }
    return undefined;
  }

  async #load(assets: string, folder: string): Promise<LocalShell> {
    const url = `${this.#site}${assets}${DEVELOPMENT_SHELL}`;
    const response = await fetch(url).catch((error: unknown) => {
      throw new GatewayError(`cannot fetch ${url} (${reasonOf(error)})`, "unavailable");
    });
    if (response.status === 404)
      throw new UsageError(
        `the shell of ${this.#site} has no development variant (${url} does not exist); ask the site's operator to ` +
          "deploy a shell that was built with this version of @colonnade/cli or a later one",
      );
    if (!response.ok)
      throw new GatewayError(`${url} responded with status ${String(response.status)}; expected 200`, "unavailable");
    await mkdir(folder, { recursive: true });
    await pipeline([Buffer.from(await response.arrayBuffer())], tar.extract({ cwd: folder }));
    const shell = JSON.parse(await readFile(path.join(folder, DEVELOPMENT_MANIFEST), "utf8")) as DevelopmentShell;
    if (shell.format !== DEVELOPMENT_FORMAT)
      throw new UsageError(
        `the shell of ${this.#site} has a development variant of format ${String(shell.format)}; this command supports ` +
          `format ${String(DEVELOPMENT_FORMAT)}: install the version of @colonnade/cli that the site uses`,
      );
    if (shell.contract !== CONTRACT)
      throw new UsageError(
        `the shell of ${this.#site} supports contract ${String(shell.contract)}; this command supports contract ` +
          `${String(CONTRACT)}: install the version of @colonnade/cli that the site uses`,
      );
    return { ...shell, folder, files: new Set(await readdir(path.join(folder, "client"))) };
  }
}
