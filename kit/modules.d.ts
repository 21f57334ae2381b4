/** Modules that the build preset understands besides TypeScript and JSON. */

declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

declare module "*.css";

declare module "*.svg" {
  const url: string;
  export default url;
}

declare module "*.png" {
  const url: string;
  export default url;
}

declare module "*.md" {
  import type { ReactElement, ReactNode } from "react";

  /** The YAML front matter of the file. */
  export const frontmatter: Readonly<Record<string, unknown>>;
  /** Components for Markdown elements by tag name; `site-fact` shows a `{name}` of the text. */
  export default function Content(props: {
    readonly components?: Readonly<Record<string, unknown>>;
  }): ReactElement<{ readonly children?: ReactNode }>;
}
