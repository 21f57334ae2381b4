import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

import type { PositionOnMap } from "../../data/maps";
import { CityPins } from "./CityPins";

const CITIES = ["Akron", "Lima"];

let arrive: (positions: readonly PositionOnMap[]) => void;
vi.mock("../../data/lookup", () => ({
  positionsOnMap: () =>
    new Promise<readonly PositionOnMap[]>((resolve) => {
      arrive = resolve;
    }),
}));

afterEach(cleanup);

/** A map whose names are beside each other, 100 pixels wide. */
function createMap(): HTMLElement {
  const map = document.body.appendChild(document.createElement("div"));
  map.innerHTML = `<svg>${CITIES.map((city) => `<text>${city}</text>`).join("")}</svg>`;
  const svg = map.querySelector("svg");
  Object.assign(svg ?? {}, { getScreenCTM: () => ({ a: 1, d: 1, e: 0, f: 0 }) });
  for (const [index, text] of map.querySelectorAll("text").entries())
    text.getBoundingClientRect = () => new DOMRect(100 * index, 0, 100, 10);
  return map;
}

it("marks the city that was touched last when the positions arrive", async () => {
  const map = createMap();
  const first = new MouseEvent("click", { clientX: 50, clientY: 5 });
  render(<CityPins state="Ohio" cities={CITIES} map={map} first={first} />);
  await vi.waitFor(() => {
    expect(arrive).toBeDefined();
  });
  fireEvent.click(map, { clientX: 150, clientY: 5 });
  await act(async () => {
    arrive(CITIES.map((city, index) => ({ city, x: 100 * index + 50, y: 20 })));
    await Promise.resolve();
  });
  expect(screen.getByRole("link", { hidden: true }).getAttribute("href")).toBe("/city/Ohio/Lima");
});
