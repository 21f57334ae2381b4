import { Button as e, Link as t, definePage as n, defineSection as r, notFound as i, pathTo as a, useSite as o } from "@colonnade/kit";
import { useState as s } from "react";
import { Fragment as c, jsx as l, jsxs as u } from "react/jsx-runtime";
var d = { counter: "vite_counter_pI-9kw" }, f = /* @__PURE__ */ new Map([["Dutch", "Hallo"], ["Welsh", "Shwmae"]]);
function p(e) {
	return a("/vite/:language", { language: e });
}
function m({ language: t }) {
	let [n, r] = s(1), { brand: i } = o();
	return /* @__PURE__ */ u(c, { children: [/* @__PURE__ */ l("p", {
		className: d.counter,
		children: `${i} said it in ${t} ${String(n)} times.`
	}), /* @__PURE__ */ l(e, {
		onClick: () => {
			r(n + 1);
		},
		children: "Say it again"
	})] });
}
var h = n({
	data: ({ params: { language: e = "" } }) => {
		let t = f.get(e);
		return t === void 0 ? i("Language not found") : {
			language: e,
			words: t
		};
	},
	head: ({ data: e, site: t }) => ({
		title: `Hello in ${e.language} - ${t.brand}`,
		description: `How people say hello in ${e.language}.`,
		canonical: p(e.language),
		robots: "noindex"
	}),
	Component: ({ data: { language: e, words: n } }) => /* @__PURE__ */ u("div", {
		className: "page",
		children: [
			/* @__PURE__ */ l("h1", { children: n }),
			/* @__PURE__ */ l(m, { language: e }),
			[...f.keys()].filter((t) => t !== e).map((e) => /* @__PURE__ */ l(t, {
				to: p(e),
				children: e
			}, e))
		]
	})
}), g = r({
	name: "vite",
	contract: 1,
	pages: { "/vite/:language": () => Promise.resolve({ page: h }) }
});
export { g as default };
