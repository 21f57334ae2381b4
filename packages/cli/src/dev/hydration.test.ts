import { expect, test } from "vitest";

import { shortenHydrationMessage } from "./hydration.js";

const MESSAGE = `Hydration failed because the server rendered text didn't match the client. As a result this tree will be regenerated on the client. This can happen if a SSR-ed Client Component used:

- A server/client branch \`if (typeof window !== 'undefined')\`.
- Invalid HTML tag nesting.

It can also happen if the client has a browser extension installed which messes with the HTML before React loaded.

https://react.dev/link/hydration-mismatch

  ...
    <Suspense fallback={<Frame>}>
      <Frame layout={{header:"menu", ...}} currentPath="/hello">
        <div className="page">
          <h1>
+           browser
-           server
          ...
`;

test("a hydration message keeps what differs", () => {
  const { message, diff } = shortenHydrationMessage(MESSAGE);
  expect(message).toBe("Hydration failed because the server rendered text didn't match the client.");
  expect(diff).toBe(`  <div className="page">\n    <h1>\n+     browser\n-     server`);
});

test("a hydration message without a tree is shortened", () => {
  const { message, diff } = shortenHydrationMessage("There was an error while hydrating. React rendered it again.");
  expect(message).toBe("There was an error while hydrating.");
  expect(diff).toBeUndefined();
});
