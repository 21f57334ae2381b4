import { sentForms } from "@colonnade/design/tab";
import { useHydrated, type FormResult } from "@colonnade/kit";
import { renderPage, type RenderOptions } from "@colonnade/kit/testing";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { renderToString } from "react-dom/server";
import { beforeEach, describe, expect, it, vi } from "vitest";

import section from "../section";
import {
  mockFetch,
  mockJsonResponse,
  mockPendingResponse,
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
  sessionStorage.clear();
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

/** Fills in and submits the form. The gateway returns this response. */
async function signUp(status: number, body: object, options?: RenderOptions): Promise<void> {
  mockJsonResponse(status, body);
  await renderForm(options);
  fillForm();
  await submit();
}

/** Replaces every text by elements with the same text, as Google Translate does with another text. */
function translate(root: Element): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const outer = document.createElement("i");
    outer.append(document.createElement("i"));
    outer.firstElementChild?.append(text.data);
    text.replaceWith(outer);
  }
}

const values = (): string[] => [input("Email").value, input("Password").value, input("Age").value];

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

  it("has an age pattern for browser validation", async () => {
    await renderForm();
    const pattern = new RegExp(`^(?:${input("Age").pattern})$`, "v");
    const ages = ["17", "18", "99", "100", "120", "121", "200", "1", "18.5"];
    expect(ages.filter((age) => pattern.test(age))).toEqual(["18", "99", "100", "120"]);
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

  it("keeps working, and says what happens, when the browser translates each new text", async () => {
    const form = await renderForm();
    mockPendingResponse();
    fillForm();
    translate(form);
    await userEvent.click(button("Show password"));
    expect(screen.getByRole("status").textContent).toBe("Your password is showing.");
    translate(form);
    await submit();
    expect(screen.getByRole("status").textContent).toBe("Your sign-up is being sent.");
    expect(button("Creating Account...").getAttribute("aria-busy")).toBe("true");
    expect(values()).toEqual([FORM_VALUES.email, FORM_VALUES.password, FORM_VALUES.age]);
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
    input("Email").focus();
    await submit();
    expect(document.activeElement).toBe(input("Password"));
  });

  it("starts the title with Error until its errors are corrected", async () => {
    document.title = "Sign up";
    await renderForm();
    await submit();
    await submit();
    expect(document.title).toBe("Error: Sign up");
    await userEvent.type(input("Email"), FORM_VALUES.email);
    await userEvent.type(input("Password"), FORM_VALUES.password);
    expect(document.title).toBe("Error: Sign up");
    await userEvent.type(input("Age"), FORM_VALUES.age);
    expect(document.title).toBe("Sign up");
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

  it("leaves when and where it was sent and its fields in the tab, and no value", async () => {
    const fetchMock = mockPendingResponse();
    await renderForm();
    fillForm();
    await submit();
    const body = JSON.parse(fetchMock.mock.calls[0]?.[1]?.body as string) as object;
    expect(Object.keys(sessionStorage)).toEqual(["sent"]);
    // Nothing else than these three members.
    expect(JSON.parse(sessionStorage.getItem("sent") ?? "")).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        host: "accounts.example.org",
        fields: Object.keys(body),
      },
    ]);
  });

  it.each([
    ["accepted", 200, {}, [{ result: "accepted" }]],
    ["limited by the gateway", 429, { stopped: true }, [{ result: "stopped" }]],
    ["of another site's page", 403, { stopped: true }, [{ result: "stopped" }]],
    ["with a field that the gateway refuses", 422, { stopped: true }, [{ result: "stopped" }]],
    ["refused", 409, {}, [{ result: "refused" }]],
    ["with another error", 500, {}, [{}]],
  ])("leaves how far it came: %s", async (_, status, body, sent) => {
    mockJsonResponse(status, body);
    await renderForm();
    fillForm();
    await submit();
    const members = {
      at: expect.any(String) as string,
      host: "accounts.example.org",
      fields: Object.keys(FORM_VALUES),
    };
    expect(sentForms()).toEqual(sent.map((result) => ({ ...members, ...result })));
  });

  it.each([
    [true, 1],
    [false, 0],
  ])("that fails without a response is forgotten only offline: %s", async (online, count) => {
    vi.spyOn(console, "warn").mockReturnValue();
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(online);
    mockFetch(() => Promise.reject(new TypeError("Failed to fetch")));
    await renderForm();
    fillForm();
    await submit();
    await screen.findByRole("alert");
    expect(sentForms()).toHaveLength(count);
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
  it.each([
    [undefined, "/success"],
    [`${window.location.origin}/terms`, "/terms"],
    ["/terms#payment", "/terms#payment"],
    ["https://evil.example/", "/success"],
    // The form would stay "Creating Account..." forever, with the password in its field.
    ["/signup", "/success"],
    ["/signup#start", "/success"],
  ])("with the redirect %s leads to %s", async (redirectUrl, path) => {
    history.replaceState(null, "", "/signup");
    await signUp(200, { redirectUrl });
    await waitFor(() => {
      expect(navigate.mock.calls).toEqual([[path]]);
    });
    history.replaceState(null, "", "/");
  });
});

describe("a rejected sign-up", () => {
  it.each([
    [
      "This e-mail address is already registered.",
      " Use a different email, or go to accounts.example.org if you already have an account there.",
    ],
    ["Email not allowed.", " Check the address, or use a different one."],
    ["Invalid email", ". Check the address, or use a different one."],
    ["Enter an email address like name@example.com.", ""],
    ["Use an email address of at most 254 characters.", ""],
  ])("because of the e-mail marks and focuses its field: %s", async (error, nextStep) => {
    await signUp(409, { error });
    await waitFor(() => {
      expect(document.activeElement).toBe(input("Email"));
    });
    expect(input("Email").getAttribute("aria-invalid")).toBe("true");
    expect(descriptionOf(input("Email"))).toBe(error + nextStep);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(values()).toEqual(Object.values(FORM_VALUES));
    await userEvent.type(input("Email"), "x");
    expect(input("Email").getAttribute("aria-invalid")).toBeNull();
  });

  it.each([
    [409, "Sign-up is closed today."],
    [422, "Sign-up is for people aged 18 and over."],
    [429, "Too many sign-ups. Please wait a minute."],
    // An email that was not sent is no error of the field.
    [500, "We couldn’t send the confirmation email."],
  ])("with status %i shows its error, keeps the values, offers no partner: %s", async (status, error) => {
    await signUp(status, { error }, { site: WITH_PARTNER });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe(error);
    expect(document.activeElement).toBe(alert);
    expect(input("Email").getAttribute("aria-invalid")).toBeNull();
    expect(values()).toEqual(Object.values(FORM_VALUES));
    expect(button("Continue").disabled).toBe(false);
    expect(document.querySelector('[role="timer"], a[href^="https://partner"]')).toBeNull();
  });

  // Without it, the button would move under the visitor's finger.
  it("keeps its error while the form is sent again", async () => {
    await signUp(409, { error: "Email not allowed." });
    await waitFor(() => {
      expect(input("Email").getAttribute("aria-invalid")).toBe("true");
    });
    mockPendingResponse();
    await submit();
    expect(button("Creating Account...")).toBeTruthy();
    expect(descriptionOf(input("Email"))).toContain("Email not allowed.");
  });

  it("can be submitted again", async () => {
    await signUp(500, {});
    expect((await screen.findByRole("alert")).textContent).toBe("Signup failed. Please try again.");
    mockJsonResponse(200, {});
    await submit();
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
  });

  it("that is unreachable shows an error if there is no partner", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    await signUp(503, { error: "Down.", unreachable: true });
    expect((await screen.findByRole("alert")).textContent).toBe("Signup failed. Please try again.");
    expect(values()).toEqual(Object.values(FORM_VALUES));
    expect(screen.queryByRole("timer")).toBeNull();
    expect(document.body.textContent).not.toMatch(/partner|affiliate link/i);
    expect(warn.mock.calls).toEqual([["Sign-up is unavailable: HTTP 503."]]);
  });
});

