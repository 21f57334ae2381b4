import { cleanup, render, screen, within } from "@testing-library/react";
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";

import { renderExisting } from "../testing/page";
import { figureOrQuotation } from "./Figure";

const GENERATOR = path.join(import.meta.dirname, "../../scripts/make-map.mjs");

const FigureOrQuotation = figureOrQuotation();

afterEach(cleanup);

async function figureOf(article: string): Promise<HTMLElement> {
  await renderExisting(`/about-escort-babylon/${article}`);
  const [first] = screen.getAllByRole("figure");
  if (!first) throw new Error(`${article} has no figure`);
  return first;
}

describe("figures", () => {
  it("bars are as long as the numbers in their table", async () => {
    const figure = await figureOf("top-cities");
    expect(figure.querySelector("figcaption")?.textContent).toBe("Residents on April 1, 2020");
    const rows = within(figure).getAllByRole("row").slice(1);
    expect(rows).toHaveLength(10);
    for (const row of rows) {
      const number = Number(within(row).getAllByRole("cell").at(-1)?.textContent.replaceAll(",", ""));
      const width = Number(row.querySelector("svg[aria-hidden] rect")?.getAttribute("width"));
      expect(width).toBeCloseTo((100 * number) / 8_804_190, 1);
    }
  });

  it("a table outside of a figure has no bars", async () => {
    const { container } = await renderExisting("/about-escort-babylon/red-flags");
    expect(container.querySelectorAll("table")).toHaveLength(1);
    expect(container.querySelectorAll("table svg")).toHaveLength(0);
  });

  it("a timeline is a list of entries with dates, in order", async () => {
    const entries = within(await figureOf("platform-evolution")).getAllByRole("listitem");
    const dates = entries.map((entry) => Date.parse(`1 ${entry.querySelector("strong")?.textContent ?? ""}`));
    expect(dates.length).toBeGreaterThan(5);
    expect(dates).not.toContain(NaN);
    expect(dates).toEqual(dates.toSorted((one, other) => one - other));
  });

  it("a flow is a list of questions, each with two answers", async () => {
    const figure = await figureOf("red-flags");
    const questions = [...figure.querySelectorAll("ol > li")];
    expect(questions.length).toBeGreaterThan(2);
    for (const question of questions) {
      expect(question.querySelector("strong")?.textContent).toMatch(/\?$/);
      const answers = [...question.querySelectorAll("ul > li > strong")].map((answer) => answer.textContent);
      expect(answers).toEqual(["Yes:", "No:"]);
    }
    expect(figure.querySelector("a[href='tel:911']")).toBeTruthy();
  });

  it("a sample ad's phrases lead to the lines of their signs, and these back", async () => {
    const { container } = await renderExisting("/about-escort-babylon/red-flags");
    const samples = [...container.querySelectorAll("figure:has(h3)")];
    const links = (of: Element | null): string[] =>
      [...(of?.querySelectorAll("a[href^='#']") ?? [])].map((link) => link.getAttribute("href") ?? "");
    expect(samples).toHaveLength(3);
    for (const sample of samples) {
      expect(sample.querySelector("figcaption")?.textContent).toBe("Sample ad: shows scam signs");
      expect(sample.querySelector("button")).toBeNull();
      expect(sample.querySelector("p")?.textContent).not.toMatch(/[\d$€@]/);
      for (const phrase of sample.querySelectorAll("a")) {
        const line = container.querySelector(`li${phrase.getAttribute("href") ?? ""}`);
        const sign = line?.querySelector("strong")?.textContent.toLowerCase().replace(/\.$/, "") ?? "";
        expect(phrase.textContent).toMatch(new RegExp(`\\S \\(sign: ${sign}\\)$`));
        expect(links(line)).toContain(`#${sample.querySelector("h3")?.id ?? ""}`);
      }
    }
    const lines = [...container.querySelectorAll("li[id]")];
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines)
      for (const back of links(line))
        expect(links(container.querySelector(back)?.closest("figure") ?? null)).toContain(`#${line.id}`);
  });

  it("a map has a text equivalent, and a list with the names of its states", async () => {
    const figure = await figureOf("legal-guide");
    expect(
      within(figure).getByRole("img", { name: "Map of the United States. Maine and Nevada are marked." }),
    ).toBeTruthy();
    const names = [...figure.querySelectorAll("svg text")].map((name) => `${name.textContent}:`).sort();
    const listed = [...figure.querySelectorAll("li strong")].map((name) => name.textContent);
    expect(listed).toEqual(expect.arrayContaining(names));
  });

  it("the generated map matches its source", async () => {
    await expect(promisify(execFile)(process.execPath, [GENERATOR, "--check"])).resolves.toMatchObject({ stderr: "" });
  });

  it("a quotation without a marker stays one", () => {
    const { container } = render(
      <FigureOrQuotation>
        <p>Words</p>
      </FigureOrQuotation>,
    );
    expect(container.innerHTML).toBe("<blockquote><p>Words</p></blockquote>");
  });

  it("an unknown kind is an error", () => {
    vi.spyOn(console, "error").mockReturnValue();
    const figure = (
      <FigureOrQuotation>
        <p>[!pie] Words</p>
      </FigureOrQuotation>
    );
    expect(() => render(figure)).toThrow('this article has no figure of the kind "pie"');
    vi.restoreAllMocks();
  });
});
