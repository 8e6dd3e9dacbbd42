/**
 * The page at /: that the store is alive, its numbers, and a box to ask it. Works without a network and, but for the box,
 * without scripts. Where reads need a token it comes without numbers; its script asks for the token, keeps it for the tab,
 * and fetches them.
 */

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

/** `stats`: null where they are not for everybody. `prefix`: what stands before every path, where a proxy puts something there. */
export function landingPage(stats: Figures | null, version: string, prefix: string): string {
  const figures: readonly [string, keyof Figures][] = [
    ['facts in ROOT', 'facts'],
    ['entities', 'entities'],
    ['predicates', 'predicates'],
    ['graphs', 'graphs'],
    ['transactions', 'transactions'],
  ];
  return page(
    'svc',
    html`<header><h1>svc</h1><p>A knowledge-graph store, version ${version}. <a href="${prefix}/docs">Routes</a> · <a href="${prefix}/.well-known/void">Description of the data</a> · <a href="${prefix}/metrics">Metrics</a></p></header>
<ul class="figures">${figures.map(([name, key]) => html`<li data-figure="${key}"><b>${stats === null ? '…' : count(stats[key])}</b>${name}</li>`)}</ul>
<form id="bearer" hidden><p><label>This server answers whoever bears its token: <input type="password" name="token" autocomplete="off" required></label> <button>Use it in this tab</button></p></form>
<form method="get" action="${prefix}/query" id="ask" data-base="${prefix}"${stats === null ? html` data-protected="yes"` : ''}>
<p><textarea name="query" id="query" spellcheck="false" aria-label="SPARQL query">${EXAMPLE}</textarea></p>
<p><button>Ask</button> <span id="took"></span></p></form>
<div id="answer" class="scroll"></div>`,
    { script: `${prefix}/landing.js`, prefix },
  );
}

/** Shows the answer below the box instead of leaving the page. Everything is put in as text. */
export const LANDING_SCRIPT = `'use strict';
const form = document.getElementById('ask');
const answer = document.getElementById('answer');
const took = document.getElementById('took');
const bearer = document.getElementById('bearer');
const base = form.dataset.base;
/* Asks the server, with the token of this tab where there is one; who needs one sees where to give it. */
const send = async (path, options = {}) => {
  const token = sessionStorage.getItem('svc-token');
  const headers = { 'X-Svc-Client': 'landing-page', ...options.headers, ...(token === null ? {} : { Authorization: 'Bearer ' + token }) };
  const response = await fetch(base + path, { ...options, headers });
  bearer.hidden = response.status !== 401;
  return response;
};
const figures = async () => {
  const response = await send('/stats');
  if (!response.ok) return;
  const stats = await response.json();
  for (const node of document.querySelectorAll('[data-figure]')) node.querySelector('b').textContent = stats[node.dataset.figure].toLocaleString('en-US');
};
bearer.addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('svc-token', bearer.token.value.trim());
  bearer.token.value = '';
  figures();
});
if (form.dataset.protected === 'yes') figures();
const make = (name, text) => { const node = document.createElement(name); if (text !== undefined) node.textContent = text; return node; };
const show = (value) => value === undefined ? '' : typeof value === 'object' && value !== null ? (value.value ?? JSON.stringify(value)) : String(value);
const cell = (value) => {
  const made = make('td');
  if (typeof value === 'string' && /^https?:\\/\\//.test(value)) {
    const link = make('a', value); link.href = base + '/entity?iri=' + encodeURIComponent(value); made.append(link);
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
    const response = await send('/query', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ query: form.query.value, verbose: true }) });
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
