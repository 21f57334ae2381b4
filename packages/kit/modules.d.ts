/** Types of imports that the build supports besides scripts and JSON. */

declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

declare module "*.module.scss" {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

declare module "*.module.sass" {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

declare module "*.css";

declare module "*.scss";

declare module "*.sass";

declare module "*.avif" {
  const url: string;
  export default url;
}

declare module "*.gif" {
  const url: string;
  export default url;
}

declare module "*.ico" {
  const url: string;
  export default url;
}

declare module "*.jpeg" {
  const url: string;
  export default url;
}

declare module "*.jpg" {
  const url: string;
  export default url;
}

declare module "*.png" {
  const url: string;
  export default url;
}

declare module "*.svg" {
  const url: string;
  export default url;
}

declare module "*.webp" {
  const url: string;
  export default url;
}

declare module "*.mp3" {
  const url: string;
  export default url;
}

declare module "*.mp4" {
  const url: string;
  export default url;
}

declare module "*.webm" {
  const url: string;
  export default url;
}

declare module "*.ttf" {
  const url: string;
  export default url;
}

declare module "*.woff" {
  const url: string;
  export default url;
}

declare module "*.woff2" {
  const url: string;
  export default url;
}

declare module "*.pdf" {
  const url: string;
  export default url;
}

declare module "*.wasm" {
  const url: string;
  export default url;
}

/** The URL of any file. */
declare module "*?url" {
  const url: string;
  export default url;
}

/** The text of any file. */
declare module "*?raw" {
  const text: string;
  export default text;
}

declare module "*.yaml" {
  const data: unknown;
  export default data;
}

declare module "*.yml" {
  const data: unknown;
  export default data;
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

declare module "*.mdx" {
  import type { ReactElement, ReactNode } from "react";

  /** The file's YAML front matter. */
  export const frontmatter: Readonly<Record<string, unknown>>;
  /** Renders the text. `components` maps element and component names to components. The file reads other props as `props`. */
  export default function Content(
    props: Readonly<Record<string, unknown>> & { readonly components?: Readonly<Record<string, unknown>> },
  ): ReactElement<{ readonly children?: ReactNode }>;
}

// These merge with the declarations of @types/node, if the package has them.
declare namespace NodeJS {
  interface ProcessEnv {
    /** The build replaces `process.env.NODE_ENV` by this value. */
    readonly NODE_ENV?: string | undefined;
  }
  interface Process {
    env: ProcessEnv;
  }
}

declare var process: NodeJS.Process;
