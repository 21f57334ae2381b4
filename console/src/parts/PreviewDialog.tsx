import { Button, Dialog, Field, Notice } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { call, textOf } from "../api.js";
import { useConsole } from "../data.js";
import { dateOf, fieldOf } from "../format.js";
import { Message } from "./Message.js";
import type { PreviewLink } from "../openapi.js";

interface PreviewDialogProps {
  readonly deployment: number;
  readonly close: () => void;
}

/** Creates a preview link. Everyone who has the link can see the deployment. */
export function PreviewDialog({ deployment, close }: PreviewDialogProps): ReactElement {
  const { reload } = useConsole();
  const [link, setLink] = useState<PreviewLink>();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  const create = async (form: HTMLFormElement): Promise<void> => {
    const path = fieldOf(form, "path");
    setBusy(true);
    setError(undefined);
    try {
      setLink(await call<PreviewLink>("POST", "/previews", { body: { deployment, path } }));
      await reload();
    } catch (failure) {
      setError(textOf(failure));
    }
    setBusy(false);
  };

  return (
    <Dialog open close={close} heading={`Preview deployment ${String(deployment)}`}>
      {link ? (
        <>
          <p>
            Anyone with this link sees the deployment until <time>{dateOf(link.expiresAt)}</time>. The link asks first,
            because the deployment's code runs on the site's origin.
          </p>
          <p className="link">
            <a href={link.url} target="_blank" rel="noreferrer">
              {link.url}
            </a>
          </p>
          <div className="actions">
            <Button onClick={() => void navigator.clipboard.writeText(link.url)}>Copy the link</Button>
            <Button quiet onClick={close}>
              Close
            </Button>
          </div>
        </>
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) void create(event.currentTarget);
          }}
        >
          <Field label="Path" name="path" defaultValue="/" autoComplete="off" hint="The page that the link opens." />
          {error !== undefined && (
            <Notice kind="error" role="alert" title="There is no preview">
              <p>
                <Message>{error}</Message>
              </p>
            </Notice>
          )}
          <div className="actions">
            <Button type="submit" busy={busy}>
              Create the link
            </Button>
            <Button quiet onClick={close}>
              Cancel
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
