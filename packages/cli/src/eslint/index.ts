// An ESLint configuration with the rules of `colonnade check` that need no run of the section.
import type { ContentPolicy } from "../build/policy.js";
import { anchorOf, kindOf } from "../check/codes.js";
import type { Finding } from "../check/finding.js";
import { unpermitted, withPermission } from "../check/permission.js";
import { findViolations } from "../check/staticRules.js";
import type { SyntaxNode } from "../check/syntax.js";

const GUIDE = "node_modules/@colonnade/cli/dist/check/errors.md";

interface RuleContext {
  /** The options of the rule. */
  readonly options: readonly unknown[];
  report(problem: { readonly node: object; readonly message: string }): void;
}

interface Rule {
  readonly meta: { readonly schema: object[] };
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
  meta: { schema: [{ type: "object", properties: { policy: { type: "object" } }, additionalProperties: false }] },
  create: (context) => ({
    Program(program) {
      const { policy } = (context.options[0] ?? {}) as { readonly policy?: ContentPolicy };
      // ESLint cannot warn of single findings of a rule.
      const errors = [...findViolations(program as SyntaxNode)].filter(({ severity }) => severity === undefined);
      for (const finding of unpermitted(errors, policy))
        context.report({ node: finding.node, message: messageOf(finding) });
    },
  }),
};

const SILENCE = "If this runs only after hydration, disable the rule for this line.";

const OPTION = 'This rule reads it from its option: ["error", { policy }].';

function messageOf({ code, advice, permission, isCertain }: Finding): string {
  const { title, help } = kindOf(code);
  const parts = [withPermission(advice ?? help ?? "", permission), permission && OPTION, !isCertain && SILENCE];
  return `${code} ${title}: ${parts.filter(Boolean).join(" ")} ${GUIDE}${anchorOf(code)}`;
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
