import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { Badge, Breadcrumbs, Card, Disclosure, Grid, Notice, Prose } from "./index.js";

afterEach(cleanup);

test("Breadcrumbs links every page but the current one", () => {
  const trail = [
    { label: "Home", path: "/" },
    { label: "Texas", path: "/state/Texas" },
  ];
  render(<Breadcrumbs trail={trail} />);
  expect(screen.getByRole("navigation", { name: "Breadcrumb" }).textContent).toBe("HomeTexas");
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/"]);
  expect(screen.getByText("Texas").getAttribute("aria-current")).toBe("page");
});

test("Notice shows its title and is an alert only with that role", () => {
  const { rerender } = render(<Notice>Samples.</Notice>);
  expect(screen.getByText("Samples.").className).toBe("notice");
  expect(screen.queryByRole("alert")).toBeNull();
  rerender(
    <Notice kind="error" role="alert" title="That did not work">
      <p>Try again.</p>
    </Notice>,
  );
  expect(screen.getByRole("alert").textContent).toBe("That did not workTry again.");
  expect(screen.getByRole("alert").className).toBe("notice error");
});

test("Disclosure is closed unless it has `open`", () => {
  render(
    <>
      <Disclosure summary="Who sees it?">Nobody.</Disclosure>
      <Disclosure summary="What is kept?" open>
        Nothing.
      </Disclosure>
    </>,
  );
  expect(screen.getByText("Nobody.").closest("details")?.open).toBe(false);
  expect(screen.getByText("Nothing.").closest("details")?.open).toBe(true);
});

test("components add a given class to their own", () => {
  render(
    <Grid cells="wide" className="mine">
      <Card as="li" linked className="mine">
        <Prose as="section" className="mine" aria-label="Words">
          <Badge sample>Sample</Badge>
        </Prose>
      </Card>
    </Grid>,
  );
  expect(screen.getByRole("list").className).toBe("grid cells wide mine");
  expect(screen.getByRole("listitem").className).toBe("card linked mine");
  expect(screen.getByRole("region", { name: "Words" }).className).toBe("prose mine");
  expect(screen.getByText("Sample").className).toBe("badge sample");
});
