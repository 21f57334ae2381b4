import { signupOf } from "@colonnade/design";
import type { Site } from "@colonnade/kit";

/** What replaces the form: the offer of the partner, or the redirect after success. */
export type Replacement = "unreachable" | "redirecting";

/** Heading of the form, or of what replaces it. It depends on whether a sign-up service is configured. */
export function signupHeading(site: Site, replacement: Replacement | null = null): string {
  if (replacement === "redirecting") return "You’re signed up";
  return signupOf(site).host === null || replacement === "unreachable"
    ? "Sign-up isn’t available"
    : "Create your account";
}
