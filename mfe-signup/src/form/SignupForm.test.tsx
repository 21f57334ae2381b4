import { useHydrated, type FormResult } from "@colonnade/kit";
import { renderPage, type RenderOptions } from "@colonnade/kit/testing";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { renderToString } from "react-dom/server";
import { beforeEach, describe, expect, it, vi } from "vitest";

import section from "../section";
import {
  mockJsonResponse,
  mockPendingResponse,
  mockFetch,
  WITH_BACKEND,
  descriptionOf,
  fillForm,
  input,
  FORM_VALUES,
  WITH_PARTNER,
} from "../testing/signup";

const navigate = vi.hoisted(() => vi.fn());
vi.mock("@colonnade/kit", async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }));

beforeEach(() => {
  navigate.mockReset();
});

async function renderForm(options: RenderOptions = {}): Promise<HTMLFormElement> {
  await renderPage(section, "/signup", { site: WITH_BACKEND, ...options });
  const form = document.querySelector("form");
  if (!form) throw new Error("the page has no form");
  return form;
}

function button(name: string): HTMLButtonElement {
  return screen.getByRole<HTMLButtonElement>("button", { name });
}

async function submit(): Promise<void> {
  await userEvent.click(button("Continue"));
}

describe("the form", () => {
  it("posts to the gateway without JavaScript", async () => {
    const form = await renderForm();
    expect(form.getAttribute("method")).toBe("post");
    expect(form.getAttribute("action")).toBe("/functions/v1/signup");
    expect([...new FormData(form).keys()]).toEqual(["email", "password", "age"]);
  });

  it("uses browser validation until hydration", async () => {
    function Probe() {
      return useHydrated();
    }
    expect(renderToString(<Probe />)).toBe("");
    expect((await renderForm()).noValidate).toBe(true);
  });

  it("has field types and autocomplete hints", async () => {
    await renderForm();
    const [email, password, age] = [input("Email"), input("Password"), input("Age")];
    expect([email.type, email.autocomplete, email.required]).toEqual(["email", "email", true]);
    expect([password.type, password.autocomplete, password.required]).toEqual(["password", "new-password", true]);
    expect([age.type, age.inputMode, age.autocomplete, age.required]).toEqual(["text", "numeric", "off", true]);
    expect(age.value).toBe("");
  });

  it.each([
    ["17", false],
    ["18", true],
    ["99", true],
    ["100", true],
    ["120", true],
    ["121", false],
    ["200", false],
    ["1", false],
    ["18.5", false],
  ])("has an age pattern for browser validation: %s is valid: %s", async (age, valid) => {
    await renderForm();
    expect(new RegExp(`^(?:${input("Age").pattern})$`, "v").test(age)).toBe(valid);
  });

  it("calls the age stated and does not mention verification", async () => {
    const form = await renderForm();
    expect(descriptionOf(input("Age"))).toContain("Your stated age");
    expect(form.textContent).not.toMatch(/verif/i);
  });

  it("accepts a long pasted password unchanged", async () => {
    await renderForm();
    const pasted = "x".repeat(300);
    input("Password").focus();
    await userEvent.paste(pasted);
    expect(input("Password").value).toBe(pasted);
  });

  it("reveals the password on demand and hides it on submit", async () => {
    await renderForm();
    mockPendingResponse();
    fillForm();
    await userEvent.click(button("Show password"));
    expect(input("Password").type).toBe("text");
    expect(screen.getByRole("status").textContent).toBe("Your password is showing.");
    expect(button("Hide password").textContent).toBe("Hide");
    expect(input("Password").value).toBe(FORM_VALUES.password);
    await submit();
    expect(input("Password").type).toBe("password");
    expect(button("Show password").textContent).toBe("Show");
  });
});

describe("an invalid form", () => {
  it("sends nothing, shows errors, focuses the first invalid field", async () => {
    const fetchMock = mockJsonResponse(200, {});
    await renderForm();
    fillForm({ password: "short", age: "abc" });
    await submit();
    expect(fetchMock).not.toHaveBeenCalled();
    expect(input("Email").getAttribute("aria-invalid")).toBeNull();
    expect(input("Password").getAttribute("aria-invalid")).toBe("true");
    expect(descriptionOf(input("Password"))).toContain("Use at least 6 characters.");
    expect(descriptionOf(input("Age"))).toContain("Enter your age as a whole number from 18 to 120.");
    expect(document.activeElement).toBe(input("Password"));
  });

  it("focuses the first invalid field again on resubmit", async () => {
    await renderForm();
    await submit();
    await submit();
    expect(document.activeElement).toBe(input("Email"));
  });

  it("clears an error once its field is valid and keeps the focus", async () => {
    await renderForm();
    await submit();
    await userEvent.type(input("Age"), "34");
    expect(input("Age").getAttribute("aria-invalid")).toBeNull();
    expect(screen.queryByText("Enter your age as a whole number from 18 to 120.")).toBeNull();
    expect(screen.queryByText("Enter a password of at least 6 characters.")).not.toBeNull();
    expect(document.activeElement).toBe(input("Age"));
  });
});

