import { Link, useSite } from "@colonnade/kit";
import { defineExtensionPoint, ExtensionPoint } from "@colonnade/kit/extensions";
import { createShell, type FrameProps } from "@colonnade/shell";
import { Navigation, plainParts } from "@colonnade/shell/plain";
import type { ReactElement } from "react";

import "./icon.svg";
import "./shell.css";

/** Opening hours, in the header. */
const hours = defineExtensionPoint({ id: "shell/hours", version: 1, max: 1, examples: [{}] });

/** The frame of every page. */
function Frame({ currentPath, children }: FrameProps): ReactElement {
  const { brand, contact, navigation } = useSite();
  return (
    <>
      <a href="#main">Zum Inhalt springen</a>
      <header>
        <Link to="/">{brand}</Link>
        <Navigation label="Hauptmenü" links={navigation.menu} currentPath={currentPath} />
        <div className="hours">
          <ExtensionPoint point={hours} props={{}} />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer>
        <p>{brand}</p>
        <Navigation label="Fußzeile" links={navigation.footer} currentPath={currentPath} />
        <a href={`mailto:${contact}`}>{contact}</a>
      </footer>
    </>
  );
}

export default createShell({
  ...plainParts({
    loading: "Wird geladen …",
    notFound:
      "Unter dieser Adresse gibt es nichts. Vielleicht ist die Seite umgezogen, oder im Link steckt ein Fehler.",
    home: "Zur Startseite",
    failed: "Dieser Teil der Website ist gerade nicht erreichbar",
    failedText: "Alles andere funktioniert. Versuchen Sie es noch einmal, oder öffnen Sie eine andere Seite.",
    offline: "Sie sind offline",
    offlineText: "Die Seite wird geladen, sobald Sie wieder online sind.",
    retry: "Noch einmal versuchen",
    retrying: "Wird versucht …",
  }),
  Frame,
  extensionPoints: [hours],
  titles: { notFound: "Seite nicht gefunden", failed: "Gerade nicht erreichbar" },
});
