/** Staged transactions: terms and ids, and snapshots of a stage. */

import assert from 'node:assert/strict';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { instantToColumn, ROOT_ID, type TermId } from '../../engine/storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../engine/storage/seam/engine.js';
import { readRows } from '../../engine/storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import type { Case, CaseContext } from './scan-case.js';
import {
  ALL,
  columnOf,
  complete,
  exactly,
  expected,
  found,
  type IdRow,
  idOf,
  node,
  quad,
  sampleQuads,
  scan,
  show,
  typed,
} from './scan-support.js';
import { committed, fact, month, rowsOf, visible, write } from './stage-support.js';

function columns(rows: readonly IdRow[]): QuadColumns {
  const at = (position: number) => columnOf(rows.map((row) => row[position] as TermId));
  return { rows: rows.length, s: at(0), p: at(1), o: at(2), g: at(3) };
}

/** What the snapshot of a stage shows; closed again. */
function within<Result>(stage: Stage, read: (snapshot: StorageSnapshot) => Result): Result {
  const snapshot = stage.snapshot();
  try {
    return read(snapshot);
  } finally {
    snapshot.close();
  }
}

async function newTerms({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)] });
  const fresh = [
    node('fresh'),
    terms.blankNode('b0'),
    terms.literal('new text'),
    terms.literal('neu', 'de'),
    typed('12345678901234567890', 'integer'),
    terms.literal('x', node('datatype')),
  ];
  const stage = engine.stage({});
  const quads = fresh.map((object) => quad(node('fresh'), node('p'), object, node('freshGraph')));
  assert.equal(stage.assert(quads), fresh.length);
  const snapshot = stage.snapshot();
  const ids = fresh.map((term) => idOf(snapshot, term));
  assert.deepEqual(snapshot.decode(columnOf(ids), ids.length).map(show), fresh.map(show));
  assert.deepEqual(found(snapshot), expected([fact(1), ...quads]));
  assert.deepEqual(
    snapshot.graphs().map((id) => show(snapshot.decode(columnOf([id]), 1)[0] as Quad)),
    ['<urn:svc:graph:root>', show(node('freshGraph'))],
  );
  assert.equal(scan(snapshot, { pattern: { o: exactly(ids[2] as TermId) } }).length, 1);
  snapshot.close();
  const outside = engine.snapshot();
  for (const term of fresh) {
    const id = outside.encode(term);
    assert.ok(id === null || ids.includes(id), 'only an inlined term has an id outside');
  }
  assert.equal(outside.encode(node('fresh')), null);
  outside.close();
  stage.discard();
  assert.equal(engine.snapshot().encode(node('fresh')), null);
  assert.deepEqual(found(engine.snapshot()), expected([fact(1)]));
}

/** Ids with beginnings of their own: more than a slice, in no order, some of them open already. */
async function datedIds({ engine }: CaseContext): Promise<void> {
  const quads = Array.from({ length: 5000 }, (_, at) =>
    quad(node(`s${(at * 7919) % 5000}`), node('p'), node(`o${at % 3}`)),
  );
  await write(engine, { assert: quads.slice(0, 10), timestamp: month(9) });
  const stage = engine.stage({ timestamp: month(10) });
  const ids = quads.map(({ subject, predicate, object }): IdRow => {
    return [stage.intern(subject), stage.intern(predicate), stage.intern(object), ROOT_ID] as unknown as IdRow;
  });
  const begins = quads.map((_, at) => month(1) + at);
  assert.equal(stage.assertIds(columns(ids), columnOf(begins.map(instantToColumn))), quads.length - 10);
  assert.equal(stage.assertIds(columns(ids), columnOf(begins.map(instantToColumn))), 0);
  const taken = ids.slice(20, 30);
  assert.equal(stage.retractIds(columns(taken)), 10);
  const later = columnOf(taken.map(() => instantToColumn(month(4))));
  assert.equal(stage.assertIds(columns(taken), later), 10);
  const wanted = quads.map(({ subject }, at) => {
    const begin = at < 10 ? month(9) : at >= 20 && at < 30 ? month(4) : month(1) + at;
    return `${subject.value} ${begin}`;
  });
  const shown = (snapshot: StorageSnapshot): string[] => {
    const lines: string[] = [];
    const request = { graphs: ALL, pattern: {}, time: CURRENT, columns: ['s', 'validFrom'] } as const;
    for (const batch of readRows(snapshot, request)) {
      const subjects = snapshot.decode(batch.column('s'), batch.rows);
      for (const [row, term] of subjects.entries()) lines.push(`${term.value} ${batch.instant('validFrom', row)}`);
    }
    return lines.sort();
  };
  assert.deepEqual(within(stage, shown), wanted.sort());
  await stage.commit().durable;
  assert.deepEqual(shown(engine.snapshot()), wanted);
}

