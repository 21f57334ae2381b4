import { render } from "@testing-library/react";
import { expect, it } from "vitest";

import { splitText } from "./split";

const TEXT = (
  <>
    <p>Before</p>
    <h2>
      Content &amp; <em>conduct</em>
    </h2>
    <p>First</p>
    <h3>Detail</h3>
    <h2>Contact</h2>
  </>
);

it("splitText returns the preamble and one section per heading", () => {
  const { preamble, sections } = splitText(TEXT);
  expect(render(preamble).container.textContent).toBe("Before");
  expect(sections.map(({ id, heading }) => [id, render(heading).container.textContent])).toEqual([
    ["content-conduct", "Content & conduct"],
    ["contact", "Contact"],
  ]);
  expect(sections.map(({ body }) => render(body).container.textContent)).toEqual(["FirstDetail", ""]);
});
