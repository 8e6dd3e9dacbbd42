/**
 * What became of the facts of an entity: when each held, and which transactions opened and closed it. The answer is read in
 * pieces and given up where it is larger than `BYTES_MAX`, since values come whole.
 */

import { SvcError, type Term } from '../../../clients/typescript/src/index.js';
import { cut } from '../parts/text.js';
import { termKey } from '../parts/turtle.js';
import type { Reading } from './read-entity.js';

export const HISTORY_ROWS_MAX = 1_000;
const BYTES_MAX = 8_000_000;
/** Of a value in the history. */
const VALUE_CHARACTERS = 2_000;
const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** One time that a fact held. */
export interface Span {
  readonly value: Term;
  readonly validFrom: string;
  readonly validTo: string | null;
  /** The transaction that asserted it. */
  readonly tx: number;
  /** The transaction that ended it; null = it stands. */
  readonly endedTx: number | null;
}

export interface History {
  /** By predicate, then by key of the value, the oldest first. */
  readonly spans: ReadonlyMap<string, ReadonlyMap<string, readonly Span[]>>;
  readonly isCut: boolean;
}

interface Entry {
  readonly op: 'assert' | 'retract';
  readonly predicate: string;
  readonly value: unknown;
  readonly valid_from: string;
  readonly valid_to: string | null;
  readonly tx: NumberText;
}

/** A number as it was written: 1.0 and 1 are two terms. */
interface NumberText {
  readonly number: string;
}

/** Strings, so that they are passed over, and numbers outside of them. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export async function readHistory({ server, iri, fields, signal }: Reading): Promise<History> {
  const { graph, tx: known } = fields;
  const response = await server.fetch(`${server.base}/entity_history`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ iri, limit: HISTORY_ROWS_MAX, ...(graph === undefined ? {} : { graph }) }),
    signal,
  });
  const text = await textOf(response);
  if (!response.ok) {
    const body = JSON.parse(text) as { error?: string };
    throw new SvcError(body.error ?? response.statusText, response.status, body);
  }
  const numbered = text.replace(TOKENS, (token) => (token.startsWith('"') ? token : `{"number":"${token}"}`));
  const { history, truncated } = JSON.parse(numbered) as { history: readonly Entry[]; truncated: boolean };
  return { spans: spansOf(history, known ?? Number.POSITIVE_INFINITY), isCut: truncated };
}

async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > BYTES_MAX) {
      await reader.cancel();
      throw new Error(
        `The history is larger than ${BYTES_MAX / 1e6} MB, which is too much for a page: ask for it by svc history.`,
      );
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** `known`: nothing of later transactions is told. */
function spansOf(history: readonly Entry[], known: number): Map<string, Map<string, Span[]>> {
  const spans = new Map<string, Map<string, Span[]>>();
  for (const { op, predicate, value, valid_from: validFrom, valid_to: validTo, tx } of history) {
    const number = Number(tx.number);
    if (number > known) continue;
    const term = termOfJson(value);
    const byValue = spans.get(predicate) ?? new Map<string, Span[]>();
    spans.set(predicate, byValue);
    const key = termKey(term);
    const list = byValue.get(key) ?? [];
    byValue.set(key, list);
    if (op === 'assert') {
      list.push({ value: shortened(term), validFrom, validTo, tx: number, endedTx: null });
      continue;
    }
    const open = list.findIndex((span) => span.validFrom === validFrom && span.endedTx === null);
    if (open >= 0) list[open] = { ...(list[open] as Span), endedTx: number };
  }
  // An end that a later transaction has written is not known yet.
  for (const byValue of spans.values()) {
    for (const list of byValue.values()) {
      for (const [at, span] of list.entries())
        if (span.endedTx === null && known !== Number.POSITIVE_INFINITY) list[at] = { ...span, validTo: null };
    }
  }
  return spans;
}

function shortened(term: Term): Term {
  if (term.type !== 'literal' || term.value.length <= VALUE_CHARACTERS) return term;
  // A copy: a slice would keep the whole text.
  const value = JSON.parse(JSON.stringify(`${cut(term.value, VALUE_CHARACTERS)}…`)) as string;
  return { ...term, value };
}

const NODE = /^(?:[A-Za-z][A-Za-z0-9+.-]*|_):\S*$/;

/** A value of a JSON answer as a term: each says by itself what it is. */
function termOfJson(value: unknown): Term {
  if (typeof value === 'boolean') return { type: 'literal', value: String(value), datatype: `${XSD}boolean` };
  if (typeof value === 'string') {
    if (value.startsWith('_:')) return { type: 'bnode', value: value.slice(2) };
    return NODE.test(value) ? { type: 'uri', value } : { type: 'literal', value };
  }
  const given = value as Partial<NumberText> & { value?: string; lang?: string; datatype?: string };
  if (given.number !== undefined) {
    const datatype = /[.eE]/.test(given.number) ? `${XSD}double` : `${XSD}integer`;
    return { type: 'literal', value: given.number, datatype };
  }
  const { value: text = JSON.stringify(value), lang, datatype } = given;
  if (lang !== undefined) return { type: 'literal', value: text, 'xml:lang': lang };
  return { type: 'literal', value: text, ...(datatype === undefined ? {} : { datatype }) };
}
