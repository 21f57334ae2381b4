import section from "@colonnade/cli/eslint";
import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

// Code that the content security policy blocks at run time.
const forbiddenMarkup = [
  {
    selector: "JSXAttribute[name.name='style']",
    message: "The content security policy blocks style attributes. Use a CSS module.",
  },
  {
    selector: "JSXOpeningElement[name.name='style']",
    message: "The content security policy blocks <style> elements. Use a CSS module.",
  },
  {
    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
    message: "Do not use dangerouslySetInnerHTML. For formatted text use Markdown, which compiles to React elements.",
  },
  {
    selector: "AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]",
    message: "Do not create HTML from strings. Render React elements.",
  },
  {
    selector: "CallExpression[callee.property.name=/^(insertAdjacentHTML|setHTMLUnsafe)$/]",
    message: "Do not create HTML from strings: the content security policy blocks it. Render React elements.",
  },
  {
    selector: "JSXOpeningElement[name.name='script']",
    message: "Do not render <script>: React creates it from a string, which the content security policy blocks.",
  },
];
const platform = ["{console,shell,examples/minimal-shell,packages/*}/src/**/*.{ts,tsx}"];

// Rules that need types are in .oxlintrc.json: Oxlint checks them with the compiler of the build.
export default tseslint.config(
  {
    ignores: [
      "console/src/openapi.d.ts",
      "packages/kit/modules.d.ts",
      "docs/.vitepress/cache/",
      "**/dist/",
      "**/release/",
      "**/release.building/",
      "target/",
      "fuzz/",
      ".run/",
      "store/",
      "**/test-results/",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic],
  },
  {
    files: ["**/*.tsx", "console/src/**/*.ts", "{shell,packages/shell,packages/design,mfe-*}/src/**/*.ts"],
    ignores: ["**/*.test.*"],
    plugins: { "react-hooks": reactHooks },
    rules: reactHooks.configs.recommended.rules,
  },
  { files: platform, ignores: ["**/*.test.*"], rules: { "no-restricted-syntax": ["error", ...forbiddenMarkup] } },
  ...section.map(({ rules, ...config }) => {
    const siblings = {
      group: ["../../../mfe-*", "../../mfe-*", "../../shell/*", "../../../shell/*"],
      message: "A section must not import the shell or another section. Use @colonnade/kit.",
    };
    return {
      ...config,
      files: ["mfe-*/src/**/*.{ts,tsx}", "examples/*/src/**/*.{ts,tsx}"],
      ignores: ["**/*.test.*", "**/testing/**", "examples/minimal-shell/**"],
      rules: { ...rules, "no-restricted-imports": ["error", { patterns: [siblings] }] },
    };
  }),
  {
    files: ["{shell,console,docs,mfe-*,packages,examples}/**/*.{ts,tsx,js,mjs}"],
    ignores: ["**/*.test.*", "**/testing/**"],
    rules: {
      "max-lines-per-function": ["error", { max: 80, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", 5],
    },
  },
  // Playwright reads a fixture's dependencies from a destructuring pattern, which is empty if there are none.
  { files: ["tests/support/*.ts"], rules: { "no-empty-pattern": "off" } },
  { files: ["**/*.{js,mjs}"], languageOptions: { globals: globals.node } },
  { files: ["**/service_worker_*.js"], languageOptions: { globals: globals.serviceworker } },
);
