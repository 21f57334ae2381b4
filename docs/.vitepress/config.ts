import { slug } from "github-slugger";
import { defineConfig } from "vitepress";

import { codeBlocks } from "./codeBlocks.js";
import { fileReferences } from "./fileReferences.js";

const GUIDES = [
  { text: "Write a section", link: "/write-a-section" },
  { text: "Data in pages", link: "/data" },
  { text: "Your own shell", link: "/your-own-shell" },
  {
    text: "Recipes",
    collapsed: false,
    items: [
      { text: "Chart", link: "/recipes/chart" },
      { text: "Fetch", link: "/recipes/fetch" },
      { text: "Forms", link: "/recipes/forms" },
      { text: "Sign-in", link: "/recipes/sign-in" },
      { text: "HTML from a CMS", link: "/recipes/cms-html" },
      { text: "MDX", link: "/recipes/mdx" },
      { text: "Uploads", link: "/recipes/uploads" },
      { text: "Live updates", link: "/recipes/live-updates" },
      { text: "Dates and locales", link: "/recipes/dates-and-locales" },
      { text: "Languages", link: "/recipes/languages" },
      { text: "Images", link: "/recipes/images" },
      { text: "Lazy loading", link: "/recipes/lazy" },
      { text: "Web worker", link: "/recipes/worker" },
      { text: "App with a router", link: "/recipes/app" },
      { text: "Analytics", link: "/recipes/analytics" },
      { text: "Tests", link: "/recipes/tests" },
    ],
  },
  { text: "Plugins", link: "/plugins" },
  { text: "Share components", link: "/share-components" },
  { text: "Build with Vite or Rspack", link: "/vite-and-rspack" },
  { text: "Move an existing remote", link: "/move-an-existing-remote" },
  { text: "Debugging", link: "/debugging" },
  { text: "Continuous integration", link: "/ci" },
  { text: "Upgrading", link: "/upgrading" },
];

const REFERENCE = [
  { text: "Section contract", link: "/contract" },
  { text: "API", link: "/api/kit" },
  { text: "API for data", link: "/api/data" },
  { text: "API for remotes", link: "/api/remotes" },
  { text: "API for tests", link: "/api/testing" },
  { text: "API for shells", link: "/api/shell" },
  { text: "Plain parts of shells", link: "/api/plain" },
  { text: "API for builds and scripts", link: "/api/build" },
  { text: "Errors", link: "/errors" },
  { text: "Compatibility", link: "/compatibility" },
  { text: "Release specification", link: "/spec/release" },
  { text: "Glossary", link: "/glossary" },
];

const OPERATE = [
  { text: "What is wrong?", link: "/operate/" },
  {
    text: "Run",
    collapsed: false,
    items: [
      { text: "First day", link: "/operate/first-day" },
      { text: "Deploy and roll back", link: "/operate/deploy" },
      { text: "Upgrade", link: "/operate/upgrade" },
      { text: "Container image", link: "/operate/container" },
      { text: "Kubernetes", link: "/operate/kubernetes" },
      { text: "Backup and restore", link: "/operate/backup" },
      { text: "Certificates", link: "/operate/certificates" },
      { text: "Capacity", link: "/operate/capacity" },
      { text: "Console", link: "/operate/console" },
      { text: "Identity", link: "/operate/identity" },
      { text: "The site's settings", link: "/operate/site-settings" },
      { text: "Integrations", link: "/operate/integrations" },
    ],
  },
  {
    text: "Trouble",
    collapsed: false,
    items: [
      { text: "A section is down", link: "/operate/section-down" },
      { text: "The backend is down", link: "/operate/backend-down" },
      { text: "Upstreams", link: "/operate/upstreams" },
      { text: "Store trouble", link: "/operate/store-trouble" },
      { text: "Alerts", link: "/operate/alerts" },
    ],
  },
  {
    text: "Reference of the gateway",
    collapsed: false,
    items: [
      { text: "Configuration", link: "/operate/configuration" },
      { text: "Admin API", link: "/operate/admin-api" },
      { text: "Cache of upstreams", link: "/operate/upstream-cache" },
      { text: "Webhooks and events", link: "/operate/webhooks" },
      { text: "Metrics", link: "/operate/metrics" },
      { text: "Events", link: "/operate/events" },
      { text: "Listeners, hosts and proxies", link: "/operate/listeners" },
      { text: "Store", link: "/operate/store" },
      { text: "Object storage", link: "/operate/object-storage" },
      { text: "Several gateways", link: "/operate/several-gateways" },
      { text: "Regions", link: "/operate/regions" },
    ],
  },
  { text: "Edge security", link: "/edge" },
];

