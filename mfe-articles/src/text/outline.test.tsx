import { describe, expect, it } from "vitest";

import { readOutline } from "./outline";

function words(count: number): string {
  return "word ".repeat(count);
}

describe("readOutline", () => {
  it("headings of the second level are named in order, with anchors made from their words", () => {
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
  ])("%i words take %i minutes", (count, minutes) => {
    expect(readOutline("a.md", <>{[<p key="p">{words(count)}</p>]}</>).minutes).toBe(minutes);
  });

  it("words count wherever they stand: in tables, lists and links", () => {
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

  it.each(["Twice", "—"])(
    "two headings %j without an anchor of their own are refused by the file's name",
    (heading) => {
      const text = (
        <>
          <h2>Twice</h2>
          <h2>{heading}</h2>
        </>
      );
      expect(() => readOutline("content/a.md", text)).toThrow(`content/a.md: the heading "${heading}"`);
    },
  );
});
