/**
 * RDF terms on a page. An IRI is a link to where the store shows it, whatever its scheme, and never to what it names, so that
 * `javascript:` and its like are texts like any other. A literal stands isolated from the direction of the text around it; what is
 * too long is cut, and comes on demand piece by piece.
 */

import type { Term } from '../../../clients/typescript/src/index.js';
import type { Server } from '../wire/server.js';
import { emit } from './events.js';
import { css, html, LitElement, nothing, type TemplateResult } from './lit.js';
import { curieOf, lineOf, type Prefixes } from './prefixes.js';
import { base } from './styles.js';
import { count, cut, shown, shownLine } from './text.js';
import { define } from './view.js';

export type { Term };

const IRI_CHARACTERS_MAX = 2_000;
/** Of a literal at first, and how many times as much each time that more is asked for. */
const LITERAL_CHARACTERS = 600;
const MORE_FACTOR = 8;
/** More of one literal is never drawn: it is there to be copied. */
const LITERAL_CHARACTERS_MAX = 400_000;
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const STRING = `${XSD}string`;
const LANG_STRING = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString';

export interface TermOptions {
  readonly server: Server;
  readonly prefixes: Prefixes;
  /** In one line of so many characters at most, where a long IRI is shortened; absent = whole, with a way to see more. */
  readonly charactersMax?: number;
}

/** `ex:alice`, or the IRI. */
export function iriText(iri: string, prefixes: Prefixes, charactersMax = IRI_CHARACTERS_MAX): string {
  return shownLine(curieOf(iri, prefixes) ?? iri, charactersMax);
}

/** The same in one line, where the whole stands in a title: `…/CommercialBank`. */
export function iriLine(iri: string, prefixes: Prefixes, charactersMax: number): string {
  return shownLine(lineOf(iri, prefixes), charactersMax);
}

/** A link that says `svc-node-click` (or `svc-type-click`); the page around it may take it over. */
export function iriLink(
  iri: string,
  { server, prefixes, charactersMax }: TermOptions,
  event: 'svc-node-click' | 'svc-type-click' = 'svc-node-click',
): TemplateResult {
  return html`<a class="iri" href=${server.entityUrl(iri)} title=${shownLine(iri, IRI_CHARACTERS_MAX)} @click=${(click: MouseEvent) => follow(click, iri, event)}><bdi>${charactersMax === undefined ? iriText(iri, prefixes) : iriLine(iri, prefixes, charactersMax)}</bdi></a>`;
}

function follow(click: MouseEvent, iri: string, event: 'svc-node-click' | 'svc-type-click'): void {
  // A new tab is the browser's.
  if (click.ctrlKey || click.metaKey || click.shiftKey || click.button !== 0 || click.currentTarget === null) return;
  if (!emit(click.currentTarget, event, { iri })) click.preventDefault();
}

export function termView(term: Term | undefined, options: TermOptions): TemplateResult | typeof nothing {
  if (term === undefined) return nothing;
  if (term.type === 'literal') return literalView(term, options);
  if (term.type === 'triple') {
    const { subject, predicate, object } = term.value;
    return html`<span class="faint">&lt;&lt;(</span> ${termView(subject, options)} ${termView(predicate, options)} ${termView(object, options)} <span class="faint">)&gt;&gt;</span>`;
  }
  if (term.type === 'uri') return iriLink(term.value, options);
  return html`<span class="mono soft">_:${shownLine(term.value, IRI_CHARACTERS_MAX)}</span>`;
}

function literalView(
  term: Extract<Term, { type: 'literal' }>,
  { prefixes, charactersMax }: TermOptions,
): TemplateResult {
  const tag = tagOf(term, prefixes);
  const text =
    charactersMax !== undefined
      ? html`<bdi dir="auto">${shownLine(term.value, charactersMax)}</bdi>`
      : html`<svc-literal .value=${term.value}></svc-literal>`;
  return html`${text}${tag === null ? nothing : html` <span class="tag faint">${tag}</span>`}`;
}

/** What Turtle writes without its type, because the form says it. */
const BARE: Readonly<Record<string, RegExp>> = {
  [`${XSD}integer`]: /^[+-]?\d+$/,
  [`${XSD}decimal`]: /^[+-]?\d*\.\d+$/,
  [`${XSD}double`]: /^[+-]?(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+$/,
  [`${XSD}boolean`]: /^(?:true|false)$/,
};

function isBare(value: string, datatype: string): boolean {
  return BARE[datatype]?.test(value) === true;
}

export function isNumber(term: Term): boolean {
  return (
    term.type === 'literal' &&
    term.datatype !== undefined &&
    isBare(term.value, term.datatype) &&
    /^[+-.\d]/.test(term.value)
  );
}

/** What stands beside a literal: its language, or its type where that is not plain text. */
function tagOf(term: Extract<Term, { type: 'literal' }>, prefixes: Prefixes): string | null {
  const language = term['xml:lang'];
  if (language !== undefined) return shownLine(language, 40);
  const { datatype } = term;
  if (datatype === undefined || datatype === STRING || datatype === LANG_STRING || isBare(term.value, datatype))
    return null;
  return datatype.startsWith(XSD) ? shownLine(datatype.slice(XSD.length), 80) : iriText(datatype, prefixes, 80);
}

class Literal extends LitElement {
  static override properties = { value: { attribute: false }, characters: { state: true } };
  static override styles = [
    base,
    css`
      bdi {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];
  value = '';
  characters = LITERAL_CHARACTERS;

  override render() {
    const { value, characters } = this;
    if (value.length <= characters) return html`<bdi dir="auto">${shown(value)}</bdi>`;
    const more =
      characters >= LITERAL_CHARACTERS_MAX
        ? nothing
        : html`<button class="button small" @click=${() => (this.characters = Math.min(characters * MORE_FACTOR, LITERAL_CHARACTERS_MAX))}>Show more</button>`;
    return html`<bdi dir="auto">${shown(cut(value, characters))}…</bdi>
      <span class="faint">${count(characters)} of ${count(value.length)} characters</span> ${more}
      <button class="button small" @click=${() => navigator.clipboard.writeText(value)}>Copy all</button>`;
  }
}

define('svc-literal', Literal);
