import type { ReactElement } from "react";

import type { IconName } from "../frontmatter";

// Stroked paths in a 24 by 24 view box.
const PATHS: Readonly<Record<IconName, string>> = {
  compass: "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM15.75 8.25l-2.25 5.25-5.25 2.25 2.25-5.25z",
  scales: "M12 4v16M8 20h8M4.5 7h15M5 7l-2.75 6.5a3 3 0 0 0 5.5 0zM19 7l-2.75 6.5a3 3 0 0 0 5.5 0z",
  shield: "M12 3l7.5 2.75V11c0 4.75-3.25 8.25-7.5 10-4.25-1.75-7.5-5.25-7.5-10V5.75zM8.75 12l2.25 2.25 4.25-4.5",
  map: "M9 4 3.5 6.25V20L9 17.75 15 20l5.5-2.25V4L15 6.25zM9 4v13.75M15 6.25V20",
  pencil: "M4 20l1-4.75L16 4.25a2.1 2.1 0 0 1 3 0l.75.75a2.1 2.1 0 0 1 0 3L8.75 19zM13.75 6.5l3.75 3.75",
  gavel: "M14 3.5l6.5 6.5M8 9.5l6.5 6.5M15.25 4.75l-6 6M19.25 8.75l-6 6M11.25 12.75L3.5 20.5M13.5 20.5h7",
  clock: "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM12 6.75V12l3.5 2.25",
  flag: "M5.5 21V4.25c3.5-1.75 6.25 1.5 9.5.75 1.5-.35 2.5-.75 4-.75V14c-1.5 0-2.5.4-4 .75-3.25.75-6-2.5-9.5-.75",
  book: "M12 6.5c-2-1.5-5-2-8.5-2v13.75c3.5 0 6.5.5 8.5 2 2-1.5 5-2 8.5-2V4.5c-3.5 0-6.5.5-8.5 2zM12 6.5v13.75",
};

/** A decorative icon in the current text color. */
export function Icon({
  name,
  className,
}: {
  readonly name: IconName;
  readonly className?: string | undefined;
}): ReactElement {
  return (
    <svg viewBox="0 0 24 24" className={className} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
