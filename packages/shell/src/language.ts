// The scripts that are written from right to left, as in CLDR. The gateway asks ICU; one table of cases tests both
// (`tests/tables/languages.json`).
const SCRIPTS = "Adlm Arab Hebr Mand Nkoo Rohg Samr Syrc Thaa Yezi";

/** A language as a document has it. */
interface DocumentLanguage {
  /** The tag in its canonical form, such as `en-US`. */
  readonly tag: string;
  /** Direction of the script in which the language is usually written, in the region of the tag if it has one. */
  readonly direction: "ltr" | "rtl";
}

/** The language of a BCP 47 tag; null if it is none. */
export function languageOf(tag: string): DocumentLanguage | null {
  try {
    const locale = new Intl.Locale(tag);
    const { script = "none" } = locale.maximize();
    return { tag: locale.toString(), direction: SCRIPTS.includes(script) ? "rtl" : "ltr" };
  } catch {
    return null;
  }
}
