import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { Message } from "./Message.js";

afterEach(cleanup);

test.each([
  ["`legal` has no release of `1.0.0`", "<code>legal</code> has no release of <code>1.0.0</code>"],
  ["no marks", "no marks"],
  ["one ` alone", "one ` alone"],
])("Message shows %s", (text, html) => {
  expect(render(<Message>{text}</Message>).container.innerHTML).toBe(html);
});
