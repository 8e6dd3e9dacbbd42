/** The page of an entity and the preview card: what is known of it, with links to what it names. */

import { addTo } from '../../base/maps.js';
import { localPart } from '../../base/text.js';
import { languageSuffix } from '../../rdf/canonical/lines.js';
import { type Term, XSD, XSD_STRING } from '../../rdf/terms.js';
import { entityText } from '../facts/entity.js';
import type { Fact } from '../facts/entity-facts.js';
import { descriptionOf, type Entity, labelOf, propertiesOf, type Reference, typesOf } from './entity.js';
import { COLOURS, type Html, html, page } from './html.js';

const PAGE_STYLE = `${COLOURS}
main{max-width:880px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:13px;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:32px 0 8px}
.iri{color:var(--soft);font:13px ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.badge{display:inline-block;background:var(--badge);border-radius:99px;padding:2px 10px;font-size:13px;margin:10px 6px 0 0}
.lead{margin:14px 0 0;max-width:64ch}
table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line);border-radius:8px}
td{padding:8px 14px;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
tr:first-child td{border-top:0}
td.name{width:30%;color:var(--soft)}
.value{display:block}
.kind{color:var(--soft);font-size:12px;margin-left:6px}
.note{color:var(--soft);font-size:13px}
nav{margin-top:32px;font-size:13px}nav a{margin-right:14px}
`;

const CARD_STYLE = `${COLOURS}
.card{width:400px;height:300px;overflow:hidden;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px 16px;font-size:13px}
h1{font-size:18px;line-height:1.25;margin:0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.badge{display:inline-block;background:var(--badge);border-radius:99px;padding:1px 9px;font-size:12px;margin:5px 0 6px}
p{margin:0 0 6px;color:var(--soft);max-height:3em;overflow:hidden}
dl{display:grid;grid-template-columns:110px 1fr;gap:2px 10px;margin:0}
dt{color:var(--soft)}
dt,dd{margin:0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.more{color:var(--soft);margin-top:4px}
.kind{display:none}
`;

const QUIET_DATATYPES = [XSD_STRING, `${XSD}integer`, `${XSD}decimal`, `${XSD}double`, `${XSD}boolean`];

/** `prefix`: what stands before the paths of the server. */
function entityUrl(iri: string, prefix: string): string {
  return `${prefix}/entity/${encodeURIComponent(iri)}`;
}

function link(term: Term, prefix: string): Html {
  const iri = entityText(term);
  return html`<a href="${entityUrl(iri, prefix)}" title="${iri}">${term.termType === 'BlankNode' ? iri : localPart(iri)}</a>`;
}

function value(term: Term, prefix: string): Html {
  if (term.termType === 'NamedNode' || term.termType === 'BlankNode') return link(term, prefix);
  if (term.termType === 'Quad') {
    return html`&lt;&lt;( ${value(term.subject, prefix)} ${value(term.predicate, prefix)} ${value(term.object, prefix)} )&gt;&gt;`;
  }
  if (term.termType !== 'Literal') return html`${term.value}`;
  const language = languageSuffix(term);
  const datatype = term.datatype.value;
  if (language !== '') return html`${term.value}<span class="kind">${language}</span>`;
  if (QUIET_DATATYPES.includes(datatype)) return html`${term.value}`;
  return html`${term.value}<span class="kind" title="${datatype}">${localPart(datatype)}</span>`;
}

/** One row for each predicate, whatever the number of its values. */
function factTable(facts: readonly Fact[], prefix: string): Html {
  const rows = new Map<string, Html[]>();
  for (const fact of facts) {
    addTo(rows, fact.predicate.value, html`<span class="value">${value(fact.value, prefix)}</span>`);
  }
  const lines = [...rows].map(
    ([iri, cells]) => html`<tr><td class="name" title="${iri}">${localPart(iri)}</td><td>${cells}</td></tr>\n`,
  );
  return html`<table>\n${lines}</table>`;
}

function referenceTable(references: readonly Reference[], prefix: string): Html {
  const lines = references.map(
    ({ subject, predicate }) =>
      html`<tr><td class="name">${link(subject, prefix)}</td><td title="${predicate.value}">${localPart(predicate.value)}</td></tr>\n`,
  );
  return html`<table>\n${lines}</table>`;
}

export interface EntityPage {
  readonly entity: Entity;
  readonly references: readonly Reference[];
  readonly referencesCut: boolean;
  /** What moment it shows, for past ones. */
  readonly moment: string | null;
  /** What stands before the paths of the server. */
  readonly prefix: string;
}

export function entityPage({ entity, references, referencesCut, moment, prefix }: EntityPage): string {
  const [label, iri, description] = [labelOf(entity), entityText(entity.term), descriptionOf(entity)];
  const properties = propertiesOf(entity);
  const url = entityUrl(iri, prefix);
  const none = html`<p class="note">Nothing else is said about it.</p>`;
  const more = (what: string) => html`<p class="note">There are more ${what} than this page shows.</p>`;
  return page(
    label,
    PAGE_STYLE,
    html`<main>
<h1>${label}</h1>
<div class="iri">${iri}</div>
${typesOf(entity).map((type) => html`<a class="badge" href="${entityUrl(type, prefix)}" title="${type}">${localPart(type)}</a>`)}
${description === null ? '' : html`<p class="lead">${description}</p>`}
${moment === null ? '' : html`<p class="note">As it was: ${moment}</p>`}
<h2>Facts</h2>
${properties.length === 0 ? none : factTable(properties, prefix)}
${entity.cut ? more('facts') : ''}
${references.length === 0 ? '' : html`<h2>Named by</h2>\n${referenceTable(references, prefix)}`}
${referencesCut ? more('references') : ''}
<nav><a href="${url}/json">JSON-LD</a><a href="${url}/ttl">Turtle</a></nav>
</main>`,
  );
}

export interface Card {
  readonly entity: Entity;
  readonly shown: readonly Fact[];
  readonly more: number;
  readonly prefix: string;
}

export function previewCard({ entity, shown, more, prefix }: Card): string {
  const [label, description] = [labelOf(entity), descriptionOf(entity)];
  const [type] = typesOf(entity);
  const rows = shown.map(
    (fact) =>
      html`<dt title="${fact.predicate.value}">${localPart(fact.predicate.value)}</dt><dd>${value(fact.value, prefix)}</dd>\n`,
  );
  return page(
    label,
    CARD_STYLE,
    html`<div class="card">
<h1><a href="${entityUrl(entityText(entity.term), prefix)}">${label}</a></h1>
<span class="badge">${type === undefined ? 'Thing' : localPart(type)}</span>
${description === null ? '' : html`<p>${description}</p>`}
<dl>
${rows}</dl>
${more === 0 ? '' : html`<div class="more">and ${more} more</div>`}
</div>`,
  );
}