describe("a pending form", () => {
  it("has an inert button and a status, and sends a numeric age", async () => {
    const fetchMock = mockPendingResponse();
    await renderForm();
    fillForm();
    await submit();
    const busy = button("Creating Account...");
    expect(busy.getAttribute("aria-disabled")).toBe("true");
    expect(document.activeElement).toBe(busy);
    await userEvent.click(busy);
    expect(screen.getByRole("status").textContent).toBe("Your sign-up is being sent.");
    expect(fetchMock).toHaveBeenCalledTimes(1);
    expect(JSON.parse(fetchMock.mock.calls[0]?.[1]?.body as string)).toStrictEqual({ ...FORM_VALUES, age: 34 });
  });

  it("is not sent twice", async () => {
    const fetchMock = mockPendingResponse();
    const form = await renderForm();
    fillForm();
    form.requestSubmit();
    form.requestSubmit();
    await screen.findByText("Creating Account...");
    expect(fetchMock).toHaveBeenCalledTimes(1);
  });

  it("is aborted on unmount", async () => {
    const fetchMock = mockPendingResponse();
    const { unmount } = (await renderPage(section, "/signup", { site: WITH_BACKEND })) as { unmount: () => void };
    fillForm();
    await submit();
    unmount();
    expect(fetchMock.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });
});

describe("a successful sign-up", () => {
  it("without a redirect goes to the success page", async () => {
    mockJsonResponse(200, {});
    await renderForm();
    fillForm();
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
  });

  it("goes to the page that the response names", async () => {
    mockJsonResponse(200, { redirectUrl: `${window.location.origin}/terms` });
    await renderForm();
    fillForm();
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/terms");
    });
  });

  // The form would stay "Creating Account..." forever, with the password in its field.
  it.each(["/signup", "/signup#start"])("does not redirect to the current page: %s", async (redirectUrl) => {
    history.replaceState(null, "", "/signup");
    mockJsonResponse(200, { redirectUrl });
    await renderForm();
    fillForm();
    await submit();
    await waitFor(() => {
      expect(navigate.mock.calls).toEqual([["/success"]]);
    });
    history.replaceState(null, "", "/");
  });

  it("goes to a fragment of a page", async () => {
    mockJsonResponse(200, { redirectUrl: "/terms#payment" });
    await renderForm();
    fillForm();
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/terms#payment");
    });
  });

  it("ignores a redirect to a host that is not allowed", async () => {
    mockJsonResponse(200, { redirectUrl: "https://evil.example/" });
    await renderForm();
    fillForm();
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
  });
});

describe("a rejected sign-up", () => {
  it.each([
    [
      "This e-mail address is already registered.",
      " Use a different email, or go to accounts.example.org if you already have an account there.",
    ],
    ["Email not allowed.", " Check the address, or use a different one."],
    ["Enter an email address like name@example.com.", ""],
  ])("because of the e-mail marks and focuses its field: %s", async (error, nextStep) => {
    mockJsonResponse(409, { error });
    await renderForm();
    fillForm();
    await submit();
    await waitFor(() => {
      expect(document.activeElement).toBe(input("Email"));
    });
    expect(input("Email").getAttribute("aria-invalid")).toBe("true");
    expect(descriptionOf(input("Email"))).toBe(error + nextStep);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(input("Email").value).toBe(FORM_VALUES.email);
    await userEvent.type(input("Email"), "x");
    expect(input("Email").getAttribute("aria-invalid")).toBeNull();
  });

  it("separates the next step from an error without a period", async () => {
    mockJsonResponse(409, { error: "Invalid email" });
    await renderForm();
    fillForm();
    await submit();
    await waitFor(() => {
      expect(descriptionOf(input("Email"))).toBe("Invalid email. Check the address, or use a different one.");
    });
  });

  it("because of an email that was not sent marks no field", async () => {
    mockJsonResponse(500, { error: "We couldn’t send the confirmation email." });
    await renderForm();
    fillForm();
    await submit();
    expect((await screen.findByRole("alert")).textContent).toBe("We couldn’t send the confirmation email.");
    expect(input("Email").getAttribute("aria-invalid")).toBeNull();
  });

  it("shows and focuses the error and keeps the values", async () => {
    mockJsonResponse(409, { error: "Sign-up is closed today." });
    await renderForm({ site: WITH_PARTNER });
    fillForm();
    await submit();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("Sign-up is closed today.");
    expect(document.activeElement).toBe(alert);
    expect(input("Email").getAttribute("aria-invalid")).toBeNull();
    expect([input("Email").value, input("Password").value, input("Age").value]).toEqual(Object.values(FORM_VALUES));
    expect(button("Continue").disabled).toBe(false);
  });

  it("with status 429 stays on the form", async () => {
    mockJsonResponse(429, { error: "Too many sign-ups. Please wait a minute." });
    await renderForm({ site: WITH_PARTNER });
    fillForm();
    await submit();
    expect((await screen.findByRole("alert")).textContent).toBe("Too many sign-ups. Please wait a minute.");
    expect(screen.queryByRole("timer")).toBeNull();
  });

  it("because of the age never links to the partner", async () => {
    mockJsonResponse(422, { error: "Sign-up is for people aged 18 and over." });
    await renderForm({ site: WITH_PARTNER });
    fillForm();
    await submit();
    await screen.findByRole("alert");
    expect(document.querySelector('a[href^="https://partner"]')).toBeNull();
  });

  // Without it, the button would move under the visitor's finger.
  it("keeps its error while the form is sent again", async () => {
    mockJsonResponse(409, { error: "Email not allowed." });
    await renderForm();
    fillForm();
    await submit();
    await waitFor(() => {
      expect(input("Email").getAttribute("aria-invalid")).toBe("true");
    });
    mockPendingResponse();
    await submit();
    expect(button("Creating Account...")).toBeTruthy();
    expect(descriptionOf(input("Email"))).toContain("Email not allowed.");
  });

  it("can be submitted again", async () => {
    mockJsonResponse(500, {});
    await renderForm();
    fillForm();
    await submit();
    expect((await screen.findByRole("alert")).textContent).toBe("Signup failed. Please try again.");
    mockJsonResponse(200, {});
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
  });

  it("that is unreachable shows an error if there is no partner", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    mockJsonResponse(503, { error: "Down.", unreachable: true });
    await renderForm();
    fillForm();
    await submit();
    expect((await screen.findByRole("alert")).textContent).toBe("Signup failed. Please try again.");
    expect(screen.queryByRole("timer")).toBeNull();
    expect(warn.mock.calls).toEqual([["Sign-up is unavailable: HTTP 503."]]);
  });
});

