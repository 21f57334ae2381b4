// Draws the results of a benchmark as an SVG picture.
import { writeFile } from "node:fs/promises";

import * as Plot from "@observablehq/plot";
import { Window } from "happy-dom";

const WIDTH = 780;
const HEIGHT = 200;
const COLOR = "#7c2d5e";
/** Colors that people with color vision deficiencies can tell apart (Okabe and Ito). */
const COLORS = [COLOR, "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#666"];

/**
 * Draws charts in a grid.
 *
 * @param {string} file
 * @param {string} title what the picture shows, for people who do not see it
 * @param {number} columns
 * @param {number} height of a chart
 * @param {Plot.PlotOptions[]} charts
 */
async function drawCharts(file, title, columns, height, charts) {
  const { document } = new Window();
  const width = WIDTH / columns;
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  picture.setAttribute("viewBox", `0 0 ${WIDTH} ${height * Math.ceil(charts.length / columns)}`);
  picture.innerHTML = `<title>${title}</title><rect width="100%" height="100%" fill="#fff"/>`;
  for (const [index, options] of charts.entries()) {
    const chart = Plot.plot({ document, width, height, marginTop: 36, marginBottom: 36, ...options });
    chart.setAttribute("x", String(width * (index % columns)));
    chart.setAttribute("y", String(height * Math.floor(index / columns)));
    chart.setAttribute("font-family", "system-ui, sans-serif");
    chart.setAttribute("font-size", "11");
    picture.append(chart);
  }
  await writeFile(file, `${picture.outerHTML}\n`);
}

const VALUES = /** @type {const} */ ({ zero: true, nice: true, grid: true, ticks: 4, labelArrow: "none" });

/**
 * Draws one small line chart for each column of a table, from zero, side by side.
 *
 * @param {string} file
 * @param {string} title what the picture shows, for people who do not see it
 * @param {Record<string, number>[]} rows the first key is the horizontal axis
 */
export async function drawPlots(file, title, rows) {
  const [x = "", ...columns] = Object.keys(rows[0] ?? {});
  const charts = columns.map((y) => {
    const marks = { x, y, stroke: COLOR };
    return {
      marginLeft: 48,
      x: { ticks: rows.map((row) => row[x] ?? NaN), tickFormat: String },
      y: { ...VALUES, label: y, tickFormat: "~s" },
      marks: [Plot.lineY(rows, marks), Plot.dotY(rows, { ...marks, fill: COLOR })],
    };
  });
  await drawCharts(file, title, 3, HEIGHT, charts);
}

/**
 * Draws a small bar chart for each group, side by side. The first bar of a group is emphasized.
 *
 * @param {string} file
 * @param {string} title what the picture shows, for people who do not see it
 * @param {{ label: string, bars: { name: string, value: number }[] }[]} groups
 */
export async function drawBars(file, title, groups) {
  const charts = groups.map(({ label, bars }) => {
    const names = bars.map(({ name }) => name);
    const fill = (/** @type {{ name: string }} */ { name }) => (name === names[0] ? COLOR : "#b9a9b3");
    const text = (/** @type {{ value: number }} */ { value }) => value.toFixed(value < 10 ? 2 : 0);
    return {
      ...{ marginLeft: 72, marginRight: 36 },
      x: { ...VALUES, label },
      y: { domain: names, label: null },
      marks: [
        Plot.barX(bars, { x: "value", y: "name", fill }),
        Plot.text(bars, { x: "value", y: "name", text, textAnchor: /** @type {const} */ ("start"), dx: 3 }),
      ],
    };
  });
  await drawCharts(file, title, 3, HEIGHT, charts);
}

/**
 * Draws bars that are divided into parts, below a bar that names them.
 *
 * @param {string} file
 * @param {string} title what the picture shows, for people who do not see it
 * @param {string} label of the horizontal axis
 * @param {{ bar: string, part: string, value: number }[]} values
 */
export async function drawStacks(file, title, label, values) {
  const bars = [...new Set(values.map(({ bar }) => bar))];
  const parts = [...new Set(values.map(({ part }) => part))];
  const longest = Math.max(
    ...bars.map((name) => values.filter(({ bar }) => bar === name).reduce((sum, { value }) => sum + value, 0)),
  );
  const names = parts.map((part) => ({ bar: "", part, value: longest / parts.length }));
  const stack = { x: "value", y: "bar", fill: "part", order: parts };
  const chart = {
    ...{ marginLeft: 190, marginRight: 24 },
    x: { ...VALUES, label },
    y: { domain: ["", ...bars], label: null },
    color: { domain: parts, range: COLORS },
    marks: [
      Plot.barX([...names, ...values], stack),
      Plot.text(names, Plot.stackX({ ...stack, text: "part", fill: "#fff", z: "part" })),
    ],
  };
  await drawCharts(file, title, 1, HEIGHT, [chart]);
}

/**
 * Draws a line for each series in one chart: the values of `x` at equal distances, and `y` on a logarithmic axis.
 *
 * @param {string} file
 * @param {string} title what the picture shows, for people who do not see it
 * @param {{ x: string, y: string }} labels
 * @param {{ series: string, x: number, y: number }[]} points
 */
export async function drawLines(file, title, labels, points) {
  const marks = { x: "x", y: "y", stroke: "series" };
  const domain = [...new Set(points.map(({ x }) => x))];
  const chart = {
    ...{ marginLeft: 48, marginRight: 90 },
    x: { type: /** @type {const} */ ("point"), domain, tickFormat: String, label: labels.x },
    y: { ...VALUES, type: /** @type {const} */ ("log"), zero: false, nice: false, tickFormat: "~s", label: labels.y },
    color: { domain: [...new Set(points.map(({ series }) => series))], range: COLORS },
    marks: [
      Plot.lineY(points, marks),
      Plot.dotY(points, { ...marks, fill: "series" }),
      Plot.text(
        points,
        Plot.selectLast({ x: "x", y: "y", z: "series", text: "series", fill: "series", textAnchor: "start", dx: 8 }),
      ),
    ],
  };
  await drawCharts(file, title, 1, 2 * HEIGHT, [chart]);
}
