import { definePage, Disclosure, Link, Prose, useSite, type Page, type PageProps } from "@colonnade/kit";
import { fillFacts, TextLink } from "@colonnade/kit/text";
import type { ReactElement } from "react";

import { SLUGS, TITLES, type ArticleSlug, type MarkdownModule } from "../articles";
import { readFrontmatter, type Frontmatter } from "../frontmatter";
import { articlePath, HUB, HUB_TRAIL } from "../routes";
import { TEXT_COMPONENTS } from "../text/components";
import { readOutline, type Outline, type OutlineEntry } from "../text/outline";
import css from "./article.module.css";

const CONTENTS = "On this page";

/** An article, less its text: that is code, which comes with the page. */
type Article = Pick<Frontmatter, "title" | "description" | "sources">;

function Sources({ sources }: Pick<Article, "sources">): ReactElement {
  return (
    <section className={css.sources} aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      <ul>
        {sources.map(({ label, url }) => (
          <li key={label}>{url === undefined ? label : <TextLink href={url}>{label}</TextLink>}</li>
        ))}
      </ul>
    </section>
  );
}

function BackToHub(): ReactElement {
  const { brand } = useSite();
  return (
    <Link to={HUB} className={css.back}>
      <span aria-hidden="true">←</span> All articles about {brand}
    </Link>
  );
}

function Entries({ entries }: { readonly entries: readonly OutlineEntry[] }): ReactElement {
  return (
    <ol>
      {entries.map(({ id, heading }) => (
        <li key={id}>
          <a href={`#${id}`}>{heading}</a>
        </li>
      ))}
    </ol>
  );
}

/**
 * The contents: folded away above the text on a phone, open beside it where there is room. Only one of the two is
 * shown at a time; an element that is folded in one place and open in the other would need a script.
 */
function Contents({ entries }: { readonly entries: readonly OutlineEntry[] }): ReactElement {
  return (
    <nav className={css.contents} aria-label={CONTENTS}>
      <Disclosure className={css.folded} summary={CONTENTS}>
        <Entries entries={entries} />
      </Disclosure>
      <div className={css.open}>
        <p>{CONTENTS}</p>
        <Entries entries={entries} />
      </div>
    </nav>
  );
}

function Neighbour({ slug, rel }: { readonly slug: ArticleSlug; readonly rel: "prev" | "next" }): ReactElement {
  const site = useSite();
  return (
    <Link to={articlePath(slug)} rel={rel} className="card">
      <span>{rel === "next" ? "Next" : "Previous"}</span> <strong>{fillFacts(TITLES[slug], site)}</strong>
    </Link>
  );
}

/** The articles before and after this one, in the hub's order. */
function Neighbours({ slug }: { readonly slug: ArticleSlug }): ReactElement {
  const place = SLUGS.indexOf(slug);
  const [previous, next] = [SLUGS[place - 1], SLUGS[place + 1]];
  return (
    <nav className={css.neighbours} aria-label="More guides">
      {previous && <Neighbour slug={previous} rel="prev" />}
      {next && <Neighbour slug={next} rel="next" />}
    </nav>
  );
}

interface ArticleViewProps extends Article {
  readonly slug: ArticleSlug;
  readonly Text: MarkdownModule["default"];
  readonly outline: Outline;
}

function ArticleView({ slug, Text, outline, title, description, sources }: ArticleViewProps): ReactElement {
  const site = useSite();
  return (
    <div className="page">
      <BackToHub />
      <article>
        <header className={css.header}>
          <h1>{fillFacts(title, site)}</h1>
          <p>{fillFacts(description, site)}</p>
          <p>{outline.minutes} min read</p>
        </header>
        <div className={css.columns}>
          <Contents entries={outline.entries} />
          <div className={css.body}>
            <Prose className={css.text}>
              <Text components={TEXT_COMPONENTS} />
            </Prose>
            <Sources sources={sources} />
          </div>
        </div>
      </article>
      <Neighbours slug={slug} />
    </div>
  );
}

/** The page of an article. */
export function articlePage(slug: ArticleSlug, { default: Text, frontmatter }: MarkdownModule): Page<Article> {
  const path = articlePath(slug);
  const outline = readOutline(`content/${slug}.md`, Text({}));
  return definePage<Article>({
    data() {
      const { title, description, sources } = readFrontmatter(slug, frontmatter);
      return { title, description, sources };
    },
    paths: () => [path],
    head: ({ data, site }) => {
      const title = fillFacts(data.title, site);
      const description = fillFacts(data.description, site);
      return {
        title: `${title} - ${site.brand}`,
        description,
        canonical: path,
        social: { title, description, type: "article", url: path },
        breadcrumbs: [...HUB_TRAIL, { label: title, path }],
      };
    },
    Component: ({ data }: PageProps<Article>) => <ArticleView slug={slug} Text={Text} outline={outline} {...data} />,
  });
}
