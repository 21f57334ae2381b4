import { describe, expect, it } from "vitest";

import { readOutline } from "./outline";

function words(count: number): string {
  return "word ".repeat(count);
}

describe("readOutline", () => {
  it("second-level headings are listed in order with anchors", () => {
    const { entries } = readOutline(
      "a.md",
      <>
        <p>Before</p>
        <h2>Money scams</h2>
        <h3>Not this one</h3>
        <h2>
          Section <em>230</em>
        </h2>
      </>,
    );
    expect(entries.map(({ id }) => id)).toEqual(["money-scams", "section-230"]);
  });

  it.each([
    [10, 1],
    [299, 1],
    [301, 2],
    [1000, 5],
  ])("%i words take %i min to read", (count, minutes) => {
    expect(readOutline("a.md", <>{[<p key="p">{words(count)}</p>]}</>).minutes).toBe(minutes);
  });

  it("words in tables, lists and links count", () => {
    const table = (
      <table>
        <tbody>
          <tr>
            <td>{words(200)}</td>
            <td>{words(200)}</td>
          </tr>
        </tbody>
      </table>
    );
    const list = (
      <ul>
        <li>
          <a href="/x">{words(200)}</a>
        </li>
      </ul>
    );
    expect(readOutline("a.md", <>{[table, list]}</>).minutes).toBe(3);
  });

  it.each(["Twice", "—"])("a heading %j without a unique anchor names the file", (heading) => {
    const text = (
      <>
        <h2>Twice</h2>
        <h2>{heading}</h2>
      </>
    );
    expect(() => readOutline("content/a.md", text)).toThrow(`content/a.md: the heading "${heading}"`);
  });
});
