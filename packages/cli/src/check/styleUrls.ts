import { readFileSync } from "node:fs";
import path from "node:path";

import { parse, type AtRule, type Declaration, type Position, type Root } from "postcss";
import valueParser from "postcss-value-parser";

import { formatPosition } from "./positions.js";

/** Functions whose argument is a URL. */
const URL_FUNCTION = /^(url|src)$/i;
/** Functions that contain URLs as strings. */
const IMAGE_SET = /^(-webkit-)?image-set$/i;

/** A URL in a value of a stylesheet. */
interface StyleUrl {
  readonly url: string;
  /** Where its function or string starts in the value. */
  readonly index: number;
}

/** Returns the URLs that the value of a declaration loads. */
export function urlsIn(value: string): StyleUrl[] {
  const urls: StyleUrl[] = [];
  valueParser(value).walk((node) => {
    if (node.type !== "function") return;
    const isUrl = URL_FUNCTION.test(node.value);
    for (const child of node.nodes)
      if (child.type === "string" || (isUrl && child.type === "word")) {
        if (isUrl) urls.push({ url: child.value, index: node.sourceIndex });
        else if (IMAGE_SET.test(node.value)) urls.push({ url: child.value, index: child.sourceIndex });
      }
  });
  return urls;
}

/** Returns the URL of an `@import`. */
export function importedUrl({ params }: AtRule): string | undefined {
  const [first] = valueParser(params).nodes;
  if (first?.type === "string") return first.value;
  return urlsIn(params)[0]?.url;
}

/**
 * Returns the position of a URL in the source of a stylesheet. Returns undefined if it is not there as text: a compiler of
 * styles may have created it, or copied it from another file.
 */
export function locateUrl(folder: string, file: string, url: string): string | undefined {
  const start = positionOf(file, normalized(url));
  return start && formatPosition(folder, file, start.line, start.column);
}

function positionOf(file: string, url: string): Position | undefined {
  let found: Position | undefined;
  sourceOf(file)?.walk((node) => {
    if (node.type === "decl") found = positionInDeclaration(node, url);
    else if (node.type === "atrule" && /^import$/i.test(node.name) && normalized(importedUrl(node) ?? "") === url)
      found = node.source?.start;
    return found === undefined ? undefined : false;
  });
  return found;
}

function sourceOf(file: string): Root | undefined {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch {
    // Sass's syntax without braces, or a file that another compiler created.
    return undefined;
  }
}

function positionInDeclaration(declaration: Declaration, url: string): Position | undefined {
  const { prop, value, raws } = declaration;
  // The raw value has the comments of the source.
  const found = urlsIn(raws.value?.raw ?? value).find((candidate) => normalized(candidate.url) === url);
  return found && declaration.positionInside(prop.length + (raws.between ?? ":").length + found.index);
}

/** css-loader resolves `map.png` as `./map.png`, and `~maps/map.png` as `maps/map.png`. */
function normalized(url: string): string {
  return path.posix.normalize(
    url
      .trim()
      .replace(/^~/, "")
      .replace(/\??#.*$/, ""),
  );
}
