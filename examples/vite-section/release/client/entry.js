var vite_0_1_0 = (function createContainer(packages, evaluate) {
  let shareScope;

  async function shared(name) {
    // Only the shell provides shared packages, so there is one version. The gateway has checked the range.
    const [provided] = Object.values(shareScope[name] ?? {});
    if (!provided) throw new Error(`the shell does not share ${name}`);
    const factory = await provided.get();
    return factory();
  }

  return {
    init(scope) {
      shareScope = scope;
    },
    async get(name) {
      if (name !== "./section") throw new Error(`the container has no module ${name}; expected ./section`);
      const modules = await Promise.all(packages.map(shared));
      const module = { exports: {} };
      evaluate(module, (required) => modules[packages.indexOf(required)]);
      return () => module.exports;
    },
  };
})(["@colonnade/kit","react","react-dom"], (module, require) => {
const { exports } = module;
Object.defineProperties(exports,{__esModule:{value:!0},[Symbol.toStringTag]:{value:`Module`}});var e=(e,t)=>()=>(t||(e((t={exports:{}}).exports,t,t.exports),e=null),t.exports);let t=require("@colonnade/kit"),n=require("react");var r={counter:`vite_counter_pI-9kw`},i=e((e=>{var t=Symbol.for(`react.transitional.element`),n=Symbol.for(`react.fragment`);function r(e,n,r){var i=null;if(r!==void 0&&(i=``+r),n.key!==void 0&&(i=``+n.key),`key`in n)for(var a in r={},n)a!==`key`&&(r[a]=n[a]);else r=n;return n=r.ref,{$$typeof:t,type:e,key:i,ref:n===void 0?null:n,props:r}}e.Fragment=n,e.jsx=r,e.jsxs=r})),a=e(((e,t)=>{t.exports=i()}))(),o=new Map([[`Dutch`,`Hallo`],[`Welsh`,`Shwmae`]]);function s(e){return(0,t.pathTo)(`/vite/:language`,{language:e})}function c({language:e}){let[i,o]=(0,n.useState)(1),{brand:s}=(0,t.useSite)();return(0,a.jsxs)(a.Fragment,{children:[(0,a.jsx)(`p`,{className:r.counter,children:`${s} said it in ${e} ${String(i)} times.`}),(0,a.jsx)(t.Button,{onClick:()=>{o(i+1)},children:`Say it again`})]})}var l=(0,t.definePage)({data:({params:{language:e=``}})=>{let n=o.get(e);return n===void 0?(0,t.notFound)(`Language not found`):{language:e,words:n}},head:({data:e,site:t})=>({title:`Hello in ${e.language} - ${t.brand}`,description:`How people say hello in ${e.language}.`,canonical:s(e.language),robots:`noindex`}),Component:({data:{language:e,words:n}})=>(0,a.jsxs)(`div`,{className:`page`,children:[(0,a.jsx)(`h1`,{children:n}),(0,a.jsx)(c,{language:e}),[...o.keys()].filter(t=>t!==e).map(e=>(0,a.jsx)(t.Link,{to:s(e),children:e},e))]})}),u=(0,t.defineSection)({name:`vite`,contract:1,pages:{"/vite/:language":()=>Promise.resolve({page:l})}});exports.default=u;});