async function idsStay({ engine }: CaseContext): Promise<void> {
  const quads = sampleQuads(21, 200);
  await write(engine, { assert: quads.slice(0, 100) });
  const before = engine.snapshot();
  await write(engine, { assert: quads.slice(100), retract: quads.slice(0, 20) });
  const after = engine.snapshot();
  for (const { subject, predicate, object } of quads.slice(0, 100)) {
    for (const term of [subject, predicate, object]) assert.equal(before.encode(term), after.encode(term));
  }
  const gone = new Set(expected(quads.slice(0, 20)));
  const kept = expected(quads.slice(0, 100)).filter((line) => !gone.has(line));
  const wanted = [...new Set([...kept, ...expected(quads.slice(100))])].sort();
  assert.deepEqual(found(after), wanted);
}

async function byIds({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2), fact(3, 'g')], timestamp: month(1) });
  const before = engine.snapshot();
  const rows = scan(before);
  const stage = engine.stage({ timestamp: month(2) });
  assert.equal(stage.assertIds(columns(rows)), 0, 'they are open');
  assert.equal(stage.retractIds(columns(rows)), 3);
  assert.equal(stage.retractIds(columns(rows)), 0);
  assert.deepEqual(
    within(stage, (snapshot) => found(snapshot)),
    [],
  );
  assert.equal(stage.assertIds(columns(rows.slice(0, 1))), 1, 'retracted and asserted is nothing');
  const copied = rows.map((row) => [row[0], row[1], row[2], idOf(before, node('g'))] as IdRow);
  const opened = stage.assertIds(columns(copied), month(7));
  assert.equal(opened, 3);
  await stage.commit().durable;
  const current = scan(engine.snapshot());
  assert.equal(engine.snapshot().count(complete({ graphs: ALL })), current.length);
  const inGraph = engine
    .snapshot()
    .count(complete({ graphs: { kind: 'one', graph: idOf(engine.snapshot(), node('g')) } }));
  assert.equal(inGraph, 3);
}

async function idsOfTheStage({ engine }: CaseContext): Promise<void> {
  const stage = engine.stage({ timestamp: month(1) });
  stage.assert([quad(node('a'), node('p'), terms.literal('text'), node('g'))]);
  const rows = within(stage, (snapshot) => scan(snapshot));
  assert.equal(rows.length, 1);
  const inRoot = rows.map((row) => [row[0], row[1], row[2], ROOT_ID] as IdRow);
  assert.equal(stage.assertIds(columns(inRoot)), 1);
  assert.equal(stage.retractIds(columns(rows)), 1);
  await stage.commit().durable;
  assert.deepEqual(found(engine.snapshot()), expected([quad(node('a'), node('p'), terms.literal('text'))]));
}

async function stagedView({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1), fact(2)], timestamp: month(1) });
  const stage = engine.stage({ timestamp: month(2) });
  const empty = stage.snapshot();
  stage.assert([fact(3)]);
  const one = stage.snapshot();
  stage.retract([fact(1), fact(3)]);
  stage.assert([quad(node('later'), node('p'), node('o'))]);
  const two = stage.snapshot();
  assert.deepEqual(found(empty), expected([fact(1), fact(2)]), 'later changes do not show in it');
  assert.deepEqual(found(one), expected([fact(1), fact(2), fact(3)]));
  assert.equal(one.encode(node('later')), null);
  assert.deepEqual(found(two), expected([fact(2), quad(node('later'), node('p'), node('o'))]));
  assert.ok(two.predicates(ALL).reduce((sum, { rows }) => sum + rows, 0) >= 2);
  for (const snapshot of [empty, one, two]) snapshot.close();
  assert.throws(() => two.count(complete({})), { code: 'store_closed' });
  await stage.commit().durable;
  assert.deepEqual(found(engine.snapshot()), expected([fact(2), quad(node('later'), node('p'), node('o'))]));
}

