import { Breadcrumbs, Disclosure, Notice, Prose } from "@colonnade/design";
import type { ReactElement } from "react";

import { LONG_WORD, Specimen, Specimens } from "../Specimen.js";

/** Notices of all kinds. */
export function Notices(): ReactElement {
  return (
    <Specimens name="Notice">
      <Specimen name="note">
        <Notice>All listings here are samples. Replies go nowhere.</Notice>
      </Specimen>
      <Specimen name="success">
        <Notice kind="success" title="Sent">
          <p>What you typed has arrived.</p>
        </Notice>
      </Specimen>
      <Specimen name="error">
        <Notice kind="error" title="That did not work">
          <p>The service did not answer. Try again in a minute.</p>
        </Notice>
      </Specimen>
      <Specimen name="long, narrow" narrow>
        <Notice kind="error" title={LONG_WORD}>
          <p>{LONG_WORD}</p>
        </Notice>
      </Specimen>
    </Specimens>
  );
}

/** Closed and open disclosures. */
export function Disclosures(): ReactElement {
  return (
    <Specimens name="Disclosure">
      <Specimen name="closed">
        <Disclosure summary="Is this site for adults only?">Yes.</Disclosure>
      </Specimen>
      <Specimen name="hover" state="hover">
        <Disclosure summary="Is this site for adults only?">Yes.</Disclosure>
      </Specimen>
      <Specimen name="focus" state="focus">
        <Disclosure summary="Is this site for adults only?">Yes.</Disclosure>
      </Specimen>
      <Specimen name="open">
        <Disclosure open summary="Is this site for adults only?">
          Yes: for people aged 18 and over.
        </Disclosure>
      </Specimen>
      <Specimen name="long, narrow" narrow>
        <Disclosure open summary={`What is ${LONG_WORD}?`}>
          A village.
        </Disclosure>
      </Specimen>
    </Specimens>
  );
}

const TRAIL = [
  { label: "Home", path: "/" },
  { label: "Wales", path: "/state/Wales" },
  { label: LONG_WORD, path: "/city/Wales/Long" },
];

/** Breadcrumbs that wrap. One specimen only: a page must not have two breadcrumb landmarks. */
export function Trails(): ReactElement {
  return (
    <Specimens name="Breadcrumbs">
      <Specimen name="long, narrow" narrow>
        <Breadcrumbs trail={TRAIL} />
      </Specimen>
    </Specimens>
  );
}

/** Long text with all Markdown elements. */
export function LongText(): ReactElement {
  return (
    <Specimens name="Prose">
      <Specimen name="all elements">
        <Prose>
          <p>
            A directory lists what people offer. <a href="#prose">How to read one</a> is a matter of{" "}
            <strong>care</strong> and of <em>time</em>.
          </p>
          <h3>What to look for</h3>
          <ul>
            <li>Words that say something.</li>
            <li>A price without a hurry.</li>
          </ul>
          <blockquote>
            <p>If in doubt, do not.</p>
          </blockquote>
          <table>
            <thead>
              <tr>
                <th>Sign</th>
                <th>What it says</th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <td>Deposit</td>
                <td>Often a trick</td>
              </tr>
            </tbody>
          </table>
        </Prose>
      </Specimen>
      <Specimen name="long, narrow" narrow>
        <Prose>
          <p>{LONG_WORD}</p>
        </Prose>
      </Specimen>
    </Specimens>
  );
}
