import first from "./9001-a.svg";
import second from "./9001-b.svg";
import third from "./9002-a.svg";
import fourth from "./9002-b.svg";

/** Addresses of the pictures by the names that ads give them. Drawn by scripts/make-art.mjs. */
export const ART: Readonly<Partial<Record<string, string>>> = {
  "9001-a.svg": first,
  "9001-b.svg": second,
  "9002-a.svg": third,
  "9002-b.svg": fourth,
};