describe("the result of a form post without JavaScript", () => {
  const formResult: FormResult = {
    message: "Signup failed. Please try again.",
    values: { email: "typed@example.net" },
  };

  it("leaves in the tab that it was sent", async () => {
    await renderForm({ form: { message: "Sign-up is closed today.", values: { email: FORM_VALUES.email } } });
    expect(sentForms()).toMatchObject([{ host: "accounts.example.org", fields: ["email", "password", "age"] }]);
    expect(sessionStorage.getItem("sent")).not.toContain(FORM_VALUES.email);
  });

  it("shows and focuses the error, keeps only the e-mail address, and offers no partner", async () => {
    await renderForm({ form: formResult, site: WITH_PARTNER });
    expect(screen.getByRole("alert").textContent).toBe("Signup failed. Please try again.");
    expect(document.activeElement).toBe(screen.getByRole("alert"));
    expect(values()).toEqual(["typed@example.net", "", ""]);
  });

  it("marks and focuses the e-mail field if the error is about it", async () => {
    await renderForm({ form: { ...formResult, message: "This email address is already registered." } });
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

  it("if unreachable, links to the partner without a countdown", async () => {
    await renderForm({ form: { ...formResult, code: "unreachable" }, site: WITH_PARTNER });
    const link = screen.getByRole("link", { name: "Example Partner (partner.example.com) Affiliate link" });
    expect(link.getAttribute("rel")).toBe("sponsored nofollow noopener");
    expect(screen.queryByRole("timer")).toBeNull();
  });

  it("disappears when the form is submitted again", async () => {
    mockJsonResponse(409, { error: "Sign-up is closed today." });
    await renderForm({ form: formResult });
    fillForm();
    await submit();
    expect((await screen.findByText("Sign-up is closed today.")).parentElement?.children.length).toBe(1);
    expect(screen.queryByText(formResult.message)).toBeNull();
  });
});
