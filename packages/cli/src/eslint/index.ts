// An ESLint configuration with the rules of `colonnade check` that need no run of the section.
import { anchorOf, kindOf } from "../check/codes.js";
import type { Finding } from "../check/finding.js";
import { findViolations } from "../check/staticRules.js";
import type { SyntaxNode } from "../check/syntax.js";

const GUIDE = "node_modules/@colonnade/cli/dist/check/errors.md";

interface RuleContext {
  report(problem: { readonly node: object; readonly message: string }): void;
}

interface Rule {
  create(context: RuleContext): { Program(program: object): void };
}

/** A configuration of ESLint's flat format. */
export interface LintConfig {
  /** Name in ESLint's config inspector. */
  readonly name: string;
  /** Patterns of the files that are checked, relative to the package. */
  readonly files: string[];
  /** Patterns of files that are not checked. */
  readonly ignores: string[];
  /** What the parser accepts besides the language: JSX. */
  readonly languageOptions: { readonly parserOptions: { readonly ecmaFeatures: { readonly jsx: boolean } } };
  /** The plugin with the rule. */
  readonly plugins: Readonly<Record<string, { readonly rules: Record<string, Rule> }>>;
  /** The severity of the rule. */
  readonly rules: Readonly<Record<string, "error">>;
}

const rule: Rule = {
  create: (context) => ({
    Program(program) {
      for (const finding of findViolations(program as SyntaxNode))
        context.report({ node: finding.node, message: messageOf(finding) });
    },
  }),
};

const SILENCE = "If this runs only after hydration, disable the rule for this line.";

function messageOf({ code, advice, isCertain }: Finding): string {
  const { title, help } = kindOf(code);
  return `${code} ${title}: ${advice ?? help} ${isCertain ? "" : `${SILENCE} `}${GUIDE}${anchorOf(code)}`;
}

/** Reports problems of `colonnade check` that need no run of the section. */
const config: LintConfig[] = [
  {
    name: "@colonnade/cli",
    files: ["src/**/*.{js,jsx,ts,tsx}"],
    ignores: ["**/*.test.*"],
    languageOptions: { parserOptions: { ecmaFeatures: { jsx: true } } },
    plugins: { "@colonnade": { rules: { section: rule } } },
    rules: { "@colonnade/section": "error" },
  },
];
export default config;
