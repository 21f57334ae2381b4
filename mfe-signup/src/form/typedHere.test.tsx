import { defineChannel } from "@colonnade/kit/extensions";
import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import { forgetTyped, useTypedHere } from "./typedHere";

const page = vi.hoisted(() => ({ location: { key: "first" } }));
vi.mock("@colonnade/kit", async (original) => ({ ...(await original<object>()), useLocation: () => page.location }));

const TYPED = { email: "visitor@example.net", age: "34", password: "correct horse" };

beforeEach(() => {
  page.location = { key: "first" };
  const { result } = renderHook(useTypedHere);
  act(() => {
    result.current[1](TYPED);
  });
});

/** The names that the channel of the receipt has last got. */
function published(): unknown {
  let last: unknown;
  defineChannel("signup/typed").subscribe((value) => {
    last = value;
  })();
  return last;
}

const typedHere = () => renderHook(useTypedHere).result.current[0];

it("email and age are kept on the page, without the password", () => {
  expect(typedHere()).toMatchObject({ email: TYPED.email, age: TYPED.age });
  expect(JSON.stringify(typedHere())).not.toContain(TYPED.password);
  expect(published()).toEqual(["email", "age"]);
});

it("a navigation ends them, and going back does not bring them back", () => {
  page.location = { key: "second" };
  expect(typedHere()).toBeUndefined();
  page.location = { key: "first" };
  expect(typedHere()).toBeUndefined();
});

it("they are forgotten on request", () => {
  forgetTyped();
  expect(typedHere()).toBeUndefined();
  expect(published()).toEqual([]);
});