describe("form values", () => {
  it("do not appear in URLs, storage, cookies or the console", async () => {
    const consoleSpies = (["log", "info", "warn", "error", "debug"] as const).map((name) =>
      vi.spyOn(console, name).mockReturnValue(),
    );
    mockFetch(() => Promise.reject(new TypeError("Failed to fetch")));
    await renderForm({ site: WITH_PARTNER });
    fillForm();
    await submit();
    await screen.findByRole("timer");
    const places = JSON.stringify([
      window.location.href,
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      document.cookie,
      [...document.querySelectorAll("a")].map((link) => link.href),
      consoleSpies.map((spy) => spy.mock.calls),
    ]);
    expect(places).toContain("Sign-up is unavailable: no response.");
    for (const text of [FORM_VALUES.email, FORM_VALUES.password, FORM_VALUES.age]) expect(places).not.toContain(text);
  });
});

describe("the result of a form post without JavaScript", () => {
  const formResult: FormResult = { error: "Signup failed. Please try again.", email: "typed@example.net" };

  it("shows the error and keeps only the e-mail address", async () => {
    await renderForm({ form: formResult });
    expect(screen.getByRole("alert").textContent).toBe("Signup failed. Please try again.");
    expect([input("Email").value, input("Password").value, input("Age").value]).toEqual(["typed@example.net", "", ""]);
  });

  it("focuses the error", async () => {
    await renderForm({ form: formResult });
    expect(document.activeElement).toBe(screen.getByRole("alert"));
  });

  it("marks and focuses the e-mail field if the error is about it", async () => {
    await renderForm({ form: { ...formResult, error: "This email address is already registered." } });
    expect(document.activeElement).toBe(input("Email"));
    expect(input("Email").getAttribute("aria-invalid")).toBe("true");
    expect(descriptionOf(input("Email"))).toContain("Use a different email");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("does not steal the focus", async () => {
    const menu = document.createElement("button");
    document.body.append(menu);
    menu.focus();
    await renderForm({ form: formResult });
    expect(document.activeElement).toBe(menu);
    menu.remove();
  });

  it("does not link to the partner", async () => {
    await renderForm({ form: formResult, site: WITH_PARTNER });
    expect(screen.queryByText("Affiliate link")).toBeNull();
  });

  it("if unreachable, links to the partner without a countdown", async () => {
    const unreachable: FormResult = { ...formResult, unreachable: true };
    await renderForm({ form: unreachable, site: WITH_PARTNER });
    const link = screen.getByRole("link", { name: /Affiliate link/ });
    expect(link.getAttribute("rel")).toBe("sponsored nofollow noopener");
    expect(screen.queryByRole("timer")).toBeNull();
  });

  it("disappears when the form is submitted again", async () => {
    mockJsonResponse(409, { error: "Sign-up is closed today." });
    await renderForm({ form: formResult });
    fillForm();
    await submit();
    expect((await screen.findByText("Sign-up is closed today.")).parentElement?.children.length).toBe(1);
    expect(screen.queryByText(formResult.error)).toBeNull();
  });
});
