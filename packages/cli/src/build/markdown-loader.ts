import type { LoaderContext } from "webpack";

import { compileMarkdown } from "./markdown.js";

/** Webpack loader for `.md` and `.mdx` files. */
export default function markdownLoader(this: LoaderContext<unknown>, source: string): void {
  const done = this.async();
  compileMarkdown(source, this.resourcePath).then(
    ({ code, map }) => {
      done(null, code, map as never);
    },
    (error: unknown) => {
      done(error instanceof Error ? error : new Error(String(error)));
    },
  );
}
