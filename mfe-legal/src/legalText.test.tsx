import type { ReactElement, ReactNode } from "react";
import { describe, expect, it } from "vitest";

import { readLegalText } from "./legalText";

const VALID = { title: "Title", description: "Description", inForce: "2026-01-31" };

function Text(): ReactElement<{ readonly children?: ReactNode }> {
  return (
    <>
      <h2>Contact</h2>
      <p>Write.</p>
    </>
  );
}

describe("readLegalText", () => {
  it("commitment defaults to an empty list", () => {
    expect(readLegalText("a.md", { default: Text, frontmatter: VALID })).toMatchObject({ ...VALID, commitment: [] });
  });

  it.each([
    ["title", undefined],
    ["description", ""],
    ["inForce", "soon"],
    ["commitment", "one"],
    ["commitment", [1]],
    ["choices", "one"],
    ["choices", { name: { fact: "unknown", yes: "Yes.", no: "No." } }],
    ["choices", { name: { fact: "logsClientIp", yes: "Yes." } }],
  ])("an invalid %s (%j) throws with file and key", (key, value) => {
    const read = (): unknown => readLegalText("a.md", { default: Text, frontmatter: { ...VALID, [key]: value } });
    expect(read).toThrow("a.md");
    expect(read).toThrow(key);
  });
});
