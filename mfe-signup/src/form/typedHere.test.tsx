import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import { forgetTyped, useTypedHere } from "./typedHere";

const location = vi.hoisted(() => ({ key: "first" }));
vi.mock("@colonnade/kit", async (original) => ({ ...(await original<object>()), useLocation: () => location }));

const TYPED = { email: "visitor@example.net", age: "34", password: "correct horse" };

beforeEach(() => {
  location.key = "first";
  const { result } = renderHook(useTypedHere);
  act(() => {
    result.current[1](TYPED);
  });
});

const typedHere = () => renderHook(useTypedHere).result.current[0];

it("email and age are kept on the page, without the password", () => {
  expect(typedHere()).toMatchObject({ email: TYPED.email, age: TYPED.age });
  expect(JSON.stringify(typedHere())).not.toContain(TYPED.password);
});

it("a navigation ends them", () => {
  location.key = "second";
  expect(typedHere()).toBeUndefined();
});

it("they are forgotten on request", () => {
  forgetTyped();
  expect(typedHere()).toBeUndefined();
});
