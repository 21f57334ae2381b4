// What the measurements share: medians, rows of a table, and what a document says to the shell.

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** Prints a row: what it is about, and its figures. @param {string[]} cells */
export function printRow([first = "", ...rest]) {
  console.log([first.padEnd(44), ...rest.map((cell) => cell.padStart(12))].join(""));
}

/**
 * A document and its boot payload.
 *
 * @param {string} url
 * @returns {Promise<{ html: string, boot: any, headers: Headers }>}
 */
export async function readDocument(url) {
  const response = await fetch(url);
  const html = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const [, json = "null"] = /<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(html) ?? [];
  return { html, boot: JSON.parse(json), headers: response.headers };
}
