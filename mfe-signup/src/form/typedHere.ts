import { useLocation } from "@colonnade/kit";

/** What a closed dialog keeps until the visitor navigates. Never the password. */
interface Typed {
  readonly email: string;
  readonly age: string;
}

// In memory only. `key` is the history entry.
let kept: (Typed & { readonly key: string }) | undefined;

/** Forgets what was typed: an age under 18 was stated, or the account exists. */
export function forgetTyped(): void {
  kept = undefined;
}

/** What was typed on this page, and how to keep what is typed now. */
export function useTypedHere(): readonly [typed: Typed | undefined, keep: (typed: Typed) => void] {
  const { key } = useLocation();
  return [
    kept?.key === key ? kept : undefined,
    ({ email, age }) => {
      kept = { key, email, age };
    },
  ];
}
