import mermaidUrl from "@mermaid-js/tiny/dist/mermaid.tiny.js?url";
import { useData } from "vitepress";
import { defineComponent, h, ref, useId, watchPostEffect } from "vue";

interface Mermaid {
  initialize(options: object): void;
  render(id: string, source: string): Promise<{ readonly svg: string }>;
}

let loading: Promise<Mermaid> | undefined;

/** Loads Mermaid's prebuilt script with the first diagram, because bundling it would take longer than the whole site. */
function loadMermaid(): Promise<Mermaid> {
  loading ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: mermaidUrl });
    script.onload = () => {
      resolve((window as unknown as { mermaid: Mermaid }).mermaid);
    };
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

/** A Mermaid diagram in the site's color scheme. Without JavaScript it shows the source. */
export const MermaidDiagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup({ source }) {
    const { isDark } = useData();
    const id = `diagram-${useId()}`;
    const text = decodeURIComponent(source);
    const svg = ref("");
    const draw = async (theme: string): Promise<void> => {
      const mermaid = await loadMermaid();
      const size = { useMaxWidth: false };
      mermaid.initialize({ startOnLoad: false, theme, fontFamily: "inherit", flowchart: size, sequence: size });
      svg.value = (await mermaid.render(id, text)).svg;
    };
    watchPostEffect(() => {
      void draw(isDark.value ? "dark" : "neutral");
    });
    return () =>
      svg.value ? h("div", { class: "diagram", innerHTML: svg.value }) : h("pre", { class: "diagram" }, text);
  },
});
