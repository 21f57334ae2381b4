import { renderExtension } from "@colonnade/kit/testing";
import { cleanup, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import section from "../section";

afterEach(cleanup);

test.each([
  ["directory/state-aside@1", { state: "Texas" }],
  ["directory/city-aside@1", { state: "Texas", city: "Austin" }],
  ["directory/ad-aside@1", { state: "Texas", city: "Austin" }],
])("%s has the way to help", async (reference, props) => {
  const view = await renderExtension(section, reference, props);
  if (!view) throw new Error("the extension shows nothing");
  const help = within(view.getByRole("navigation", { name: "Before you meet anyone" }));
  expect(help.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["Safety guide", "/about-escort-babylon/safety-guide"],
    ["Red flags", "/about-escort-babylon/red-flags"],
    ["Get help", "/about-escort-babylon/safety-guide#get-help"],
  ]);
});
