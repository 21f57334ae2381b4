import { defineSection } from "@colonnade/kit";

/** What’s on in a few cities: live data of an API, rendered by the gateway. */
export default defineSection({
  name: "events",
  contract: 1,
  pages: {
    "/events": () => import("./pages/cities"),
    "/events/:city": () => import("./pages/list"),
    "/events/:city/event/:event": () => import("./pages/event"),
    "/events/:city/event/:event/rsvp/:outcome": () => import("./pages/rsvp"),
  },
  extensions: { "directory/city-aside@1": () => import("./extensions/cityAside") },
  navigation: [{ to: "shell/menu", label: "Events", path: "/events", order: 20 }],
});
