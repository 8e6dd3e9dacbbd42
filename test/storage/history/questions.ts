/** Random questions to a snapshot, answered by a list of rows as well. */

import assert from 'node:assert/strict';
import { INSTANT_MAX, INSTANT_MIN } from '../../../engine/base/instant.js';
import type { Term } from '../../../engine/rdf/terms.js';
import { columnToInstant, OPEN, type TermId } from '../../../engine/storage/ids/layout.js';
import {
  COLUMNS,
  type Column,
  type GraphSet,
  type Order,
  type PositionTest,
  type ScanRequest,
  type StorageSnapshot,
} from '../../../engine/storage/seam/scan.js';
import {
  columnOf,
  compareKeys,
  drain,
  type IdRow,
  keyOf as idKey,
  ORDERS,
  ROOT,
  readBatch,
  SPOG,
  scan,
  show,
} from '../scan-support.js';
import { pick, type Random } from './random-quads.js';
import { keyOf, type ModelRow, type ModelTime, type RowModel, visibleRows } from './row-model.js';

/** What a snapshot should show. */
export interface Truth {
  readonly rows: readonly ModelRow[];
  readonly tx: number;
  /** Terms that the snapshot knows. */
  readonly known: readonly Term[];
  /** Terms that it must not know. */
  readonly unknown: readonly Term[];
  /** Instants at which something happens. */
  readonly instants: readonly number[];
}

/** What a model says that a snapshot at a transaction shows. */
export function truthAt(model: RowModel, tx: number): Truth {
  const terms = [...model.terms.values()];
  const known = terms.filter((entry) => entry.tx <= tx).map(({ term }) => term);
  const later = terms.filter((entry) => entry.tx > tx && /fresh/.test(entry.term.value)).map(({ term }) => term);
  return { rows: model.rows, tx, known, unknown: later, instants: [0] };
}

type Test = (row: ModelRow) => boolean;
const SHARE_OF_COLUMNS = 3;

export class Questions {
  readonly #snapshot: StorageSnapshot;
  readonly #truth: Truth;
  readonly #next: Random;
  readonly #ids = new Map<string, TermId>();
  readonly #texts = new Map<TermId, string>();
  readonly #graphs: readonly string[];

