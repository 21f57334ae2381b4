import { act, cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { renderToString } from "react-dom/server";
import type { ReactElement } from "react";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest";

import { MutationForm, SubmitButton, type MutationFormProps } from "./MutationForm.js";

const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  fetched.mockReset().mockImplementation(() => Promise.resolve(Response.json({ tickets: 2 })));
  vi.stubGlobal("fetch", fetched);
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function Rsvp(props: Omit<MutationFormProps<{ tickets: number }>, "action" | "children">): ReactElement {
  return (
    <MutationForm<{ tickets: number }> {...props} action="/api/events/7/rsvp">
      <input name="name" aria-label="Name" defaultValue="Ada" />
      <SubmitButton name="tickets" value="2">
        Reserve
      </SubmitButton>
    </MutationForm>
  );
}

const button = (): HTMLElement => screen.getByRole("button", { name: "Reserve" });
const submit = (): Promise<void> => userEvent.click(button());

/** Lets the test respond later. */
function respondLater(): (response: Response) => Promise<void> {
  let respond: (response: Response) => void = () => undefined;
  fetched.mockReturnValueOnce(
    new Promise((resolve) => {
      respond = resolve;
    }),
  );
  return (response) =>
    act(async () => {
      respond(response);
      await Promise.resolve();
    });
}

describe("MutationForm", () => {
  test("without JavaScript is an ordinary form that posts", () => {
    const html = renderToString(<Rsvp className="rsvp" />);
    expect(html).toMatch(/^<form class="rsvp" action="\/api\/events\/7\/rsvp" method="post">/);
    expect(html).toMatch(/<button value="2" type="submit" name="tickets">Reserve<\/button>/);
  });

  test("posts the fields and the button, form-encoded, and returns the JSON", async () => {
    const onSuccess = vi.fn();
    render(<Rsvp onSuccess={onSuccess} />);
    await submit();
    await vi.waitFor(() => {
      expect(onSuccess).toHaveBeenCalledExactlyOnceWith({ tickets: 2 });
    });
    const [path, init] = fetched.mock.calls[0] ?? [];
    expect(path).toBe("/api/events/7/rsvp");
    expect(init).toMatchObject({ method: "POST", credentials: "same-origin", headers: { accept: "application/json" } });
    expect(init?.body).toEqual(new URLSearchParams({ name: "Ada", tickets: "2" }));
  });

  test("posts files as multipart/form-data, with and without JavaScript", async () => {
    const upload = (
      <MutationForm action="/api/events/7/photos" encType="multipart/form-data">
        <input name="title" aria-label="Title" defaultValue="Kites" />
        <input name="photo" type="file" aria-label="Photo" />
        <SubmitButton>Reserve</SubmitButton>
      </MutationForm>
    );
    expect(renderToString(upload)).toContain('method="post"');
    expect(renderToString(upload)).toContain('encType="multipart/form-data"');
    render(upload);
    await submit();
    const init = fetched.mock.calls[0]?.[1];
    expect(init?.body).toBeInstanceOf(FormData);
    const body = init?.body as FormData;
    expect(body.get("title")).toBe("Kites");
    // The DOM of tests chooses no files: an empty file, as browsers send it.
    expect(body.get("photo")).toBeInstanceOf(File);
    // No limit of time.
    expect(init?.signal).toBeNull();
  });

  test("says what a form with a file input lacks, and sends it", async () => {
    const reported = vi.fn();
    vi.stubGlobal("reportError", reported);
    render(
      <MutationForm action="/api/events/7/photos">
        <input name="photo" type="file" />
        <SubmitButton>Reserve</SubmitButton>
      </MutationForm>,
    );
    await submit();
    expect(String(reported.mock.calls[0]?.[0])).toContain('encType="multipart/form-data"');
    expect(fetched).toHaveBeenCalledOnce();
  });

  test("sends nothing twice, and keeps the focus on its button", async () => {
    const respond = respondLater();
    const { container } = render(<Rsvp />);
    await submit();
    const form = container.querySelector("form");
    expect(button().getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByRole("status").textContent).toBe("Sending");
    await submit();
    expect(document.activeElement).toBe(button());
    await userEvent.type(screen.getByLabelText("Name"), "{Enter}");
    act(() => {
      form?.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
    });
    expect(fetched).toHaveBeenCalledOnce();
    await respond(Response.json({ tickets: 2 }));
    expect(button().hasAttribute("aria-disabled")).toBe(false);
    expect(screen.getByRole("status").textContent).toBe("");
    await submit();
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  test.each([
    ["of the response", Response.json({ error: "Sold out." }, { status: 409 }), "Sold out."],
    [
      "for a response without one",
      new Response("<h1>Bad gateway</h1>", { status: 502 }),
      "This did not work. Try again.",
    ],
    ["for a response that is not JSON", new Response("ok"), "This did not work. Try again."],
    ["for a value that does not fit", Response.json({ tickets: "2" }), "This did not work. Try again."],
    [
      "without a connection",
      new TypeError("Failed to fetch"),
      "The site cannot be reached. Check your connection and try again.",
    ],
  ])("announces the error text %s, and keeps what was typed", async (_, response, text) => {
    fetched.mockImplementationOnce(() =>
      response instanceof Response ? Promise.resolve(response) : Promise.reject(response),
    );
    const onSuccess = vi.fn();
    render(<Rsvp schema={v.object({ tickets: v.number() })} onSuccess={onSuccess} />);
    const alert = screen.getByRole("alert");
    await userEvent.type(screen.getByLabelText("Name"), " L");
    await submit();
    await vi.waitFor(() => {
      expect(alert.textContent).toBe(text);
    });
    expect(onSuccess).not.toHaveBeenCalled();
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Ada L");
    await submit();
    await vi.waitFor(() => {
      expect(alert.textContent).toBe("");
    });
  });

  test("after a success, shows the message in its place and focuses it", async () => {
    render(<Rsvp success={({ tickets }) => <p>{`${String(tickets)} tickets reserved`}</p>} />);
    await submit();
    const status = (await screen.findByText("2 tickets reserved")).parentElement;
    expect(status?.getAttribute("role")).toBe("status");
    expect(document.activeElement).toBe(status);
    expect(screen.queryByRole("button")).toBeNull();
  });

  /** The response after a redirect. */
  function redirected(response: Response, url: string): Response {
    return Object.defineProperties(response, { redirected: { value: true }, url: { value: url } });
  }

  test("goes to the page that the response redirects to, and works again after Back", async () => {
    const assign = vi.spyOn(location, "assign").mockReturnValue();
    const url = "http://localhost/events/7/thanks";
    fetched.mockResolvedValueOnce(redirected(new Response("<!doctype html>"), url));
    render(<Rsvp />);
    await submit();
    await vi.waitFor(() => {
      expect(assign).toHaveBeenCalledExactlyOnceWith(url);
    });
    expect(button().getAttribute("aria-disabled")).toBe("true");
    // The browser shows the page as it was left.
    act(() => {
      window.dispatchEvent(new Event("pageshow"));
    });
    expect(button().hasAttribute("aria-disabled")).toBe(false);
    await submit();
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  test("reads the JSON of a redirect below /api/", async () => {
    const assign = vi.spyOn(location, "assign").mockReturnValue();
    const onSuccess = vi.fn();
    fetched.mockResolvedValueOnce(redirected(Response.json({ tickets: 3 }), "http://localhost/api/events/7"));
    render(<Rsvp onSuccess={onSuccess} />);
    await submit();
    await vi.waitFor(() => {
      expect(onSuccess).toHaveBeenCalledExactlyOnceWith({ tickets: 3 });
    });
    expect(assign).not.toHaveBeenCalled();
  });

  test("a schema gives the value its type; without one, it is unknown", () => {
    const schema = v.object({ tickets: v.number() });
    const typed = (
      <MutationForm
        action="/api/events/7/rsvp"
        schema={schema}
        success={(value) => {
          expectTypeOf(value).toEqualTypeOf<{ tickets: number }>();
          return null;
        }}
      >
        {null}
      </MutationForm>
    );
    const untyped = (
      <MutationForm
        action="/api/events/7/rsvp"
        onSuccess={(value) => {
          expectTypeOf(value).toBeUnknown();
        }}
        // @ts-expect-error -- nothing validates it
        success={(value: { tickets: number }) => String(value.tickets)}
      >
        {null}
      </MutationForm>
    );
    expect([typed, untyped]).toHaveLength(2);
  });

  test("does nothing with a response after the visitor has left", async () => {
    const respond = respondLater();
    const onSuccess = vi.fn();
    const { unmount } = render(<Rsvp onSuccess={onSuccess} />);
    await submit();
    unmount();
    await respond(Response.json({ tickets: 2 }));
    expect(fetched.mock.calls[0]?.[1].signal?.aborted).toBe(false);
    expect(onSuccess).not.toHaveBeenCalled();
  });

  test("leaves a submission alone that its onSubmit prevents", async () => {
    render(
      <Rsvp
        onSubmit={(event) => {
          event.preventDefault();
        }}
      />,
    );
    await submit();
    expect(fetched).not.toHaveBeenCalled();
  });
});
