import type { Page } from "@playwright/test";

/** Selectors of the `:hover` rules that apply on this device. */
export async function hoverRules(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const applies = (rule: CSSRule): boolean =>
      !(rule instanceof CSSMediaRule) || matchMedia(rule.conditionText).matches;
    const selectors = (rules: CSSRuleList): string[] =>
      [...rules].filter(applies).flatMap((rule) => {
        const own = rule instanceof CSSStyleRule && rule.selectorText.includes(":hover") ? [rule.selectorText] : [];
        return rule instanceof CSSGroupingRule || rule instanceof CSSStyleRule
          ? [...own, ...selectors(rule.cssRules)]
          : own;
      });
    return [...document.styleSheets].flatMap((sheet) => selectors(sheet.cssRules));
  });
}
