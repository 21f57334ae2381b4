import { Badge, Card } from "@colonnade/design";
import type { ReactElement } from "react";

import { useConsole, useRead } from "../data.js";
import { dateOf } from "../format.js";
import type { AccessList, GrantDescription } from "../openapi.js";
import { Table } from "./Table.js";
import { useNow } from "./useNow.js";
import { Unreadable } from "./Message.js";
import { useShown } from "./useShown.js";

const SIZE = 10;
const DAY_MS = 24 * 60 * 60_000;
// The gateway's alert has the same time.
const EXPIRES_SOON_DAYS = 14;

/** The actions on a section. The others need `*`. */
const ACTIONS: readonly string[] = ["publish", "deploy", "rollback", "preview"];

/** Who may do what on a section. */
interface Entry {
  readonly key: string;
  readonly name: ReactElement | string;
  readonly sections: readonly string[];
  readonly actions: readonly string[];
  /** Undefined for a grant: an ID token expires within minutes or hours. */
  readonly expiresAt?: string | null;
}

/** The tokens that may change a section, and the grants for holders of ID tokens. */
export function SectionAccess({ name }: { readonly name: string }): ReactElement {
  const { can } = useConsole();
  const { value, error } = useRead<AccessList>("/access", name);
  // Others get only the entries that apply to their own sections, too.
  const mayChange = ACTIONS.some((action) => can(action, name));
  const entries = value && mayChange ? entriesOf(value, name) : [];
  const [shown, more] = useShown(entries, SIZE, "tokens");
  return (
    <section aria-labelledby="access" className="panel" aria-busy={!value && error === undefined}>
      <h2 id="access">Access</h2>
      <Unreadable what="tokens" error={error} />
      {!mayChange && <p className="muted">Only those who may change this section see who else may.</p>}
      {shown.length > 0 && (
        <Card className="flush">
          <Table
            className="access"
            caption={`Tokens and grants for ${name}`}
            columns={[["Token"], ["Actions"], ["Sections", "optional"], ["Expires"]]}
          >
            {shown.map((entry) => (
              <EntryRow key={entry.key} entry={entry} />
            ))}
          </Table>
        </Card>
      )}
      {more}
    </section>
  );
}

/** What applies to a section: the entries for it alone first, then those for all. */
function entriesOf({ tokens, grants }: AccessList, name: string): readonly Entry[] {
  const entries: readonly Entry[] = [
    ...tokens.map((token) => ({ key: token.name, ...token })),
    ...grants.map((grant, index) => ({ ...grant, key: `grant ${String(index)}`, name: <Holder grant={grant} /> })),
  ];
  const count = ({ sections }: Entry): number => (sections.includes("*") ? Infinity : sections.length);
  return entries
    .map((entry) => ({ ...entry, actions: entry.actions.filter((action) => ACTIONS.includes(action)) }))
    .filter(({ sections, actions }) => actions.length > 0 && (sections.includes("*") || sections.includes(name)))
    .toSorted((a, b) => (count(a) === count(b) ? 0 : count(a) - count(b)));
}

/** Whose ID tokens a grant is for. */
function Holder({ grant: { provider, claims } }: { readonly grant: GrantDescription }): ReactElement {
  return (
    <>
      ID tokens of {provider}
      {Object.entries(claims).map(([claim, values]) => (
        <span key={claim} className="rule">
          {claim}: <code>{values.join(", ")}</code>
        </span>
      ))}
    </>
  );
}

function EntryRow({ entry: { name, sections, actions, expiresAt } }: { readonly entry: Entry }): ReactElement {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{actions.join(", ")}</td>
      <td className="optional muted">{sections.includes("*") ? "all" : sections.join(", ")}</td>
      <td>
        <Expiry expiresAt={expiresAt} />
      </td>
    </tr>
  );
}

function Expiry({ expiresAt }: { readonly expiresAt: Entry["expiresAt"] }): ReactElement {
  const now = useNow();
  if (expiresAt === undefined) return <span className="muted">with each ID token</span>;
  if (expiresAt === null) return <span className="muted">never</span>;
  const days = (Date.parse(expiresAt) - now) / DAY_MS;
  return (
    <>
      <time dateTime={expiresAt} className={days < EXPIRES_SOON_DAYS ? "worse" : undefined}>
        {dateOf(expiresAt)}
      </time>{" "}
      {days <= 0 && <Badge>expired</Badge>}
    </>
  );
}
