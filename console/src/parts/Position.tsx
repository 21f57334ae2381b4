import { useCallback, type ReactElement } from "react";

import { useFound, type Locate } from "./sources.js";

interface PositionProps {
  readonly version: string;
  /** In a script of the release, such as `section:1:234`. */
  readonly position: string;
  readonly locate: Locate;
}

/** Where an error was thrown: in the source, with its line, or in the script if it has no source map. */
export function Position({ version, position, locate }: PositionProps): ReactElement {
  const source = useFound(useCallback(() => locate(version, position), [version, position, locate]));
  return (
    <>
      <code className="rule">{source?.text ?? position}</code>
      {source?.line != null && <code className="source-line">{source.line}</code>}
    </>
  );
}
