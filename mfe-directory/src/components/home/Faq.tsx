import { Disclosure, Prose } from "@colonnade/design";
import { TEXT_COMPONENTS } from "@colonnade/design/text";
import type { ReactElement } from "react";

import { FAQ } from "../../data/faq";
import css from "./Faq.module.css";

/** The FAQ: each question expands to its answer. */
export function Faq(): ReactElement {
  return (
    <section className={css.section} aria-labelledby="faq">
      <h2 id="faq">Questions and answers</h2>
      <div className={css.entries}>
        {FAQ.map(({ question, Answer }) => (
          <Disclosure key={question} summary={question}>
            <Prose>
              <Answer components={TEXT_COMPONENTS} />
            </Prose>
          </Disclosure>
        ))}
      </div>
    </section>
  );
}
