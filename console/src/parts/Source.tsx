import type { ReactElement } from "react";

import type { ReleaseSource } from "../openapi.js";

/** Enough to find a commit. */
const COMMIT_CHARACTERS = 12;

/** The commit and the author of a release, as its publisher says. The gateway takes URLs with https only. */
export function Source({ source }: { readonly source: ReleaseSource | undefined }): ReactElement | null {
  if (!source) return null;
  const { commit, url, author } = source;
  const text = commit === undefined ? "source" : <code>{commit.slice(0, COMMIT_CHARACTERS)}</code>;
  const link = url === undefined ? commit !== undefined && text : <a href={url}>{text}</a>;
  return (
    <>
      {link} {author}
    </>
  );
}
