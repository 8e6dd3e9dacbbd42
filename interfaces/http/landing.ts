/** The page at /: that the store is alive, its numbers, and a box to ask it. Works without a network and, but for the box, without scripts. */

import { html, page } from './markup.js';

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

export function landingPage(stats: Figures, version: string): string {
  const figures: readonly [string, number][] = [
    ['facts in ROOT', stats.facts],
    ['entities', stats.entities],
    ['predicates', stats.predicates],
    ['graphs', stats.graphs],
    ['transactions', stats.transactions],
  ];
  return page(
    'svc',
    html`<header><h1>svc</h1><p>A knowledge-graph store, version ${version}. <a href="/docs">Routes</a> · <a href="/.well-known/void">Description of the data</a> · <a href="/metrics">Metrics</a></p></header>
<ul class="figures">${figures.map(([name, value]) => html`<li><b>${count(value)}</b>${name}</li>`)}</ul>
<form method="get" action="/query" id="ask">
<p><textarea name="query" id="query" spellcheck="false" aria-label="SPARQL query">${EXAMPLE}</textarea></p>
<p><button>Ask</button> <span id="took"></span></p></form>
<div id="answer" class="scroll"></div>`,
    '/landing.js',
  );
}

/** Shows the answer below the box instead of leaving the page. Everything is put in as text. */
export const LANDING_SCRIPT = `'use strict';
const form = document.getElementById('ask');
const answer = document.getElementById('answer');
const took = document.getElementById('took');
const make = (name, text) => { const node = document.createElement(name); if (text !== undefined) node.textContent = text; return node; };
const show = (value) => value === undefined ? '' : typeof value === 'object' && value !== null ? (value.value ?? JSON.stringify(value)) : String(value);
const cell = (value) => {
  const made = make('td');
  if (typeof value === 'string' && /^https?:\\/\\//.test(value)) {
    const link = make('a', value); link.href = '/entity?iri=' + encodeURIComponent(value); made.append(link);
  } else made.textContent = show(value);
  return made;
};
const table = (columns, rows) => {
  const made = make('table'); const head = make('tr');
  for (const column of columns) head.append(make('th', column));
  made.append(head);
  for (const row of rows) { const line = make('tr'); for (const column of columns) line.append(cell(row[column])); made.append(line); }
  return made;
};
const render = (body) => {
  if (body.rows) return table(body.variables, body.rows);
  if (body.triples) return table(['subject', 'predicate', 'object'], body.triples);
  return make('pre', String(body.result));
};
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  took.textContent = '…';
  const began = performance.now();
  try {
    const response = await fetch('/query', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Svc-Client': 'landing-page' }, body: JSON.stringify({ query: form.query.value, verbose: true }) });
    const body = await response.json();
    if (!response.ok) throw new Error(body.error);
    took.textContent = (body.count === undefined ? '' : body.count + (body.truncated ? ' or more' : '') + ' in ') + Math.round(performance.now() - began) + ' ms';
    answer.replaceChildren(render(body));
  } catch (error) {
    took.textContent = '';
    const account = make('p', error.message); account.className = 'error';
    answer.replaceChildren(account);
  }
});
`;
