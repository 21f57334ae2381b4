import { JoinButton, signupOf } from "@colonnade/design";
import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

/** The join button of header and footer. Without a sign-up backend there is nothing to join. */
export function Join({ className }: { readonly className: string }): ReactElement | null {
  const isOpen = signupOf(useSite()).host !== null;
  return isOpen ? <JoinButton className={className}>Join Free</JoinButton> : null;
}
