import type { ReactElement, ReactNode } from "react";

interface SpecimenProps {
  /** Caption. */
  readonly name: string;
  /** Interaction state to show permanently. The gallery's stylesheet applies it. */
  readonly state?: "hover" | "focus" | "active";
  /** Renders the component at the width of a small phone. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** A component in one state, with a caption. */
export function Specimen({ name, state, narrow, children }: SpecimenProps): ReactElement {
  return (
    <figure className={narrow ? "specimen specimen-narrow" : "specimen"}>
      <figcaption>{name}</figcaption>
      <div data-state={state}>{children}</div>
    </figure>
  );
}

/** All specimens of one component. */
export function Specimens({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  const id = name.toLowerCase().replaceAll(" ", "-");
  return (
    <section id={id} className="specimens" aria-labelledby={`${id}-name`}>
      <h2 id={`${id}-name`}>{name}</h2>
      {children}
    </section>
  );
}

/** States of interactive components. */
export const STATES = ["hover", "focus", "active"] as const;

/** A word too long for one line. */
export const LONG_WORD = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch";
