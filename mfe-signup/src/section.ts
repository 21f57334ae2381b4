import { defineSection } from "@colonnade/kit";

/** Sign-up: the same form as a page and as the dialog in the shell's `join` slot. */
export default defineSection({
  name: "signup",
  contract: 1,
  pages: {
    "/signup": () => import("./pages/signup"),
    "/success": () => import("./pages/success"),
  },
  slots: {
    join: () => import("./slots/join"),
  },
});
