import { defineSection } from "@colonnade/kit";

import { page } from "./pages/greeting";

/** Greetings in a few languages. */
export default defineSection({
  name: "vite",
  contract: 1,
  // Vite builds one chunk.
  // oxlint-disable-next-line typescript/require-await
  pages: { "/vite/:language": async () => ({ page }) },
});
