import valueParser from "postcss-value-parser";

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
