/** Types of imports that the build supports besides TypeScript and JSON. */

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

  /** The file's YAML front matter. */
  export const frontmatter: Readonly<Record<string, unknown>>;
  /** Renders the text. `components` maps element names to components; `site-fact` renders `{name}` in the text. */
  export default function Content(props: {
    readonly components?: Readonly<Record<string, unknown>>;
  }): ReactElement<{ readonly children?: ReactNode }>;
}
