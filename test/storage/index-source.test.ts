/** A secondary index as the source of a pattern, alone and composed with graphs, in both engines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import {
  COLUMNS,
  CURRENT,
  type GraphSet,
  type StorageSnapshot,
  type TimeSlice,
} from '../../engine/storage/seam/scan.js';
import { checkShapes } from './scan-cases-probes.js';
import { checkSets, type ModelAnswer, type SourceCase } from './scan-cases-sources.js';
import { ALL, type IdRow, idOf, load, node, quad, ROOT, randomNumbers, scan } from './scan-support.js';
import { write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';
import { TRIPLES, wordsOf } from './support/triple-index.js';

const folder = new StoreFolder();
const indexes = [TRIPLES];
const WORD_LIST = ['red', 'green', 'blue', 'black', 'white'];

async function inBoth(run: (engine: StorageEngine) => Promise<void>): Promise<void> {
  for (const engine of [openMemoryEngine({ indexes }), await openLmdbEngine(folder.fresh(), { indexes })]) {
    await run(engine);
    await engine.close();
  }
}

const asked = (word: string): GraphSet => ({ kind: 'index', index: TRIPLES.name, question: word });

/** Subjects, predicates and graphs from small sets, with objects of one to three words. */
function makeQuads(next: (below: number) => number, count: number): Quad[] {
  const words = () => Array.from({ length: 1 + next(3) }, () => WORD_LIST[next(WORD_LIST.length)]).join(' ');
  return Array.from({ length: count }, () => {
    const triple = [node(`s${next(9)}`), node(`p${next(3)}`), terms.literal(words())] as const;
    return next(2) === 0 ? quad(...triple) : quad(...triple, node(`g${1 + next(2)}`));
  });
}

/** The triples of all graphs whose object says the word, each once. */
function answerIn(snapshot: StorageSnapshot): ModelAnswer {
  return ({ question }, time) => {
    const rows = scan(snapshot, { graphs: ALL, time, columns: COLUMNS });
    const says = (row: IdRow) => {
      const objects = snapshot.decode(new Uint32Array(BigUint64Array.of(row[2] as bigint).buffer), 1);
      return objects.some((object) => wordsOf(object).includes(question as string));
    };
    return rows.filter(says);
  };
}

function casesOf(snapshot: StorageSnapshot): SourceCase[] {
  const one = (term: Parameters<typeof idOf>[1]): GraphSet => ({ kind: 'one', graph: idOf(snapshot, term) });
  const [root, g1, g2] = [one(ROOT), one(node('g1')), one(node('g2'))];
  const past: TimeSlice = { kind: 'asOf', tx: 3 };
  return [
    { name: 'an index', set: asked('red') },
    { name: 'an index that finds nothing', set: asked('purple') },
    { name: 'two answers', set: { kind: 'layers', layers: [asked('red'), asked('blue')], merged: true } },
    { name: 'an index beside a graph', set: { kind: 'layers', layers: [g1, asked('green')], merged: true } },
    { name: 'an index over a graph', set: { kind: 'overlay', base: root, additions: asked('red'), removals: g2 } },
    { name: 'a graph without an answer', set: { kind: 'overlay', base: root, additions: g1, removals: asked('red') } },
    { name: 'an answer without a graph', set: { kind: 'overlay', base: asked('red'), additions: g2, removals: root } },
    { name: 'an answer about the past', set: { kind: 'timed', graphs: asked('black'), time: past } },
  ];
}

test('an index is a source of patterns: scans, seeks, probes, counts and estimates, over random writes, at moments of the past', async () => {
  await inBoth(async (engine) => {
    const next = randomNumbers(91);
    const known: Quad[] = [];
    for (let round = 0; round < 12; round++) {
      const come = makeQuads(next, round < 2 ? 60 : 12);
      const gone = known.filter(() => next(5) === 0);
      if (round % 4 === 1) await load(engine, come, { blankNodeScope: 'store' });
      else await write(engine, { retract: gone, assert: come });
      known.push(...come);
      if (round === 6) await engine.fold({});
      if (round % 4 !== 3) continue;
      const snapshot = engine.snapshot();
      const cases = casesOf(snapshot);
      for (const time of [CURRENT, { kind: 'asOf', tx: snapshot.tx - 2 } as const]) {
        checkSets(snapshot, cases, time, answerIn(snapshot));
      }
      checkShapes(snapshot, { time: CURRENT, sets: cases });
      snapshot.close();
    }
  });
});

test('an index answers as of its snapshot: a view that is kept shows no later write, and no stage shows in it', async () => {
  await inBoth(async (engine) => {
    const says = (at: number): Quad => quad(node(`s${at}`), node('p'), terms.literal('red'));
    await write(engine, { assert: [says(1)] });
    const before = engine.snapshot();
    const stage = engine.stage({});
    stage.assert([says(2)]);
    const staged = stage.snapshot();
    const rows = (snapshot: StorageSnapshot) => scan(snapshot, { graphs: asked('red'), columns: ['s'] }).length;
    assert.equal(rows(staged), 1);
    staged.close();
    await stage.commit().durable;
    const after = engine.snapshot();
    assert.deepEqual([rows(before), rows(after)], [1, 2]);
    assert.deepEqual([rows(before), rows(after)], [1, 2], 'asked again');
    assert.equal(after.predicates(asked('red'))[0]?.rows, 2);
    before.close();
    after.close();
  });
});

test('what is no index, and what is no question of one, is refused by name', async () => {
  await inBoth(async (engine) => {
    await write(engine, { assert: [quad(node('s'), node('p'), terms.literal('red'))] });
    const snapshot = engine.snapshot();
    const none: GraphSet = { kind: 'index', index: 'no such index', question: 'red' };
    const odd: GraphSet = { kind: 'index', index: TRIPLES.name, question: 7 };
    assert.throws(() => scan(snapshot, { graphs: none }), { code: 'invalid_request', message: /no such index/ });
    assert.throws(() => scan(snapshot, { graphs: odd }), { code: 'invalid_request', message: /asked for a word/ });
    snapshot.close();
  });
});
