import { readFileSync } from "node:fs";

import { CONFIG_FILE } from "../build/config.js";
import { kindOf, PROBLEM_KINDS, type ProblemCode } from "./codes.js";
import { GUIDE } from "./guide.js";
import { parsePosition } from "./positions.js";
import type { Problem } from "./problem.js";

/** Returns the problems as a log in SARIF 2.1.0, the format of static analysis results. `version` is that of this package. */
export function toSarif(problems: readonly Problem[], version: string): object {
  const codes = Object.keys(PROBLEM_KINDS) as ProblemCode[];
  const sections = readFileSync(GUIDE, "utf8").split(/^(?=## )/m);
  const rules = codes.map((id) => {
    const { title, help = title, severity = "error" } = kindOf(id);
    return {
      id,
      shortDescription: { text: title },
      help: { text: help, markdown: sections.find((text) => text.startsWith(`## ${id}:`)) ?? help },
      defaultConfiguration: { level: severity },
    };
  });
  const results = problems.map(({ code, severity, message, help, location }) => ({
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: help === undefined ? message : `${message}\n${help}` },
    locations: [{ physicalLocation: physicalLocation(location) }],
  }));
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "colonnade check", semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        results,
      },
    ],
  };
}

function physicalLocation(location: string | undefined): object {
  const position = parsePosition(location);
  // Consumers expect a file for every result.
  if (!position) return { artifactLocation: { uri: CONFIG_FILE } };
  const { file, line, column } = position;
  return {
    artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/") },
    region: { startLine: line, startColumn: column },
  };
}
