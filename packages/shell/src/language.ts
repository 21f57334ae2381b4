// The languages whose usual script is written from right to left, and those scripts. The gateway asks ICU; one table
// of cases tests both (`tests/tables/languages.json`).
const LANGUAGES = new Set("ar arc azb ckb dv fa glk he iw ks mzn nqo pnb prs ps sd syr ug ur yi".split(" "));
const SCRIPTS = new Set("adlm arab hebr mand nkoo rohg samr syrc thaa".split(" "));

/** The direction of text in a language, a BCP 47 tag. A script in the tag decides before the language. */
export function directionOf(tag: string): "ltr" | "rtl" {
  const [language = "", ...subtags] = tag.toLowerCase().split("-");
  const script = subtags.find((subtag) => /^[a-z]{4}$/.test(subtag));
  return (script === undefined ? LANGUAGES.has(language) : SCRIPTS.has(script)) ? "rtl" : "ltr";
}
