import { defineSection } from "@colonnade/kit";

export default defineSection({ name: "packages", contract: 1, pages: { "/packages": () => import("./page") } });
