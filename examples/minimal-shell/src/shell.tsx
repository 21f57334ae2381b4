import { Link, useSite } from "@colonnade/kit";
import { createShell, Slot, type FrameProps } from "@colonnade/shell";
import { Navigation, plainParts } from "@colonnade/shell/plain";
import type { ReactElement } from "react";

import "./icon.svg";
import "./shell.css";

/** The frame of every page. */
function Frame({ currentPath, children }: FrameProps): ReactElement {
  const { brand, contact, navigation } = useSite();
  return (
    <>
      <a href="#main">Zum Inhalt springen</a>
      <header>
        <Link to="/">{brand}</Link>
        <Navigation label="Hauptmenü" links={navigation.menu} currentPath={currentPath} />
        {/* A section fills this place. */}
        <Slot name="hours" className="hours" />
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
  titles: { notFound: "Seite nicht gefunden", failed: "Gerade nicht erreichbar" },
});
