import { defineChannel } from "@colonnade/kit/extensions";
import { clearChannels } from "@colonnade/kit/shell";
import { act, cleanup, render, screen } from "@testing-library/react";
import { renderToString } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";

const NAME = "directory/place";
const place = defineChannel<string>(NAME);
const City = () => <p>{place.useLast() ?? "none"}</p>;

afterEach(() => {
  cleanup();
  Reflect.deleteProperty(globalThis, Symbol.for("colonnade.channels"));
  vi.unstubAllGlobals();
});

test("a value reaches all subscribers of the name, and the last one reaches later ones", () => {
  const [early, late] = [vi.fn(), vi.fn()];
  place.subscribe(early);
  place.publish("Austin");
  place.publish("Nome");
  defineChannel<string>(NAME).subscribe(late);
  expect(early.mock.calls).toEqual([["Austin"], ["Nome"]]);
  expect(late.mock.calls).toEqual([["Nome"]]);
});

test("a subscriber that throws, or that has left, does not keep others from a value", () => {
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const [left, other] = [vi.fn(), vi.fn()];
  place.subscribe(() => {
    throw new Error("kaputt");
  });
  place.subscribe(left)();
  place.subscribe(other);
  place.publish("Austin");
  expect(other).toHaveBeenCalledExactlyOnceWith("Austin");
  expect(left).not.toHaveBeenCalled();
  expect(reported).toHaveBeenCalledExactlyOnceWith(new Error("kaputt"));
});

test("useLast renders each value, and nothing on the server", () => {
  place.publish("Austin");
  expect(renderToString(<City />)).toBe("<p>none</p>");
  render(<City />);
  expect(screen.getByText("Austin")).toBeTruthy();
  act(() => {
    place.publish("Nome");
  });
  expect(screen.getByText("Nome")).toBeTruthy();
});

test("another page starts without a value", () => {
  place.publish("Austin");
  render(<City />);
  act(clearChannels);
  expect(screen.getByText("none")).toBeTruthy();
  const listener = vi.fn();
  place.subscribe(listener);
  expect(listener).not.toHaveBeenCalled();
});

test("useLast of another channel renders the value of that one", () => {
  const other = defineChannel<string>("directory/other");
  const Either = ({ channel }: { readonly channel: typeof place }) => <p>{channel.useLast() ?? "none"}</p>;
  place.publish("Austin");
  const { rerender } = render(<Either channel={place} />);
  rerender(<Either channel={other} />);
  expect(screen.getByText("none")).toBeTruthy();
  act(() => {
    other.publish("Nome");
  });
  expect(screen.getByText("Nome")).toBeTruthy();
});
