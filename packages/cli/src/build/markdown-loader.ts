import type { LoaderContext } from "webpack";

import { compileMarkdown } from "./markdown.js";

/** Webpack loader for `.md` files. */
export default function markdownLoader(this: LoaderContext<unknown>, source: string): void {
  const done = this.async();
  compileMarkdown(source).then(
    (code) => {
      done(null, code);
    },
    (error: unknown) => {
      done(error instanceof Error ? error : new Error(String(error)));
    },
  );
}
