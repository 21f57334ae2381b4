import { definePage, Link, notFound, useSite, type PageProps } from "@colonnade/kit";
import { fillFacts, TextLink } from "@colonnade/kit/text";
import type { ReactElement } from "react";

import { isArticle, SLUGS, type ArticleSlug } from "../articles";
import { readFrontmatter, type Frontmatter } from "../frontmatter";
import { loadText, useText } from "../loading";
import { articlePath, HUB, HUB_TRAIL } from "../routes";
import { TEXT_COMPONENTS } from "../text/components";
import css from "./article.module.css";

/** An article, less its text: that is a module, which the page loads beside. */
interface Article extends Pick<Frontmatter, "title" | "description" | "sources"> {
  readonly slug: ArticleSlug;
}

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

function ArticlePage({ data: { slug, title, description, sources } }: PageProps<Article>): ReactElement {
  const { default: Text } = useText(slug);
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

export const page = definePage({
  async data({ params }) {
    const slug = params.article ?? "";
    if (!isArticle(slug)) return notFound("Article not found");
    const { frontmatter } = await loadText(slug);
    const { title, description, sources } = readFrontmatter(slug, frontmatter);
    return { slug, title, description, sources };
  },
  paths: () => SLUGS.map(articlePath),
  head: ({ data, site }) => {
    const title = fillFacts(data.title, site);
    const description = fillFacts(data.description, site);
    const path = articlePath(data.slug);
    return {
      title: `${title} - ${site.brand}`,
      description,
      canonical: path,
      social: { title, description, type: "article", url: path },
      breadcrumbs: [...HUB_TRAIL, { label: title, path }],
    };
  },
  Component: ArticlePage,
});
