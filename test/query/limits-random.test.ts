/**
 * Random queries under pressure: with hardly any memory they answer the same or say that it is too little,
 * and stopped at any step they leave nothing behind: no cursor, no memory, no spill file.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import type { ParsedQuery } from '../../engine/query/algebra/algebra.js';
import { type OpenedQuery, openQuery } from '../../engine/query/open-query.js';
import { parseQuery } from '../../engine/query/parse/parse.js';
import { rewriteQuery } from '../../engine/query/rewrites/index.js';
import type { QueryBatch } from '../../engine/query/runtime/batch.js';
import { PENDING } from '../../engine/query/runtime/operator.js';
import { memorySlots } from '../../engine/query/runtime/process-memory.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { IdColumn, ScanCursor, StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { quadsOf, textOf } from './differential/case.js';
import { COMMON, EVERYTHING, randomData } from './differential/data.js';
import { SWITCHES } from './differential/engines.js';
import { randomQuery } from './differential/queries.js';
import { Random } from './differential/random.js';
import { inFull, type ShortOptions } from './short-options.js';

const SEED = Number(process.env.SVC_LIMITS_SEED ?? 5_000_000);
const DATASETS = Number(process.env.SVC_LIMITS_DATASETS ?? 3);
const QUERIES_PER_DATASET = 20;
/** Answers that take longer are not compared. */
const STEPS_MAX = 4000;
const ROWS_MAX = 50_000;

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-test-'));
});
after(() => rmSync(directory, { recursive: true }));

interface Counted {
  readonly snapshot: StorageSnapshot;
  /** Cursors that are not closed. */
  readonly open: Set<ScanCursor>;
}

/** A snapshot that knows its open cursors. */
function counting(inner: StorageSnapshot): Counted {
  const open = new Set<ScanCursor>();
  const snapshot = new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name !== 'scan') return typeof value === 'function' ? value.bind(target) : value;
      return (request: Parameters<StorageSnapshot['scan']>[0]) => {
        const cursor = target.scan(request);
        open.add(cursor);
        const close = cursor.close.bind(cursor);
        cursor.close = () => {
          open.delete(cursor);
          close();
        };
        return cursor;
      };
    },
  });
  return { snapshot, open };
}

const held = (): number => memorySlots().reduce((sum, chunks) => sum + chunks, 0);

interface Pressed {
  readonly query: ParsedQuery;
  readonly text: string;
  readonly random: Random;
}

/** Random queries whose answers depend on nothing but the data, over one dataset after another. */
async function eachQuery(seed: number, run: (counted: Counted, one: Pressed) => void): Promise<void> {
  for (let at = 0; at < DATASETS; at++) {
    const random = new Random(seed + at);
    const vocabulary = random.once(2) ? COMMON : EVERYTHING;
    const data = Array.from({ length: 3 }, () => randomData(random, vocabulary)).flat();
    const engine = openMemoryEngine({ batches: { rowsMax: 7, sparse: true } });
    const source = { kind: 'quads', quads: await quadsOf(data), name: 'data' } as const;
    await (await engine.stageLoad([source], { blankNodeScope: 'store' }, {})).commit().durable;
    const counted = counting(engine.snapshot());
    for (let count = 0; count < QUERIES_PER_DATASET; count++) {
      const text = textOf({ data, text: randomQuery(random, vocabulary), common: true, moment: null });
      const switches = random.once(2) ? [] : random.list(1, 6, () => random.pick(SWITCHES));
      const query = parsedOrNull(text, new Set(switches));
      if (query !== null) run(counted, { query, text, random });
    }
    counted.snapshot.close();
  }
}

function parsedOrNull(text: string, disabled: ReadonlySet<string>): ParsedQuery | null {
  try {
    return rewriteQuery(parseQuery(text), disabled);
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'parse_error' || error.code === 'unsupported')) return null;
    throw error;
  }
}

