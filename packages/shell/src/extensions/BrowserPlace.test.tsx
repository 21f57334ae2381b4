// @vitest-environment happy-dom
import { defineExtensionPoint, ExtensionPoint } from "@colonnade/kit/extensions";
import { ShellContext } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { BrowserPlace } from "./BrowserPlace.js";
import { showExtensions } from "./showExtensions.js";

vi.mock("./showExtensions.js", () => ({ showExtensions: vi.fn() }));

const SERVICES = { site: TEST_SITE, configs: {}, openDialog: () => undefined, ExtensionPlace: BrowserPlace };

test("a place that no section fills shows its empty content and loads no code", () => {
  const point = defineExtensionPoint<{ city: string }>({ id: "directory/aside", version: 1, max: 4, examples: [] });
  render(
    <ShellContext value={SERVICES}>
      <ExtensionPoint point={point} props={{ city: "Austin" }} empty="Nothing here" />
    </ShellContext>,
  );
  screen.getByText("Nothing here");
  expect(showExtensions).not.toHaveBeenCalled();
});
