/** What the behaviour cases of the storage seam share: loading, reading rows back, a naive model. */

import assert from 'node:assert/strict';
import { type Quad, ROOT_GRAPH_IRI, type Term, terms, XSD } from '../../engine/rdf/terms.js';
import type { TermId, TxId } from '../../engine/storage/ids/layout.js';
import type { LoadOptions, LoadSource, LoadSummary, StorageEngine } from '../../engine/storage/seam/engine.js';
import {
  BATCH_ROWS,
  type Batch,
  COLUMNS,
  type Column,
  CURRENT,
  type GraphSet,
  type Order,
  type ScanCursor,
  type ScanRequest,
  type StorageSnapshot,
} from '../../engine/storage/seam/scan.js';

export const ORDERS: readonly Order[] = ['SPOG', 'POSG', 'OSPG', 'GSPO'];
export const SPOG: readonly Column[] = ['s', 'p', 'o', 'g'];
export const ALL: GraphSet = { kind: 'all' };
export const ROOT = terms.namedNode(ROOT_GRAPH_IRI);

export const node = (name: string) => terms.namedNode(`http://example.org/${name}`);
export const typed = (lexical: string, type: string) => terms.literal(lexical, terms.namedNode(XSD + type));
export const quad = (s: Term, p: Term, o: Term, g: Term = terms.defaultGraph()): Quad =>
  terms.quad(s as Quad['subject'], p as Quad['predicate'], o as Quad['object'], g as Quad['graph']);

/** What is told of transactions whatever else their records hold. */
export function toldOf(engine: StorageEngine, range: Parameters<StorageEngine['transactions']>[0] = {}) {
  return engine.transactions(range).map(({ id, timestamp, actor, source, quadsAdded, quadsRetracted }) => {
    return { id, timestamp, actor, source, quadsAdded, quadsRetracted };
  });
}

