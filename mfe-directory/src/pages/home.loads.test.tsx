import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

import { show } from "../testing/show";

// Importing either of them fails.
vi.mock("../data/cities", () => {
  throw new Error("the home page loads the cities");
});
vi.mock("../data/ads", () => {
  throw new Error("the home page loads the ads");
});

afterEach(cleanup);

it("home page loads neither cities nor ads", async () => {
  await show("/");
  expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
});
