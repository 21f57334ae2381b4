import type { Page } from "@playwright/test";

/** Selectors of the page's rules for what is under a pointer that hold on this device, which has none. */
export async function hoverRules(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const holds = (rule: CSSRule): boolean => !(rule instanceof CSSMediaRule) || matchMedia(rule.conditionText).matches;
    const selectors = (rules: CSSRuleList): string[] =>
      [...rules].filter(holds).flatMap((rule) => {
        const own = rule instanceof CSSStyleRule && rule.selectorText.includes(":hover") ? [rule.selectorText] : [];
        return rule instanceof CSSGroupingRule || rule instanceof CSSStyleRule
          ? [...own, ...selectors(rule.cssRules)]
          : own;
      });
    return [...document.styleSheets].flatMap((sheet) => selectors(sheet.cssRules));
  });
}
