import { Argument, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { UsageError } from "../build/usageError.js";
import { adminAccess, callAdmin, postAdmin } from "./api.js";
import type { CommandContext } from "./context.js";
import { reasonOption } from "./options.js";
import { EMPTY_CELL, formatTable, formatTime } from "./table.js";

interface Extension {
  readonly section: string;
  /** Version of the release; null if no release that visitors get has the extension. */
  readonly version: string | null;
  /** ID of the point, without a version. */
  readonly point: string;
  readonly pointVersion: number | null;
  /** Whether the live deployment has it. */
  readonly live: boolean;
  readonly state: "visible" | "off" | "not-allowed" | "full" | "not-opened";
  readonly off: { readonly at: string; readonly by: string; readonly reason: string | null } | null;
  readonly errors: number;
  /** Mean CPU time of a render in milliseconds. */
  readonly renderMs: number | null;
  /** What a browser loads, not compressed. */
  readonly bytes: number | null;
}

const STATES: Readonly<Record<Extension["state"], string>> = {
  visible: "shown",
  off: "off",
  "not-allowed": "left out: site.toml does not allow it",
  full: "left out: the point is full",
  "not-opened": "left out: no live section opens the point",
};

/** Adds `colonnade extensions`. */
export function addExtensionsCommand(program: CommandUnknownOpts, { environment, printResult }: CommandContext): void {
  program
    .command("extensions")
    .summary("list the extensions, or switch one on or off")
    .description(
      "Lists the extensions of each point, in the order in which pages show them: whether they are shown or why not, and at " +
        "this gateway their errors and, of those that are shown, the mean CPU time of a render. With `off`, no page shows the extension of a section, in " +
        "all its versions, until it is switched `on`: deploys and rollbacks do not change it. Requires a token with the action " +
        "`rollback` for that section, or for the section of the point.",
    )
    .addArgument(new Argument("[action]", "what to do; without it, lists").choices(["on", "off"]))
    .argument("[section]", "the section whose extension is switched")
    .argument("[point]", "the ID of the point, such as directory/city-aside")
    .addOption(reasonOption())
    .action(async (action, section, point, { reason }) => {
      const access = await adminAccess(environment);
      if (action === undefined) {
        const { body } = await callAdmin<readonly Extension[]>(access, "GET", "/api/v1/extensions");
        printResult({ text: describe(body), data: body });
        return;
      }
      if (section === undefined || point === undefined)
        throw new UsageError(
          `expected a section and a point, such as \`colonnade extensions ${action} events directory/city-aside\``,
        );
      const request = { section, point, on: action === "on", reason };
      const { status, body } = await postAdmin<object>(access, "/api/v1/extensions", request);
      const already = status === 200 ? " already" : "";
      printResult({ text: `the extension of ${section} for ${point} is ${action}${already}`, data: body });
    });
}

function describe(extensions: readonly Extension[]): string {
  if (extensions.length === 0) return "no live section fills an extension point";
  const rows = extensions.map((extension) => {
    const { section, version, point, pointVersion, live, state, errors, renderMs, bytes } = extension;
    const candidate = live || version === null ? "" : " (candidate)";
    return [
      pointVersion === null ? point : `${point}@${String(pointVersion)}`,
      version === null ? section : `${section}@${version}${candidate}`,
      describeState(extension),
      String(errors),
      // Others have earlier renders, or only those of trials.
      renderMs === null || state !== "visible" ? EMPTY_CELL : renderMs.toFixed(1),
      bytes === null ? EMPTY_CELL : String(bytes),
    ];
  });
  return formatTable([["point", "extension", "state", "errors", "render ms", "bytes"], ...rows]);
}

function describeState({ state, off }: Extension): string {
  if (off === null) return STATES[state];
  const reason = off.reason === null ? "" : `: ${off.reason}`;
  return `off since ${formatTime(off.at)} by ${off.by}${reason}`;
}
