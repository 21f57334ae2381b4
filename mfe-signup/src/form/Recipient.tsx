import { signupOf } from "@colonnade/design";
import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

/** Who receives a sign-up: the name of the service, if it has one, and always the host that the data really goes to. */
export function Recipient(): ReactElement {
  const { host, name } = signupOf(useSite());
  if (host === null) return <>the sign-up service</>;
  return name ? (
    <>
      <strong>{name}</strong> ({host})
    </>
  ) : (
    <strong>{host}</strong>
  );
}
