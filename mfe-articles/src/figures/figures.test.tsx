import { cleanup, render, screen, within } from "@testing-library/react";
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";

import { renderExisting } from "../testing/page";
import { FigureOrQuotation } from "./Figure";

const GENERATOR = path.join(import.meta.dirname, "../../scripts/make-map.mjs");

afterEach(cleanup);

async function figureOf(article: string): Promise<HTMLElement> {
  await renderExisting(`/about-escort-babylon/${article}`);
  return screen.getByRole("figure");
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
