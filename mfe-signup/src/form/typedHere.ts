import { useLocation } from "@colonnade/kit";
import { defineChannel } from "@colonnade/kit/extensions";

type Location = ReturnType<typeof useLocation>;

/** What a closed dialog keeps until the visitor navigates. Never the password. */
interface Typed {
  readonly email: string;
  readonly age: string;
}

// In memory only. Each navigation has a location of its own, also one back to the same history entry.
let kept: (Typed & { readonly location: Location }) | undefined;

/** The names of what is kept, for the receipt. Never values. */
const names = defineChannel<readonly (keyof Typed)[]>("signup/typed");

/** Forgets what was typed: an age under 18 was stated, or the account exists. */
export function forgetTyped(): void {
  kept = undefined;
  names.publish([]);
}

/** What was typed on this page, and how to keep what is typed now. */
export function useTypedHere(): readonly [typed: Typed | undefined, keep: (typed: Typed) => void] {
  const location = useLocation();
  return [
    kept?.location === location ? kept : undefined,
    ({ email, age }) => {
      kept = { location, email, age };
      names.publish((["email", "age"] as const).filter((name) => kept?.[name]));
    },
  ];
}
