import { defineSection } from "@colonnade/kit";

/** Sign-up: the same form as a page and as the dialog `signup/join`, which section.config.js exposes. */
export default defineSection({
  name: "signup",
  contract: 1,
  pages: {
    "/signup": () => import("./pages/signup"),
    "/success": () => import("./pages/success"),
  },
});
