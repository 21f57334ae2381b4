import { definePage, Link, useSite, type Page, type PageProps } from "@colonnade/kit";
import { fillFacts, TextLink } from "@colonnade/kit/text";
import type { ReactElement } from "react";

import type { ArticleSlug, MarkdownModule } from "../articles";
import { readFrontmatter, type Frontmatter } from "../frontmatter";
import { articlePath, HUB, HUB_TRAIL } from "../routes";
import { TEXT_COMPONENTS } from "../text/components";
import css from "./article.module.css";

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

interface ArticleViewProps extends Article {
  readonly Text: MarkdownModule["default"];
}

function ArticleView({ Text, title, description, sources }: ArticleViewProps): ReactElement {
  const site = useSite();
  return (
    <div className={`page ${css.page ?? ""}`}>
      <BackToHub />
      <article>
        <header className={css.header}>
          <h1>{fillFacts(title, site)}</h1>
          <p className={css.lede}>{fillFacts(description, site)}</p>
        </header>
        <div className={`prose ${css.text ?? ""}`}>
          <Text components={TEXT_COMPONENTS} />
        </div>
        <Sources sources={sources} />
      </article>
    </div>
  );
}

/** The page of an article. */
export function articlePage(slug: ArticleSlug, { default: Text, frontmatter }: MarkdownModule): Page<Article> {
  const path = articlePath(slug);
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
    Component: ({ data }: PageProps<Article>) => <ArticleView Text={Text} {...data} />,
  });
}
