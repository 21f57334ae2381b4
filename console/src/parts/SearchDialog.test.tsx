import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { Search } from "./SearchDialog.js";

const SEARCHED = {
  pages: [
    { page: "history", label: "History" },
    { page: "gateways", label: "Gateways" },
  ],
  sections: [],
  deployments: [],
  live: 1,
  newest: 1,
};

afterEach(cleanup);

test("Search opens by its keys, and follows the chosen result", () => {
  render(<Search searched={SEARCHED} />);
  fireEvent.keyDown(document, { key: "k", ctrlKey: true });
  const box = screen.getByRole("combobox");
  expect(document.activeElement).toBe(box);
  const chosen = (): string | null => {
    const id = box.getAttribute("aria-activedescendant") ?? "";
    const option = screen.getByRole("option", { selected: true });
    expect(option.id).toBe(id);
    return option.textContent;
  };
  expect(chosen()).toContain("History");
  fireEvent.keyDown(box, { key: "ArrowUp" });
  expect(chosen()).toContain("Gateways");
  fireEvent.change(box, { target: { value: "nothing" } });
  expect(box.getAttribute("aria-expanded")).toBe("false");
  expect(screen.getByText("Nothing fits.")).toBeTruthy();
  fireEvent.keyDown(box, { key: "Enter" });
  fireEvent.change(box, { target: { value: "gate" } });
  fireEvent.keyDown(box, { key: "Enter" });
  expect(screen.queryByRole("combobox")).toBeNull();
  expect(location.pathname).toBe("/console/gateways");
});
