import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { adminAccess, callAdmin, locateAt, type AdminAccess } from "./api.js";
import type { CommandContext, CommandResult } from "./context.js";
import type { Locate } from "./locate.js";
import { isJson } from "./options.js";
import { namedSection } from "./sectionName.js";
import { EMPTY_CELL, formatAge, formatTable, formatTime } from "./table.js";
import { watchResult } from "./watch.js";

/** Equal errors of one release. */
interface SectionError {
  readonly section: string;
  readonly version: string;
  /** Path pattern of the page. */
  readonly page: string | null;
  /** The point of an extension. */
  readonly extensionPoint: string | null;
  readonly source: "gateway" | "browser";
  readonly cause: string;
  readonly class: string | null;
  /**
   * The position in the section's server module, such as `section:1:234`, or in a file for browsers, such as `client/home.js:1:234`. An
   * older gateway has none.
   */
  readonly position?: string | null;
  readonly count: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

interface SectionErrors {
  /** When the gateway began to count. */
  readonly since: string;
  /** The most recently seen first. */
  readonly errors: readonly SectionError[];
}

/** Adds `colonnade errors`. */
export function addErrorsCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { folder, environment, printResult } = context;
  program
    .command("errors")
    .summary("show the recent errors of a section in production")
    .description(
      "Shows the recent errors of visitors in the section of this folder: release, page, cause, class, count and time. " +
        "The gateway counts failed renders, and browsers report pages that fail to load or render. Messages are not " +
        "recorded, because they can contain personal data. Positions are positions in your sources, if the release has source " +
        "maps. Each gateway counts from its start.",
    )
    .option("--section <name>", "show the errors of this section")
    .option("--release <version>", "only errors of this release")
    .option("--watch", "show the errors again whenever they change, until interrupted (with --json: one line each)")
    .action(async ({ section, release, watch = false }) => {
      const access = await adminAccess(environment);
      const name = await namedSection(section, folder);
      const locate = locateAt(access);
      const read = (signal?: AbortSignal): Promise<CommandResult> =>
        readErrors(access, name, { locate, release }, signal);
      if (watch) await watchResult(context, isJson(program), read);
      else printResult(await read());
    });
}

async function readErrors(
  access: AdminAccess,
  section: string,
  { locate, release }: { readonly locate: Locate; readonly release: string | undefined },
  signal?: AbortSignal,
): Promise<CommandResult> {
  const path = `/api/v1/sections/${section}/errors`;
  const { body } = await callAdmin<SectionErrors>(access, "GET", path, undefined, signal);
  // The admin API has no filter.
  const selected = body.errors.filter(({ version }) => release === undefined || version === release);
  const errors = await Promise.all(
    selected.map(async (error) => {
      const { position } = error;
      if (typeof position !== "string") return error;
      return { ...error, position: await locate(`${error.section}@${error.version}`, position) };
    }),
  );
  const name = release === undefined ? section : `${section}@${release}`;
  const text =
    errors.length > 0
      ? errorTable(errors)
      : `no errors of ${name} since ${formatTime(body.since)}, when this gateway started`;
  return { text, data: { ...body, errors } };
}

function errorTable(errors: readonly SectionError[]): string {
  const rows = errors.map((error) => [
    `${error.section}@${error.version}`,
    error.page ?? error.extensionPoint ?? EMPTY_CELL,
    `${error.cause} (${error.source})`,
    error.class ?? EMPTY_CELL,
    error.position ?? EMPTY_CELL,
    String(error.count),
    formatAge(error.lastSeen),
  ]);
  return formatTable([["release", "page", "cause", "class", "position", "count", "last seen"], ...rows]);
}
