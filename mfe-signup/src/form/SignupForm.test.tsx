import { useHydrated, type FormAnswer } from "@colonnade/kit";
import { renderPage, type RenderOptions } from "@colonnade/kit/testing";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { renderToString } from "react-dom/server";
import { beforeEach, describe, expect, it, vi } from "vitest";

import section from "../section";
import {
  answerJson,
  answerNever,
  answerWith,
  CONNECTED,
  descriptionOf,
  fillIn,
  input,
  TYPED,
  WITH_PARTNER,
} from "../testing/signup";

const navigate = vi.hoisted(() => vi.fn());
vi.mock("@colonnade/kit", async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }));

beforeEach(() => {
  navigate.mockReset();
});

async function show(options: RenderOptions = {}): Promise<HTMLFormElement> {
  await renderPage(section, "/signup", { site: CONNECTED, ...options });
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
  it("posts to the gateway by itself", async () => {
    const form = await show();
    expect(form.getAttribute("method")).toBe("post");
    expect(form.getAttribute("action")).toBe("/functions/v1/signup");
    expect([...new FormData(form).keys()]).toEqual(["email", "password", "age"]);
  });

  it("leaves checking to the browser until script has taken over", async () => {
    function Probe() {
      return useHydrated();
    }
    expect(renderToString(<Probe />)).toBe("");
    expect((await show()).noValidate).toBe(true);
  });

  it("tells browsers and password managers what each field is", async () => {
    await show();
    const [email, password, age] = [input("E-mail"), input("Password"), input("Age")];
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
  ])("lets a browser without script judge an age of %s: %s", async (age, valid) => {
    await show();
    expect(new RegExp(`^(?:${input("Age").pattern})$`, "v").test(age)).toBe(valid);
  });

  it("calls the age a stated one and speaks of no verification", async () => {
    const form = await show();
    expect(descriptionOf(input("Age"))).toContain("Your stated age");
    expect(form.textContent).not.toMatch(/verif/i);
  });

  it("takes a pasted password, whole", async () => {
    await show();
    const pasted = "x".repeat(300);
    input("Password").focus();
    await userEvent.paste(pasted);
    expect(input("Password").value).toBe(pasted);
  });

  it("reveals the password on demand, and hides it again when it is sent", async () => {
    await show();
    answerNever();
    fillIn();
    await userEvent.click(button("Show password"));
    expect(input("Password").type).toBe("text");
    expect(button("Show password").getAttribute("aria-pressed")).toBe("true");
    expect(input("Password").value).toBe(TYPED.password);
    await submit();
    expect(input("Password").type).toBe("password");
  });
});

describe("a form with mistakes", () => {
  it("sends nothing, says in words what is wrong, and goes to the first mistake", async () => {
    const fetching = answerJson(200, {});
    await show();
    fillIn({ password: "short", age: "abc" });
    await submit();
    expect(fetching).not.toHaveBeenCalled();
    expect(input("E-mail").getAttribute("aria-invalid")).toBeNull();
    expect(input("Password").getAttribute("aria-invalid")).toBe("true");
    expect(descriptionOf(input("Password"))).toContain("Use at least 6 characters.");
    expect(descriptionOf(input("Age"))).toContain("Enter your age as a whole number from 18 to 120.");
    expect(document.activeElement).toBe(input("Password"));
  });

  it("goes to the first mistake again where it was not mended", async () => {
    await show();
    await submit();
    await submit();
    expect(document.activeElement).toBe(input("E-mail"));
  });

  it("takes an error away once its field is right, and leaves the focus alone", async () => {
    await show();
    await submit();
    await userEvent.type(input("Age"), "34");
    expect(input("Age").getAttribute("aria-invalid")).toBeNull();
    expect(screen.queryByText("Enter your age.")).toBeNull();
    expect(screen.queryByText("Enter a password.")).not.toBeNull();
    expect(document.activeElement).toBe(input("Age"));
  });
});

describe("a form on its way", () => {
  it("keeps the focus on a button that does nothing, says so, and sends the age as a number", async () => {
    const fetching = answerNever();
    await show();
    fillIn();
    await submit();
    const busy = button("Creating Account...");
    expect(busy.getAttribute("aria-disabled")).toBe("true");
    expect(document.activeElement).toBe(busy);
    await userEvent.click(busy);
    expect(screen.getByRole("status").textContent).toBe("Your sign-up is being sent.");
    expect(fetching).toHaveBeenCalledTimes(1);
    expect(JSON.parse(fetching.mock.calls[0]?.[1]?.body as string)).toStrictEqual({ ...TYPED, age: 34 });
  });

  it("is not sent twice", async () => {
    const fetching = answerNever();
    const form = await show();
    fillIn();
    form.requestSubmit();
    form.requestSubmit();
    await screen.findByText("Creating Account...");
    expect(fetching).toHaveBeenCalledTimes(1);
  });

  it("is given up when the page goes", async () => {
    const fetching = answerNever();
    const { unmount } = (await renderPage(section, "/signup", { site: CONNECTED })) as { unmount: () => void };
    fillIn();
    await submit();
    unmount();
    expect(fetching.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });
});

describe("a sign-up that succeeds", () => {
  it("without a redirect goes to the site's own page", async () => {
    answerJson(200, {});
    await show();
    fillIn();
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
  });

  it("goes to a page of this site that the answer names", async () => {
    answerJson(200, { redirectUrl: `${window.location.origin}/terms` });
    await show();
    fillIn();
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/terms");
    });
  });

  // It would stay "Creating Account..." for ever, with the password in its field.
  it.each(["/signup", "/signup#start"])("does not lead to where it stands: %s", async (redirectUrl) => {
    history.replaceState(null, "", "/signup");
    answerJson(200, { redirectUrl });
    await show();
    fillIn();
    await submit();
    await waitFor(() => {
      expect(navigate.mock.calls).toEqual([["/success"]]);
    });
    history.replaceState(null, "", "/");
  });

  it("goes to a place within a page of this site", async () => {
    answerJson(200, { redirectUrl: "/terms#payment" });
    await show();
    fillIn();
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/terms#payment");
    });
  });

  it("goes nowhere the operator did not name", async () => {
    answerJson(200, { redirectUrl: "https://evil.example/" });
    await show();
    fillIn();
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
  });
});

