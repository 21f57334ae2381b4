// Draws the results of a benchmark as an SVG picture.
import { writeFile } from "node:fs/promises";

import * as Plot from "@observablehq/plot";
import { JSDOM } from "jsdom";

const WIDTH = 260;
const HEIGHT = 200;
const COLUMNS = 3;

/**
 * Draws one small line chart for each column of a table, from zero, side by side.
 *
 * @param {string} file
 * @param {string} title what the picture shows, for people who do not see it
 * @param {Record<string, number>[]} rows the first key is the horizontal axis
 */
export async function drawPlots(file, title, rows) {
  const { document } = new JSDOM("").window;
  const [x = "", ...columns] = Object.keys(rows[0] ?? {});
  const height = HEIGHT * Math.ceil(columns.length / COLUMNS);
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  picture.setAttribute("viewBox", `0 0 ${WIDTH * COLUMNS} ${height}`);
  picture.innerHTML = `<title>${title}</title><rect width="100%" height="100%" fill="#fff"/>`;
  for (const [index, y] of columns.entries()) {
    const marks = { x, y, stroke: "#7c2d5e" };
    const chart = Plot.plot({
      document,
      width: WIDTH,
      height: HEIGHT,
      marginLeft: 48,
      marginTop: 36,
      marginBottom: 36,
      x: { ticks: rows.map((row) => row[x] ?? NaN), tickFormat: String },
      y: { zero: true, nice: true, grid: true, ticks: 4, label: y, labelArrow: "none", tickFormat: "~s" },
      marks: [Plot.lineY(rows, marks), Plot.dotY(rows, { ...marks, fill: "#7c2d5e" })],
    });
    chart.setAttribute("x", String(WIDTH * (index % COLUMNS)));
    chart.setAttribute("y", String(HEIGHT * Math.floor(index / COLUMNS)));
    chart.setAttribute("font-family", "system-ui, sans-serif");
    chart.setAttribute("font-size", "11");
    picture.append(chart);
  }
  await writeFile(file, `${picture.outerHTML}\n`);
}
