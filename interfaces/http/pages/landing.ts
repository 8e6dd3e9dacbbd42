/**
 * What the page at / says without scripts: that the store is alive, its numbers, and a box to ask it. Where reads need a
 * token it comes without numbers.
 */

import { type Html, html } from './markup.js';

const EXAMPLE =
  'SELECT ?type (COUNT(*) AS ?entities) WHERE {\n  ?entity a ?type\n}\nGROUP BY ?type\nORDER BY DESC(?entities)\nLIMIT 20';

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Of the answer of /stats. */
export interface Figures {
  readonly facts: number;
  readonly entities: number;
  readonly predicates: number;
  readonly graphs: number;
  readonly transactions: number;
}

/** `stats`: null where they are not for everybody. `prefix`: what stands before every path, where a proxy puts something there. */
export function landing(stats: Figures | null, version: string, prefix: string): Html {
  const figures: readonly [string, keyof Figures][] = [
    ['facts in ROOT', 'facts'],
    ['entities', 'entities'],
    ['predicates', 'predicates'],
    ['graphs', 'graphs'],
    ['transactions', 'transactions'],
  ];
  return html`<header><h1>svc</h1><p>A knowledge-graph store, version ${version}. <a href="${prefix}/docs">Routes</a> · <a href="${prefix}/.well-known/void">Description of the data</a> · <a href="${prefix}/metrics">Metrics</a></p>
<p>The whole page needs JavaScript; this much works without.</p></header>
<ul>${figures.map(([name, key]) => html`<li data-figure="${key}"><b>${stats === null ? '…' : count(stats[key])}</b> ${name}</li>`)}</ul>
<form method="get" action="${prefix}/query">
<p><textarea name="query" rows="7" cols="72" spellcheck="false" aria-label="SPARQL query">${EXAMPLE}</textarea></p>
<p><button>Ask</button></p></form>`;
}
