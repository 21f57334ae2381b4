// Positions of errors in the sources of a section, by the source maps of its releases.
import {
  FlattenMap,
  originalPositionFor,
  sourceContentFor,
  type SectionedSourceMapInput,
  type TraceMap,
} from "@jridgewell/trace-mapping";
import { useCallback, useEffect, useRef, useState } from "react";

import { ApiError, call } from "../api.js";
import { useConsole } from "../data.js";

/** A position in a source. */
export interface SourcePosition {
  /** Such as `src/pages/Terms.tsx:12:5`. */
  readonly text: string;
  /** The line of the source; null without its text. */
  readonly line: string | null;
}

/** Finds the source of a position in a script of a release, such as `section:1:234`. Null: the release has no source map of it. */
export type Locate = (version: string, position: string) => Promise<SourcePosition | null>;

/** Returns the function for a section, which reads each source map once. After a minute it repeats reads that may succeed then. */
export function useLocate(section: string): Locate {
  const { traffic } = useConsole();
  // A new object around the same map renews the function, and keeps reads that are not over yet.
  const [known, setKnown] = useState(() => ({ maps: new Map<string, Promise<TraceMap | null>>() }));
  const hasFailed = useRef(false);
  useEffect(() => {
    if (hasFailed.current) setKnown(({ maps }) => ({ maps }));
    hasFailed.current = false;
  }, [traffic]);
  return useCallback(
    async (version, position) => {
      const [, script = "", line = "", column = ""] = /^(.+):(\d+):(\d+)$/.exec(position) ?? [];
      const path = `/sections/${section}/releases/${encodeURIComponent(version)}/source-map?script=${encodeURIComponent(script)}`;
      const { maps } = known;
      const read = async (): Promise<TraceMap | null> => {
        try {
          return parse(await call<SectionedSourceMapInput>("GET", path));
        } catch (error) {
          // A release without source maps, or one that another team has published, keeps its positions.
          if (isTemporary(error)) {
            hasFailed.current = true;
            maps.delete(path);
          }
          return null;
        }
      };
      const map = maps.get(path) ?? read();
      maps.set(path, map);
      return sourceOf(await map, Number(line), Number(column));
    },
    [section, known],
  );
}

/** Whether a read that failed with this error may succeed later. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 0 || error.status === 429 || error.status >= 500;
  // Otherwise the response broke off.
  return !(error instanceof SyntaxError);
}

/** The source map, unless it is malformed. */
function parse(map: SectionedSourceMapInput): TraceMap | null {
  try {
    return new FlattenMap(map);
  } catch {
    return null;
  }
}

/** What `find` finds; undefined until then. */
export function useFound<T>(find: () => Promise<T>): T | undefined {
  const [found, setFound] = useState<readonly [() => Promise<T>, T]>();
  useEffect(() => {
    let isCurrent = true;
    void find().then((value) => {
      if (isCurrent) setFound([find, value]);
    });
    return () => {
      isCurrent = false;
    };
  }, [find]);
  return found?.[0] === find ? found[1] : undefined;
}

const POSITION = /\b(?:section|client\/[\w.~@+/-]+):\d+:\d+/g;

/** Replaces the positions in an error of a release by those in the sources. */
export async function locateText(locate: Locate, version: string, text: string): Promise<string> {
  const found = new Map<string, string>();
  for (const [position] of text.matchAll(POSITION)) {
    const source = await locate(version, position);
    if (source) found.set(position, source.text);
  }
  return text.replace(POSITION, (position) => found.get(position) ?? position);
}

/** The source of a position, whose line and column count from 1. */
function sourceOf(map: TraceMap | null, line: number, column: number): SourcePosition | null {
  if (!map || line < 1 || column < 1) return null;
  const { source, line: sourceLine, column: sourceColumn } = originalPositionFor(map, { line, column: column - 1 });
  if (source === null) return null;
  return {
    text: `${source}:${String(sourceLine)}:${String(sourceColumn + 1)}`,
    line: sourceContentFor(map, source)?.split("\n")[sourceLine - 1]?.trim() ?? null,
  };
}
