import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

import { renderExisting } from "../testing/page";

// Importing either module fails.
vi.mock("../data/geography", () => {
  throw new Error("the home page must not import the cities");
});
vi.mock("../data/ads", () => {
  throw new Error("the home page must not import the ads");
});

afterEach(cleanup);

it("home page imports neither cities nor ads", async () => {
  await renderExisting("/");
  expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
});