describe("a sign-up that is refused", () => {
  it("shows the answer's words, takes the focus there, and keeps what was typed", async () => {
    answerJson(409, { error: "This e-mail address is already registered." });
    await show({ site: WITH_PARTNER });
    fillIn();
    await submit();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("This e-mail address is already registered.");
    expect(document.activeElement).toBe(alert);
    expect([input("E-mail").value, input("Password").value, input("Age").value]).toEqual(Object.values(TYPED));
    expect(button("Continue").disabled).toBe(false);
  });

  it("for too many requests stays with the form, partner or not", async () => {
    answerJson(429, { error: "Too many sign-ups. Please wait a minute." });
    await show({ site: WITH_PARTNER });
    fillIn();
    await submit();
    expect((await screen.findByRole("alert")).textContent).toBe("Too many sign-ups. Please wait a minute.");
    expect(screen.queryByRole("timer")).toBeNull();
  });

  it("over the age never leads to the partner", async () => {
    answerJson(422, { error: "Sign-up is for people aged 18 and over." });
    await show({ site: WITH_PARTNER });
    fillIn();
    await submit();
    await screen.findByRole("alert");
    expect(document.querySelector('a[href^="https://partner"]')).toBeNull();
  });

  it("can be sent again", async () => {
    answerJson(500, {});
    await show();
    fillIn();
    await submit();
    expect((await screen.findByRole("alert")).textContent).toBe("Signup failed. Please try again.");
    answerJson(200, {});
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
  });

  it("as out of reach without a partner just failed", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    answerJson(503, { error: "Down.", unreachable: true });
    await show();
    fillIn();
    await submit();
    expect((await screen.findByRole("alert")).textContent).toBe("Signup failed. Please try again.");
    expect(screen.queryByRole("timer")).toBeNull();
    expect(warn.mock.calls).toEqual([["Sign-up is out of reach: HTTP 503."]]);
  });
});

describe("what was typed", () => {
  it("turns up in no address, storage, cookie or console", async () => {
    const written = (["log", "info", "warn", "error", "debug"] as const).map((name) =>
      vi.spyOn(console, name).mockReturnValue(),
    );
    answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
    await show({ site: WITH_PARTNER });
    fillIn();
    await submit();
    await screen.findByRole("timer");
    const places = JSON.stringify([
      window.location.href,
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      document.cookie,
      [...document.querySelectorAll("a")].map((link) => link.href),
      written.map((spy) => spy.mock.calls),
    ]);
    expect(places).toContain("Sign-up is out of reach: no answer.");
    for (const text of [TYPED.email, TYPED.password, TYPED.age]) expect(places).not.toContain(text);
  });
});

describe("the answer to a form post without script", () => {
  const answer: FormAnswer = { error: "Signup failed. Please try again.", email: "typed@example.net" };

  it("shows the error and keeps the e-mail address, and nothing else", async () => {
    await show({ form: answer });
    expect(screen.getByRole("alert").textContent).toBe("Signup failed. Please try again.");
    expect([input("E-mail").value, input("Password").value, input("Age").value]).toEqual(["typed@example.net", "", ""]);
  });

  it("takes the focus to the error, as the answer to a script does", async () => {
    await show({ form: answer });
    expect(document.activeElement).toBe(screen.getByRole("alert"));
  });

  it("leaves the focus where the visitor has taken it", async () => {
    const menu = document.createElement("button");
    document.body.append(menu);
    menu.focus();
    await show({ form: answer });
    expect(document.activeElement).toBe(menu);
    menu.remove();
  });

  it("does not lead to the partner", async () => {
    await show({ form: answer, site: WITH_PARTNER });
    expect(screen.queryByText("Affiliate link")).toBeNull();
  });

  it("out of reach links to the partner, and takes nobody there", async () => {
    const unreachable: FormAnswer = { ...answer, unreachable: true };
    await show({ form: unreachable, site: WITH_PARTNER });
    const link = screen.getByRole("link", { name: /Affiliate link/ });
    expect(link.getAttribute("rel")).toBe("sponsored nofollow noopener");
    expect(screen.queryByRole("timer")).toBeNull();
  });

  it("goes once the form is sent again", async () => {
    answerJson(409, { error: "This e-mail address is already registered." });
    await show({ form: answer });
    fillIn();
    await submit();
    expect((await screen.findByText("This e-mail address is already registered.")).parentElement?.children.length).toBe(
      1,
    );
    expect(screen.queryByText(answer.error)).toBeNull();
  });
});