async function openOnes({ engine }: CaseContext): Promise<void> {
  const quads = Array.from({ length: 9000 }, (_, at) => fact(at));
  await write(engine, { assert: [...quads, fact(1, 'g')], timestamp: month(1) });
  await write(engine, { retract: [fact(3), fact(1, 'g')], timestamp: month(2) });
  const before = engine.snapshot();
  const rows = scan(before);
  const [first, second] = [rows[0] as IdRow, rows[1] as IdRow];
  const inOther = rows.slice(0, 5).map((row) => [row[0], row[1], row[2], idOf(before, node('g'))] as IdRow);
  before.close();
  const stage = engine.stage({ timestamp: month(3) });
  const read = (asked: readonly IdRow[]): string[] => {
    const { rows: count, s, p, o, g } = stage.openQuads(columns(asked));
    const at = (column: Uint32Array, row: number) =>
      (BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number);
    return Array.from({ length: count }, (_, row) => [s, p, o, g].map((column) => at(column, row)).join(' '));
  };
  const lines = (wanted: readonly IdRow[]): string[] =>
    [...wanted]
      .sort((a, b) => {
        const place = [0, 1, 2, 3].find((position) => a[position] !== b[position]) ?? 0;
        return (a[place] as TermId) < (b[place] as TermId) ? -1 : 1;
      })
      .map((row) => row.slice(0, 4).join(' '));
  assert.deepEqual(read([]), []);
  assert.deepEqual(read([second, first, second, ...inOther]), lines([first, second]), 'each once, in their order');
  assert.deepEqual(read([...inOther, ...rows].reverse()), lines(rows), 'more than one batch');
  stage.retractIds(columns([first]));
  assert.deepEqual(read([first, second]), lines([first, second]), 'what is staged does not count');
  stage.discard();
  assert.throws(() => stage.openQuads(columns([first])), { code: 'invalid_request' });
}

async function blankNodes({ engine }: CaseContext): Promise<void> {
  const triple = quad(terms.blankNode('x'), node('p'), terms.blankNode('d0123456789abcdef-x'));
  await write(engine, { assert: [triple] });
  assert.deepEqual(found(engine.snapshot()), expected([triple]), 'labels as they are');
  assert.equal((await write(engine, { assert: [triple] })).tx, 0);
  assert.equal((await write(engine, { retract: [triple] })).counts.retracted, 1);
  assert.deepEqual(found(engine.snapshot()), []);
}

async function malformed({ engine }: CaseContext): Promise<void> {
  await write(engine, { assert: [fact(1)] });
  const before = visible(engine);
  const [s, p] = [node('s'), node('p')];
  const half = String.fromCharCode(0xd800);
  const bad: unknown[] = [
    quad(terms.namedNode('relative'), p, s),
    quad(s, p, terms.namedNode('http://example.org/a b')),
    quad(s, terms.blankNode('p'), s),
    quad(terms.literal('s'), p, s),
    quad(s, terms.literal('p'), s),
    quad(s, p, s, terms.literal('g')),
    quad(s, p, terms.variable?.('v') ?? s),
    quad(s, p, terms.literal('x', 'not a tag')),
    quad(s, p, terms.literal('x', terms.namedNode('relative'))),
    quad(s, p, terms.literal(half)),
    quad(terms.blankNode('a b'), p, s),
    null,
    undefined,
    'text',
    { subject: s, predicate: p, object: s },
    { subject: 's', predicate: 'p', object: 'o', graph: 'g' },
  ];
  const stage = engine.stage({});
  for (const one of bad) {
    assert.throws(() => stage.assert([one as Quad]), { code: 'invalid_request' }, JSON.stringify(one));
    assert.throws(() => stage.retract([one as Quad]), { code: 'invalid_request' }, JSON.stringify(one));
  }
  assert.deepEqual(stage.counts, { asserted: 0, retracted: 0 });
  assert.equal(await committed(stage.commit()), 0);
  assert.deepEqual(visible(engine), before);
  assert.deepEqual(rowsOf(engine.snapshot()).length, 1);
}

export const STAGE_IDENTITY_CASES: readonly Case[] = [
  { name: 'new terms of a stage', run: newTerms },
  { name: 'ids do not change', run: idsStay },
  { name: 'changes by ids', run: byIds },
  { name: 'ids with beginnings of their own', run: datedIds },
  { name: 'ids that the stage gave', run: idsOfTheStage },
  { name: 'snapshots of a stage', run: stagedView },
  { name: 'which quads are open', run: openOnes },
  { name: 'blank nodes keep their labels', run: blankNodes },
  { name: 'malformed quads', run: malformed },
];
