import { Disclosure, ExitPage, Prose } from "@colonnade/design";
import { definePage, Link, useSite, type Page, type PageProps } from "@colonnade/kit";
import { DuskBand } from "@colonnade/design/art";
import { fillFacts, formatDate, TextLink } from "@colonnade/design/text";
import type { ReactElement } from "react";

import { SLUGS, TITLES, type ArticleSlug, type MarkdownModule } from "../articles";
import { readFrontmatter, type Frontmatter } from "../frontmatter";
import { articlePath, HUB, HUB_BREADCRUMBS } from "../routes";
import { TEXT_COMPONENTS } from "../text/components";
import { readOutline, type Outline, type OutlineEntry } from "../text/outline";
import css from "./article.module.css";

const CONTENTS = "On this page";

/** An article's data without its text, which is code in the page's chunk. */
type Article = Pick<Frontmatter, "title" | "description" | "updated" | "checked" | "sources">;

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
  return (
    <Link to={HUB} className={css.back}>
      <span aria-hidden="true">←</span> All guides
    </Link>
  );
}

function DateText({ date }: { readonly date: string }): ReactElement {
  return <time dateTime={date}>{formatDate(date)}</time>;
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
 * The table of contents: collapsed above the text on small screens, expanded next to it on large ones. CSS shows one
 * of two copies, because opening a single disclosure on large screens only would need a script.
 */
function Contents({ entries }: { readonly entries: readonly OutlineEntry[] }): ReactElement {
  return (
    <nav className={css.contents} aria-label={CONTENTS}>
      <Disclosure className={css.collapsed} summary={CONTENTS}>
        <Entries entries={entries} />
      </Disclosure>
      <div className={css.expanded}>
        <p>{CONTENTS}</p>
        <Entries entries={entries} />
      </div>
    </nav>
  );
}

function AdjacentArticle({ slug, rel }: { readonly slug: ArticleSlug; readonly rel: "prev" | "next" }): ReactElement {
  const site = useSite();
  return (
    <Link to={articlePath(slug)} rel={rel} className="card">
      <span>{rel === "next" ? "Next" : "Previous"}</span> <strong>{fillFacts(TITLES[slug], site)}</strong>
    </Link>
  );
}

/** The guides that someone may have to close at once. */
const WITH_EXIT: readonly ArticleSlug[] = ["safety-guide", "red-flags", "escort-experiences"];

/** The articles before and after this one, in the hub's order. */
function AdjacentArticles({ slug }: { readonly slug: ArticleSlug }): ReactElement {
  const index = SLUGS.indexOf(slug);
  const [previous, next] = [SLUGS[index - 1], SLUGS[index + 1]];
  return (
    <nav className={css.adjacent} aria-label="More guides">
      {previous && <AdjacentArticle slug={previous} rel="prev" />}
      {next && <AdjacentArticle slug={next} rel="next" />}
    </nav>
  );
}

type MarkdownComponents = Readonly<Record<string, unknown>>;

interface ArticleViewProps extends Article {
  readonly slug: ArticleSlug;
  readonly Text: MarkdownModule["default"];
  readonly outline: Outline;
  readonly components: MarkdownComponents;
}

function ArticleView({ slug, Text, outline, components, ...article }: ArticleViewProps): ReactElement {
  const site = useSite();
  const { title, description, updated, checked, sources } = article;
  return (
    <div className="page">
      <BackToHub />
      {WITH_EXIT.includes(slug) && <ExitPage className={css.exit} />}
      <article>
        <header className={css.header}>
          <DuskBand seed={slug} className={css.band} />
          <h1>{fillFacts(title, site)}</h1>
          <p>{fillFacts(description, site)}</p>
          <p>
            {outline.minutes} min read · Updated <DateText date={updated} />
            {checked !== undefined && (
              <>
                {" · Facts checked "}
                <DateText date={checked} />
              </>
            )}
          </p>
        </header>
        <div className={css.columns}>
          <Contents entries={outline.entries} />
          <div className={css.body}>
            <Prose className={css.text}>
              <Text components={{ ...TEXT_COMPONENTS, ...components }} />
            </Prose>
            <Sources sources={sources} />
          </div>
        </div>
      </article>
      <AdjacentArticles slug={slug} />
    </div>
  );
}

/** The page of an article. `components` are those of its own for Markdown elements. */
export function articlePage(
  slug: ArticleSlug,
  { default: Text, frontmatter }: MarkdownModule,
  components: MarkdownComponents = {},
): Page<Article> {
  const path = articlePath(slug);
  const outline = readOutline(`content/${slug}.md`, Text({}));
  return definePage<Article>({
    data() {
      const { title, description, updated, checked, sources } = readFrontmatter(slug, frontmatter);
      return { title, description, updated, ...(checked !== undefined && { checked }), sources };
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
        breadcrumbs: [...HUB_BREADCRUMBS, { label: title, path }],
      };
    },
    Component: ({ data }: PageProps<Article>) => (
      <ArticleView slug={slug} Text={Text} outline={outline} components={components} {...data} />
    ),
  });
}