/** Runs to the end, or to the given step; null = it is a long one. */
function runFor(opened: OpenedQuery, steps: number, take: (batch: QueryBatch) => boolean): boolean {
  for (let step = 0; step < steps; step++) {
    const batch = opened.execution.root.next();
    if (batch === null) return true;
    if (batch !== PENDING && !take(batch)) return false;
  }
  return false;
}

function assertNothingLeft({ open }: Counted, opened: OpenedQuery, text: string): void {
  assert.equal(open.size, 0, `${open.size} cursors are open after\n${text}`);
  assert.equal(opened.budget.spill.isOpen, false, `the spill file is open after\n${text}`);
  assert.equal(held(), 0, `memory of the process is held after\n${text}`);
}

const open = ({ snapshot }: Counted, query: ParsedQuery, options: ShortOptions = {}): OpenedQuery =>
  openQuery(query, snapshot, inFull({ ...options, spillDirectory: directory, now: new Date(0) }));

/** Each row as a text, sorted; null = it takes too long to compare. */
function answerOf(counted: Counted, { query, text }: Pressed, options: ShortOptions = {}): string[] | null {
  const opened = open(counted, query, options);
  const rows: string[] = [];
  const take = (batch: QueryBatch) => {
    const columns = batch.columns.map((column) => opened.terms.decode(column as IdColumn, batch.rows));
    for (let row = 0; row < batch.rows; row++) rows.push(columns.map((terms) => shown(terms[row])).join(' '));
    return rows.length < ROWS_MAX;
  };
  try {
    const ended = runFor(opened, STEPS_MAX, take);
    if (opened.budget.spill.writtenBytes > 0) spilled++;
    return ended ? rows.sort() : null;
  } finally {
    opened.execution.close();
    assertNothingLeft(counted, opened, text);
  }
}

let spilled = 0;

/** Numbers of made blank nodes depend on the order of rows. */
function shown(term: unknown): string {
  const text = JSON.stringify(term) ?? '-';
  return text.replace(/"termType":"BlankNode","value":"[ft]\d[^"]*"/g, '"blank"');
}

/** They depend on the order of rows, which memory may change. */
const ORDERLESS = /SAMPLE|GROUP_CONCAT|STRUUID|UUID|RAND|BNODE/;

test('random queries with hardly any memory answer the same, or refuse by the name of the setting', async () => {
  const counts = { same: 0, refused: 0, skipped: 0 };
  await eachQuery(SEED, (counted, one) => {
    if (ORDERLESS.test(one.text)) return;
    const expected = answerOf(counted, one);
    if (expected === null) {
      counts.skipped++;
      return;
    }
    for (const kilobytes of [16, 64, 256]) {
      try {
        const found = answerOf(counted, one, { memoryBudgetBytes: kilobytes * 1024 });
        if (found === null) continue;
        assert.deepEqual(found, expected, `${kilobytes} KB: ${one.text}`);
        counts.same++;
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== 'query_complexity') throw error;
        assert.match(error.message, /query\.(memory_budget|spill_max)_mb/);
        counts.refused++;
      }
    }
  });
  if (process.env.SVC_LIMITS_DATASETS) console.log(counts, { spilled });
  assert.ok(counts.same > counts.refused / 2, JSON.stringify(counts));
  assert.ok(spilled > 0, 'nothing was spilled');
  assert.deepEqual(readdirSync(directory), []);
});

test('random queries that are stopped at a random step leave nothing behind', async () => {
  let stopped = 0;
  await eachQuery(SEED + 1000, (counted, one) => {
    for (const memoryBudgetBytes of [undefined, 16 * 1024]) {
      let opened: OpenedQuery | null = null;
      try {
        opened = open(counted, one.query, { memoryBudgetBytes });
        if (!runFor(opened, one.random.below(one.random.once(2) ? 12 : 300), () => true)) stopped++;
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== 'query_complexity') throw error;
      } finally {
        opened?.execution.close();
        opened?.execution.close();
      }
      if (opened !== null) assertNothingLeft(counted, opened, one.text);
    }
  });
  assert.ok(stopped > DATASETS, `only ${stopped} were stopped`);
});
