import { expect, test } from "vitest";

import type { Section } from "../openapi.js";
import { search } from "./search.js";

const release = (version: string): Section["releases"][number] => ({
  version,
  publishedAt: "2030-01-01T12:00:00Z",
  by: "team",
  bytes: 1,
});
const section = (name: string, ...versions: string[]): Section => ({
  name,
  kind: "section",
  releases: versions.map(release),
  live: versions[0] ?? null,
  patterns: [`/${name}`, `/${name}/:page`],
  candidate: versions[1] ?? null,
  previous: null,
  usage: { storedBytes: 1, maxStoredBytes: 2, publishes: 1, maxPublishesPerDay: 2 },
});
const SEARCHED = {
  pages: [
    { page: "", label: "Overview" },
    { page: "history", label: "History" },
  ],
  sections: [section("legal", "1.0.0", "2.0.0"), section("paralegal", "1.0.0")],
  deployments: [],
  live: 42,
  newest: 50,
};

const labels = (text: string): string[] => search(SEARCHED, text).map(({ label }) => label);

test("search finds exact names before those that contain the text", () => {
  expect(labels(" LEGAL ")).toEqual(["legal", "legal@2.0.0", "legal@1.0.0", "paralegal", "paralegal@1.0.0"]);
});

test("search finds pages, releases and deployments with their addresses", () => {
  const hrefs = ["hist", "legal@2", "#42"].map((text) => search(SEARCHED, text)[0]);
  expect(hrefs).toEqual([
    { kind: "Page", label: "History", detail: "", href: "/console/history" },
    { kind: "Release", label: "legal@2.0.0", detail: "candidate, team", href: "/console/sections/legal?release=2.0.0" },
    { kind: "Deployment", label: "Deployment 42", detail: "live", href: "/console/deployments?before=43" },
  ]);
});

test("search finds the section that serves a path of the site", () => {
  const sections = [section("legal", "1.0.0"), { ...section("terms", "1.0.0"), patterns: ["/legal/terms"] }];
  const of = (text: string): string[] =>
    search({ ...SEARCHED, sections }, text).map(({ label, detail }) => `${label}: ${detail}`);
  expect(of("/legal/privacy")).toEqual(["legal: /legal/:page"]);
  expect(of("/legal/terms")).toEqual(["terms: /legal/terms"]);
  expect(of("https://site.example/legal/imprint?lang=en#top")).toEqual(["legal: /legal/:page"]);
  expect(of("/legal")).toEqual(["legal: /legal", "terms: /legal/terms"]);
  expect(of("/nothing/here")).toEqual([]);
});

test("search by path ignores a final slash, and sections whose path only begins alike", () => {
  const home = { ...section("home", "1.0.0"), patterns: ["/"] };
  const sections = [section("legalese", "1.0.0"), section("legal", "1.0.0"), home];
  const of = (text: string): string[] =>
    search({ ...SEARCHED, sections }, text).map(({ label, detail }) => `${label}: ${detail}`);
  expect(of("/legal")).toEqual(["legal: /legal"]);
  expect(of("/legal/")).toEqual(["legal: /legal"]);
  expect(of("/legal/privacy/")).toEqual(["legal: /legal/:page"]);
  expect(of("/")).toEqual(["home: /", "legalese: /legalese", "legal: /legal"]);
});

test("search finds a release by its commit", () => {
  const source = { commit: "0123456789abcdef" };
  const sections = [{ ...section("legal"), releases: [release("1.0.0"), { ...release("2.0.0"), source }] }];
  expect(search({ ...SEARCHED, sections }, "01234567").map(({ label }) => label)).toEqual(["legal@2.0.0"]);
});

test("search finds releases by who made them, and deployments by their reason", () => {
  const source = { author: "Ada" };
  const sections = [{ ...section("legal"), releases: [release("1.0.0"), { ...release("2.0.0"), source }] }];
  const made = { releases: {}, createdAt: "2030-01-01T12:00:00Z", by: "team" };
  const deployments = [
    { ...made, number: 41, reason: "42 typos" },
    { ...made, number: 42, reason: "The other 42" },
  ];
  const of = (text: string): string[] =>
    search({ ...SEARCHED, sections, deployments }, text).map(({ label, detail }) => `${label}: ${detail}`);
  expect(of("ada")).toEqual(["legal@2.0.0: Ada"]);
  expect(of("team")).toEqual(["legal@2.0.0: Ada", "legal@1.0.0: team"]);
  expect(of("typos")).toEqual(["Deployment 41: 42 typos"]);
  expect(of("42")).toEqual(["Deployment 42: live", "Deployment 41: 42 typos"]);
});

test("search without a text shows the pages and sections, and with an unknown one nothing", () => {
  expect(labels("")).toEqual(["Overview", "History", "legal", "paralegal"]);
  expect(labels("nothing")).toEqual([]);
  expect(labels("51")).toEqual([]);
});

test("search shows at most twelve results", () => {
  const sections = Array.from({ length: 105 }, (_, index) => section(`team${String(index)}`, "1.0.0"));
  expect(search({ ...SEARCHED, sections }, "team")).toHaveLength(12);
});