  constructor(snapshot: StorageSnapshot, truth: Truth, next: Random) {
    assert.equal(snapshot.tx, truth.tx, 'the transaction of the snapshot');
    this.#snapshot = snapshot;
    this.#truth = truth;
    this.#next = next;
    for (const term of [ROOT, ...truth.known]) {
      const id = snapshot.encode(term);
      assert.ok(id !== null, `${show(term)} is known`);
      this.#ids.set(show(term), id);
      this.#texts.set(id, show(term));
    }
    assert.equal(this.#texts.size, this.#ids.size, 'different terms have different ids');
    this.#graphs = [...new Set([show(ROOT), ...truth.rows.map(({ g }) => g)])].filter((g) => this.#ids.has(g));
  }

  /** What does not depend on chance: terms, graphs, everything there is. */
  askAll(): void {
    const ids = [...this.#texts.keys()];
    const decoded = this.#snapshot.decode(columnOf(ids), ids.length);
    assert.deepEqual(decoded.map(show), [...this.#texts.values()], 'ids become terms again');
    for (const term of this.#truth.unknown) {
      assert.equal(this.#snapshot.encode(term), null, `${show(term)} is not known`);
    }
    this.#askGraphs();
    for (const time of [{ kind: 'all' }, { kind: 'current' }] as const) {
      this.#compare({ graphs: { kind: 'all' }, pattern: {}, time, columns: COLUMNS }, [], false);
    }
    this.#askPredicates();
  }

  ask(): void {
    const { graphs, merged, test } = this.#randomGraphs();
    const { pattern, tests } = this.#randomPattern();
    const time = this.#randomTime();
    const wide = this.#next(2) === 0 ? COLUMNS : SPOG;
    const partial = COLUMNS.filter(() => this.#next(SHARE_OF_COLUMNS) === 0);
    const chosen = this.#next(4) === 0 && partial.length > 0 ? partial : wide;
    const columns = merged ? chosen.filter((column) => SPOG.includes(column)) : chosen;
    const order = this.#next(3) === 0 ? undefined : pick(ORDERS, this.#next);
    const request = { graphs, pattern, time, columns: columns.length === 0 ? SPOG : columns, order };
    this.#compare(request, [test, ...tests], merged);
  }

  #askGraphs(): void {
    const current = visibleRows(this.#truth.rows, this.#truth.tx, { kind: 'current' });
    const graphs = [...new Set(current.map(({ g }) => g))];
    const root = show(ROOT);
    const bare = (text: string): string => text.replace(/^<|>$|^_:/g, '');
    graphs.sort((a, b) => (a === root ? -1 : b === root ? 1 : bare(a) < bare(b) ? -1 : 1));
    assert.deepEqual(
      this.#snapshot.graphs().map((id) => this.#texts.get(id)),
      graphs,
      'the graphs',
    );
  }

  /** Planner figures are bounds: nothing that is current is left out. */
  #askPredicates(): void {
    const figures = new Map(this.#snapshot.predicates({ kind: 'all' }).map((entry) => [entry.predicate, entry.rows]));
    const counts = new Map<string, number>();
    for (const { p } of visibleRows(this.#truth.rows, this.#truth.tx, { kind: 'current' })) {
      counts.set(p, (counts.get(p) ?? 0) + 1);
    }
    for (const [predicate, rows] of counts) {
      const figure = figures.get(this.#ids.get(predicate) as TermId) ?? 0;
      assert.ok(figure >= rows, `${rows} current rows of ${predicate}, ${figure} in the figures`);
    }
  }

  #randomTime(): ModelTime {
    const next = this.#next;
    const tx = next(this.#truth.tx + 2);
    const validAt = Math.max(INSTANT_MIN, Math.min(INSTANT_MAX, pick(this.#truth.instants, next) + next(3) - 1));
    const kinds: ModelTime[] = [
      { kind: 'current' },
      { kind: 'all' },
      { kind: 'asOf', tx },
      { kind: 'validAt', validAt },
      { kind: 'asOfValidAt', tx, validAt },
    ];
    return pick(kinds, next);
  }

  #randomGraphs(): { graphs: GraphSet; merged: boolean; test: Test } {
    const next = this.#next;
    const some = Array.from({ length: next(5) }, () => pick(this.#graphs, next));
    const ids = some.map((text) => this.#ids.get(text) as TermId);
    const within: Test = ({ g }) => some.includes(g);
    switch (next(6)) {
      case 0:
        return { graphs: { kind: 'all' }, merged: false, test: () => true };
      case 1:
        return {
          graphs: { kind: 'named', except: ids },
          merged: false,
          test: ({ g }) => g !== show(ROOT) && !some.includes(g),
        };
      case 2:
        return { graphs: { kind: 'some', graphs: ids, merged: false }, merged: false, test: within };
      case 3:
        return { graphs: { kind: 'some', graphs: ids, merged: true }, merged: true, test: within };
      default: {
        const graph = pick(this.#graphs, next);
        const one = this.#ids.get(graph) as TermId;
        return { graphs: { kind: 'one', graph: one }, merged: false, test: ({ g }) => g === graph };
      }
    }
  }

  #randomPattern(): { pattern: ScanRequest['pattern']; tests: Test[] } {
    const next = this.#next;
    const pattern: Record<string, PositionTest> = {};
    const tests: Test[] = [];
    const { rows } = this.#truth;
    if (rows.length === 0) return { pattern, tests };
    // Positions of one row, so that something is found; or of several.
    const row = pick(rows, next);
    for (const position of ['s', 'p', 'o'] as const) {
      const kind = next(5);
      if (kind > 2) continue;
      const from = next(4) === 0 ? pick(rows, next) : row;
      const id = this.#ids.get(from[position]);
      if (id === undefined) continue;
      if (kind < 2) {
        pattern[position] = { kind: 'id', id };
        tests.push((one) => one[position] === from[position]);
        continue;
      }
      const ranges = this.#randomRanges(id);
      pattern[position] = { kind: 'ranges', ranges };
      tests.push((one) => {
        const value = this.#ids.get(one[position]);
        return value !== undefined && ranges.some((range) => range.from <= value && value < range.to);
      });
    }
    return { pattern, tests };
  }

  #randomRanges(id: TermId): { from: TermId; to: TermId }[] {
    const width = BigInt(1 + this.#next(40));
    const first = { from: id, to: id + width };
    const tag = id >> 56n;
    return this.#next(2) === 0 ? [first] : [{ from: (tag - 1n) << 56n, to: ((tag - 1n) << 56n) + 9n }, first];
  }

  #compare(request: ScanRequest, tests: readonly Test[], merged: boolean): void {
    const what = (): string => this.#describe(request);
    const time = request.time as ModelTime;
    const visible = visibleRows(this.#truth.rows, this.#truth.tx, time).filter((row) => tests.every((it) => it(row)));
    const wanted = this.#lines(visible, request.columns, merged);
    const found = scan(this.#snapshot, request);
    assert.deepEqual(this.#show(found, request.columns), wanted, what());
    const { graphs, pattern } = request;
    const quads = new Set(visible.map((row) => keyOf(merged ? { ...row, g: '*' } : row))).size;
    assert.equal(this.#snapshot.count({ graphs, pattern, time }), quads, `the count: ${what()}`);
    const estimate = this.#snapshot.estimate({ graphs, pattern, time });
    assert.ok(estimate.rows >= 0, `the estimate: ${what()}`);
    if (estimate.exact) assert.equal(estimate.rows, quads, `the exact estimate: ${what()}`);
    if (request.order !== undefined && this.#next(2) === 0) this.#seek(request, request.order);
  }

  /** Seeks forward a few times, reading batches in between, and compares with the rows of a whole scan. */
  #seek(request: ScanRequest, order: Order): void {
    const columns = COLUMNS.filter((column) => SPOG.includes(column) || request.columns.includes(column));
    const whole = { ...request, columns };
    const rows = scan(this.#snapshot, whole);
    if (rows.length === 0) return;
    const cursor = this.#snapshot.scan(whole);
    let at = 0;
    for (let turn = this.#next(4); turn > 0; turn--) {
      const depth = 1 + this.#next(4);
      const key = idKey(pick(rows, this.#next), order).slice(0, depth);
      if (this.#next(3) === 0) key[depth - 1] = (key[depth - 1] as TermId) + 1n;
      cursor.seek(key);
      while (at < rows.length && compareKeys(idKey(rows[at] as IdRow, order), key) < 0) at++;
      if (this.#next(2) === 0) continue;
      const batch = readBatch(cursor, columns) ?? [];
      assert.deepEqual(batch.map(String), rows.slice(at, at + batch.length).map(String), this.#describe(whole));
      at += batch.length;
      if (batch.length === 0) break;
    }
    const left = drain(cursor, columns);
    assert.deepEqual(left.map(String), rows.slice(at).map(String), `after seeking: ${this.#describe(whole)}`);
  }

  #lines(rows: readonly ModelRow[], columns: readonly Column[], merged: boolean): string[] {
    const timed = columns.some((column) => !SPOG.includes(column));
    const chosen = timed
      ? rows
      : [...new Map(rows.map((row) => [keyOf(merged ? { ...row, g: '*' } : row), row])).values()];
    const text = (row: ModelRow, column: Column): string => (merged && column === 'g' ? '*' : String(row[column]));
    return chosen.map((row) => columns.map((column) => text(row, column)).join(' ')).sort();
  }

  #show(rows: readonly IdRow[], columns: readonly Column[]): string[] {
    return rows
      .map((row) =>
        columns
          .map((column) => {
            const value = row[COLUMNS.indexOf(column)] as bigint;
            if (SPOG.includes(column)) return value === 0n && column === 'g' ? '*' : this.#text(value);
            if (value === OPEN) return 'null';
            return String(column.startsWith('tx') ? value : columnToInstant(value));
          })
          .join(' '),
      )
      .sort();
  }

  #text(id: TermId): string {
    return this.#texts.get(id) ?? show(this.#snapshot.decode(columnOf([id]), 1)[0] as Term);
  }

  #describe(request: ScanRequest): string {
    const replace = (_: string, value: unknown): unknown =>
      typeof value === 'bigint' ? (this.#texts.get(value) ?? value.toString(16)) : value;
    return `tx ${this.#truth.tx}: ${JSON.stringify(request, replace)}`;
  }
}
