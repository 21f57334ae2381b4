import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { Badge, Breadcrumbs, Card, Disclosure, Grid, Notice, Prose } from "./index.js";

afterEach(cleanup);

test("breadcrumbs lead to every page but the one that is shown", () => {
  const trail = [
    { label: "Home", path: "/" },
    { label: "Texas", path: "/state/Texas" },
  ];
  render(<Breadcrumbs trail={trail} />);
  expect(screen.getByRole("navigation", { name: "Breadcrumb" }).textContent).toBe("HomeTexas");
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/"]);
  expect(screen.getByText("Texas").getAttribute("aria-current")).toBe("page");
});

test("a notice says in words what its colour says, and is read out only where it is told to be", () => {
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

test("a disclosure is closed until it is opened, unless it is to be open", () => {
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

test("a component keeps the class it is given beside its own", () => {
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
