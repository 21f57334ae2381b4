import type { NoticeProps } from "@colonnade/design";

/** The message of the page after an RSVP without JavaScript. */
export interface Outcome extends Required<Pick<NoticeProps, "kind" | "title">> {
  readonly text: string;
  /** Another attempt may succeed. */
  readonly canRetry: boolean;
}

/**
 * The outcomes of an RSVP by the name that the API puts into the path. Anyone can open these paths, so the texts claim nothing
 * about the visitor.
 */
export const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  [
    "received",
    {
      kind: "success",
      title: "The RSVP was received",
      text: "If you have just sent one, it is in the API of this example and nowhere else.",
      canRetry: false,
    },
  ],
  [
    "invalid",
    {
      kind: "error",
      title: "The RSVP was not valid",
      text: "It needs an email address, such as name@example.com, and 1 to 4 places. Nothing was recorded.",
      canRetry: true,
    },
  ],
  [
    "full",
    {
      kind: "error",
      title: "Not enough places are left",
      text: "Nothing was recorded. Fewer places may be free.",
      canRetry: true,
    },
  ],
  ["over", { kind: "error", title: "This event is over", text: "Nothing was recorded.", canRetry: false }],
]);
