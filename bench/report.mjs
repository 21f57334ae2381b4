// Shared by the benchmarks: medians, table rows, and reading a document's boot payload.

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** Returns the first quartile, the median and the third quartile. @param {number[]} values */
export function quartiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((share) => {
    const place = share * (sorted.length - 1);
    const [low = NaN, high = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return low + (high - low) * (place % 1);
  });
}

/** Prints a table row: a label and its values. @param {string[]} cells */
export function printRow([first = "", ...rest]) {
  console.log([first.padEnd(44), ...rest.map((cell) => cell.padStart(12))].join(""));
}

/**
 * Fetches a document and parses its boot payload.
 *
 * @param {string} url
 * @returns {Promise<{ html: string, boot: any, headers: Headers }>}
 */
export async function readDocument(url) {
  const response = await fetch(url);
  const html = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}; expected a success status`);
  const [, json = "null"] = /<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(html) ?? [];
  return { html, boot: JSON.parse(json), headers: response.headers };
}