const DECISIONS = [
  { text: "All decisions", link: "/decisions/" },
  { text: "QuickJS for rendering", link: "/decisions/0001-quickjs-for-rendering" },
  { text: "No data router", link: "/decisions/0002-no-data-router" },
  { text: "Two HTTP clients", link: "/decisions/0003-two-http-clients" },
  { text: "Admission by network", link: "/decisions/0004-admission-by-network" },
  { text: "Groups of visitors", link: "/decisions/0005-groups-of-visitors" },
  { text: "Static releases", link: "/decisions/0006-static-releases" },
  { text: "Strict policy by default", link: "/decisions/0007-strict-policy-by-default" },
  { text: "One document is one deployment", link: "/decisions/0008-one-document-one-deployment" },
  { text: "A folder or a bucket", link: "/decisions/0009-folder-or-bucket" },
  { text: "No Node.js in production", link: "/decisions/0010-no-nodejs-in-production" },
  { text: "A platform, and a site on it", link: "/decisions/0011-platform-and-site" },
];

const PROJECT = [
  { text: "Architecture", link: "/architecture" },
  { text: "Decisions", collapsed: true, items: DECISIONS },
  { text: "Deployments", link: "/deployments" },
  { text: "Scale", link: "/scale" },
  { text: "Benchmarks", link: "/benchmarks" },
  { text: "Development server", link: "/development-server" },
  { text: "Contribute", link: "/contributing" },
  { text: "Design of the bundled site", link: "/design-system" },
  { text: "Conduct of the bundled site", link: "/conduct" },
];

/** Shiki, which highlights code, has no grammar of ABNF. */
const ABNF = {
  name: "abnf",
  scopeName: "source.abnf",
  repository: {},
  patterns: [
    { name: "comment", match: ";.*$" },
    { name: "string", match: '"[^"]*"' },
  ],
};

export default defineConfig({
  title: "Colonnade",
  description: "Documentation of Colonnade, a platform for independently deployed sections of one site",
  lang: "en-US",
  cleanUrls: true,
  // Pages link to sites on the reader's machine.
  ignoreDeadLinks: [/^http:\/\/localhost:8[01]80/],
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/logo.svg" }]],
  markdown: {
    languages: [ABNF],
    // The same fragments as on GitHub, so that links work in both places.
    anchor: { slugify: slug },
    config(md) {
      md.use(codeBlocks);
      md.use(fileReferences);
    },
  },
  themeConfig: {
    logo: "/logo.svg",
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Guide", link: "/write-a-section" },
      { text: "Reference", items: REFERENCE },
      { text: "Operate", link: "/operate/" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "Overview", link: "/" },
          { text: "Tutorial", link: "/tutorial" },
        ],
      },
      { text: "Guides", items: GUIDES },
      { text: "Reference", items: REFERENCE },
      { text: "Operate", items: OPERATE },
      { text: "Project", items: PROJECT },
    ],
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // The index has the text of code without its colors.
        _render(source, env, md) {
          const { highlight } = md.options;
          md.set({ highlight: null });
          const html = md.render(source, env);
          md.set({ highlight });
          return html;
        },
      },
    },
  },
});
