/**
 * What changed between two transactions: statements that hold after the second and not after the first, and the other way
 * round. What came and went between them is neither. The log says beforehand how much each transaction changed, so that no
 * more is asked for than a page can show.
 */

import type { SvcClient, Term } from '../../../clients/typescript/src/index.js';
import type { ScopeFields } from './scope.js';

/** Statements of all transactions together. */
export const STATEMENTS_MAX = 20_000;
const TRANSACTIONS_AT_ONCE = 1000;
const RECORDS_AT_ONCE = 1000;
const XSD = 'http://www.w3.org/2001/XMLSchema#';
/** Strings that are IRIs or blank nodes (values in JSON answers). */
const REFERENCE = /^([A-Za-z][A-Za-z0-9+.-]*|_):\S*$/;

export interface Change {
  readonly isAdded: boolean;
  readonly tx: number;
  readonly graph: string;
  readonly entity: string;
  readonly predicate: string;
  readonly value: Term;
  readonly validFrom: string | null;
  readonly validTo: string | null;
}

export interface NetChanges {
  /** By entity and predicate, removed before added. */
  readonly changes: readonly Change[];
  /** The last transaction that is in it. */
  readonly until: number;
  /** The transaction that is too much, and how much it changed; null = all of them are in it. */
  readonly cut: { readonly tx: number; readonly statements: number } | null;
}

/** `until`: a transaction, or any later number for the last one. */
export async function netChanges(
  client: SvcClient,
  { after, until: last }: { readonly after: number; readonly until: number },
  { graph }: Pick<ScopeFields, 'graph'>,
  signal: AbortSignal,
): Promise<NetChanges> {
  const { until, cut } = await reach(client, after, last, signal);
  const net = new Map<string, Change>();
  for (let since = after; since < until; ) {
    const page = await client.call(
      'changes',
      { since, limit: RECORDS_AT_ONCE, graph, capture: 'old_and_new_values' },
      { signal },
    );
    for (const record of page.changes) {
      const change = changeOf(record);
      if (change.tx <= until) takeIn(net, change);
    }
    if (page.next_tx <= since) break;
    since = page.next_tx;
  }
  return { changes: [...net.values()].sort(inOrder), until, cut };
}

/** How far the transactions go that are few enough. */
async function reach(
  client: SvcClient,
  after: number,
  last: number,
  signal: AbortSignal,
): Promise<Pick<NetChanges, 'until' | 'cut'>> {
  let [until, statements] = [after, 0];
  while (until < last) {
    const { transactions } = await client.call(
      'transactions',
      { since: until, limit: TRANSACTIONS_AT_ONCE },
      { signal },
    );
    for (const { id, asserted, retracted } of transactions) {
      if (id > last) return { until, cut: null };
      statements += asserted + retracted;
      if (statements > STATEMENTS_MAX) return { until, cut: { tx: id, statements: asserted + retracted } };
      until = id;
    }
    if (transactions.length === 0) break;
  }
  return { until, cut: null };
}

function takeIn(net: Map<string, Change>, change: Change): void {
  const key = JSON.stringify([change.graph, change.entity, change.predicate, change.value]);
  const before = net.get(key);
  if (before !== undefined && before.isAdded !== change.isAdded) net.delete(key);
  else net.set(key, change);
}

function inOrder(a: Change, b: Change): number {
  const [left, right] = [a, b].map(({ graph, entity, predicate }) => `${graph}\n${entity}\n${predicate}`) as [
    string,
    string,
  ];
  if (left !== right) return left < right ? -1 : 1;
  return Number(a.isAdded) - Number(b.isAdded);
}

function changeOf(record: Readonly<Record<string, unknown>>): Change {
  const { tx, graph, entity, predicate, op } = record;
  const isAdded = op === 'assert';
  return {
    isAdded,
    tx: Number(tx),
    graph: String(graph),
    entity: String(entity),
    predicate: String(predicate),
    value: termOf(isAdded ? record.new_value : record.old_value),
    validFrom: textOrNull(record.valid_from),
    validTo: textOrNull(record.valid_to),
  };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A value of a JSON answer as a term. */
export function termOf(value: unknown): Term {
  if (typeof value === 'string') {
    if (!REFERENCE.test(value)) return { type: 'literal', value };
    return value.startsWith('_:') ? { type: 'bnode', value: value.slice(2) } : { type: 'uri', value };
  }
  if (typeof value === 'number' || typeof value === 'bigint') {
    const isInteger = typeof value === 'bigint' || Number.isInteger(value);
    return { type: 'literal', value: String(value), datatype: `${XSD}${isInteger ? 'integer' : 'double'}` };
  }
  if (typeof value === 'boolean') return { type: 'literal', value: String(value), datatype: `${XSD}boolean` };
  if (typeof value === 'object' && value !== null && 'value' in value) {
    const { value: text, lang, datatype } = value as { value: unknown; lang?: string; datatype?: string };
    if (lang !== undefined) return { type: 'literal', value: String(text), 'xml:lang': lang };
    return datatype === undefined
      ? { type: 'literal', value: String(text) }
      : { type: 'literal', value: String(text), datatype };
  }
  return { type: 'literal', value: JSON.stringify(value) };
}