/** One line per term, equal for equal terms. */
export function show(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<${term.value}>`;
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal': {
      const direction = term.direction ? `--${term.direction}` : '';
      const kind = term.language === '' ? `^^${term.datatype.value}` : `@${term.language.toLowerCase()}${direction}`;
      return JSON.stringify(term.value) + kind;
    }
    case 'Quad':
      return `<<${show(term.subject)} ${show(term.predicate)} ${show(term.object)}>>`;
    case 'DefaultGraph':
      return show(ROOT);
    default:
      assert.fail(`a ${term.termType} in a store`);
  }
}

export const showQuad = (it: Quad): string => [it.subject, it.predicate, it.object, it.graph].map(show).join(' ');

export interface Loaded {
  readonly tx: TxId;
  readonly summary: LoadSummary;
}

/** Loads and publishes. */
export async function load(
  engine: StorageEngine,
  what: readonly Quad[] | string | readonly LoadSource[],
  options: LoadOptions = {},
): Promise<Loaded> {
  const staged = await engine.stageLoad(sourcesOf(what), options, {});
  const { tx, durable } = staged.commit();
  await durable;
  return { tx, summary: staged.loaded as LoadSummary };
}

/** Quads, or a document in TriG, or sources as they are. */
export function sourcesOf(what: readonly Quad[] | string | readonly LoadSource[]): readonly LoadSource[] {
  if (typeof what === 'string') return [document(what)];
  const first = what[0];
  if (first !== undefined && 'kind' in first) return what as readonly LoadSource[];
  return [{ kind: 'quads', quads: what as readonly Quad[], name: 'quads' }];
}

export function document(text: string, name = 'document.trig'): LoadSource {
  return { kind: 'bytes', bytes: new TextEncoder().encode(text), name, format: 'trig' };
}

/** A row as ids, in the order of `COLUMNS`; 0 where a column was not wanted. */
export type IdRow = readonly TermId[];

const POSITIONS: Record<Order, readonly number[]> = {
  SPOG: [0, 1, 2, 3],
  POSG: [1, 2, 0, 3],
  OSPG: [2, 0, 1, 3],
  GSPO: [3, 0, 1, 2],
};

/** The key of a row in an order. */
export function keyOf(row: IdRow, order: Order): readonly TermId[] {
  return POSITIONS[order].map((at) => row[at] as TermId);
}

export function compareKeys(a: readonly TermId[], b: readonly TermId[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [x, y] = [a[at] as TermId, b[at] as TermId];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Reads one batch, holding it to the contract of the seam. */
export function readBatch(cursor: ScanCursor, wanted: readonly Column[]): IdRow[] | null {
  const batch: Batch | null = cursor.next();
  if (batch === null) return null;
  assert.ok(batch.rows > 0 && batch.rows <= BATCH_ROWS, `a batch of ${batch.rows} rows`);
  for (const column of COLUMNS) {
    const values: Uint32Array | null = batch.columns[column];
    assert.equal(values !== null, wanted.includes(column), `column ${column} is there exactly when it is wanted`);
    if (values !== null) assert.ok(values.length >= 2 * batch.rows, `column ${column} has all rows`);
  }
  const { selection } = batch;
  if (selection !== null) {
    assert.ok(selection.length > 0, 'a selection of nothing is an empty batch');
    for (const [at, row] of selection.entries()) {
      assert.ok(row < batch.rows && (at === 0 || row > (selection[at - 1] as number)), 'the selection ascends');
    }
  }
  const chosen = selection === null ? Array.from({ length: batch.rows }, (_, row) => row) : [...selection];
  return chosen.map((row) =>
    COLUMNS.map((column) => {
      const values = batch.columns[column];
      if (values === null) return 0n;
      return (BigInt(values[2 * row + 1] as number) << 32n) | BigInt(values[2 * row] as number);
    }),
  );
}

/** Reads all that is left of a cursor and closes it. */
export function drain(cursor: ScanCursor, wanted: readonly Column[]): IdRow[] {
  const rows: IdRow[] = [];
  for (let batch = readBatch(cursor, wanted); batch !== null; batch = readBatch(cursor, wanted)) rows.push(...batch);
  assert.equal(cursor.next(), null, 'after the end comes nothing');
  cursor.close();
  return rows;
}

export type Request = Partial<ScanRequest>;

export function complete(request: Request): ScanRequest {
  return { graphs: ALL, pattern: {}, time: CURRENT, columns: SPOG, ...request };
}

/** Rows of a scan; with all four terms wanted, it is checked that they come in order. */
export function scan(snapshot: StorageSnapshot, request: Request = {}): IdRow[] {
  const whole = complete(request);
  const cursor = snapshot.scan(whole);
  if (request.order !== undefined) assert.equal(cursor.order, request.order);
  const { order } = cursor;
  const rows = drain(cursor, whole.columns);
  if (SPOG.every((column) => whole.columns.includes(column))) assertSorted(rows, order);
  return rows;
}

function assertSorted(rows: readonly IdRow[], order: Order): void {
  for (let at = 1; at < rows.length; at++) {
    const [before, row] = [keyOf(rows[at - 1] as IdRow, order), keyOf(rows[at] as IdRow, order)];
    assert.ok(compareKeys(before, row) <= 0, `row ${at} is in ${order} order`);
  }
}

export function columnOf(ids: readonly TermId[]): Uint32Array {
  const column = new Uint32Array(2 * ids.length);
  for (const [row, id] of ids.entries()) {
    column[2 * row] = Number(id & 0xffffffffn);
    column[2 * row + 1] = Number(id >> 32n);
  }
  return column;
}

/** Rows as text, sorted; a merged graph shows as `*`. */
export function shown(snapshot: StorageSnapshot, rows: readonly IdRow[]): string[] {
  const columns = [0, 1, 2, 3].map((at) =>
    snapshot.decode(columnOf(rows.map((row) => row[at] as TermId)), rows.length),
  );
  const lines = rows.map((row, index) =>
    columns.map((column, at) => (at === 3 && row[3] === 0n ? '*' : show(column[index] as Term))).join(' '),
  );
  return lines.sort();
}

export function found(snapshot: StorageSnapshot, request: Request = {}): string[] {
  return shown(snapshot, scan(snapshot, request));
}

export function idOf(snapshot: StorageSnapshot, term: Term): TermId {
  const id = snapshot.encode(term);
  assert.notEqual(id, null, `${show(term)} is known`);
  return id as TermId;
}

export const exactly = (id: TermId) => ({ kind: 'id', id }) as const;

/** The naive model: a list of quads, filtered. */
export function expected(
  quads: readonly Quad[],
  tests: {
    readonly s?: (term: Term) => boolean;
    readonly p?: (term: Term) => boolean;
    readonly o?: (term: Term) => boolean;
    readonly g?: (term: Term) => boolean;
    readonly merged?: boolean;
  } = {},
): string[] {
  const any = () => true;
  const { s = any, p = any, o = any, g = any } = tests;
  const chosen = quads.filter((it) => s(it.subject) && p(it.predicate) && o(it.object) && g(graphOf(it)));
  const lines = chosen.map((it) => {
    const triple = [it.subject, it.predicate, it.object].map(show).join(' ');
    return `${triple} ${tests.merged ? '*' : show(it.graph)}`;
  });
  return [...new Set(lines)].sort();
}

function graphOf(it: Quad): Term {
  return it.graph.termType === 'DefaultGraph' ? ROOT : it.graph;
}

/** Deterministic numbers, so that a failure comes again. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Some hundred quads over few terms in ROOT and four graphs, with triples that stand in several. */
export function sampleQuads(seed: number, size = 300): Quad[] {
  const next = randomNumbers(seed);
  const objects: Term[] = [
    ...Array.from({ length: 12 }, (_, value) => typed(String(value - 2), 'integer')),
    ...['0.5', '2.50', '7.25'].map((text) => typed(text, 'decimal')),
    typed('01', 'integer'),
    typed('2024-01-01', 'date'),
    terms.literal('text'),
    terms.literal('text', 'en'),
    terms.blankNode('b1'),
    node('s1'),
    node('o'),
  ];
  const pick = <Kind>(list: readonly Kind[]): Kind => list[next(list.length)] as Kind;
  const subjects = [
    ...Array.from({ length: 8 }, (_, at) => node(`s${at}`)),
    terms.blankNode('b1'),
    terms.blankNode('b2'),
  ];
  const predicates = Array.from({ length: 4 }, (_, at) => node(`p${at}`));
  const graphs = [terms.defaultGraph(), terms.defaultGraph(), ...['g1', 'g2', 'g3', 'g4'].map(node)];
  const quads: Quad[] = [];
  while (quads.length < size) {
    const made = quad(pick(subjects), pick(predicates), pick(objects), pick(graphs));
    quads.push(made);
    if (next(3) === 0) quads.push(quad(made.subject, made.predicate, made.object, pick(graphs)));
  }
  return quads;
}
