/** Vectors in the store: held against plain lists over random histories, in a file and in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import { putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import { VECTORS } from '../../engine/storage/indexes/vectors/vectors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { randomNumbers } from './scan-support.js';
import { write } from './stage-support.js';
import { StoreFolder } from './support/store-folder.js';
import {
  type Answer,
  type Asked,
  answerOf,
  labelled,
  linked,
  newVector,
  VectorOracle,
} from './support/vector-oracle.js';

const folder = new StoreFolder();
const DIMENSION = 5;
const NAMES = Array.from({ length: 40 }, (_, at) => `e${at}`);
const WORDS = ['red', 'green', 'blue', 'black'];

/** Of few different vectors, so that many score alike; some are all zeros. */
function smallVector(next: (below: number) => number): Float32Array {
  return Float32Array.from({ length: DIMENSION }, () => next(3) - 1);
}

async function assertAnswers(snapshot: StorageSnapshot, oracle: VectorOracle, asked: Asked, what: string) {
  const expected = oracle.nearest(asked);
  for (const backend of ['brute', 'ann'] as const) {
    assert.deepEqual(await answerOf(snapshot, asked, backend), expected, `${what}, ${backend}`);
  }
}

test('random histories: texts change, vectors come, files are folded and opened again', async () => {
  const path = folder.fresh();
  const bounds = { foldRows: 60 };
  let file: StorageEngine = await openLmdbEngine(path, { bounds });
  const memory = openMemoryEngine();
  const oracle = new VectorOracle();
  const next = randomNumbers(11);
  const pick = <Item>(items: readonly Item[]): Item => items[next(items.length)] as Item;
  let timestamp = 1000;
  const asked = (): Asked => ({
    query: smallVector(next),
    limit: 1 + next(12),
    validAt: next(3) === 0 ? 990 + next(timestamp - 960) : undefined,
    asOf: next(4) === 0 ? next(100) : undefined,
    among: next(3) === 0 ? new Set(NAMES.filter(() => next(4) === 0)) : undefined,
  });
  let kept: { snapshots: StorageSnapshot[]; questions: { asked: Asked; answer: Answer }[] } | null = null;
  for (let round = 0; round < 150; round++) {
    const kind = next(5);
    timestamp += next(30) - 5;
    if (kind <= 1) {
      const labels = new Map<string, string | null>();
      for (let at = next(6); at >= 0; at--) labels.set(pick(NAMES), next(4) === 0 ? null : `${pick(WORDS)} ${next(3)}`);
      const retract = [...labels.keys()].flatMap((name) => {
        const known = oracle.labels.get(name);
        return known === undefined ? [] : [labelled(name, known.text)];
      });
      const added = [...labels].flatMap(([name, text]) => (text === null ? [] : [labelled(name, text)]));
      const change = { timestamp, recordEmpty: true, retract, assert: [...added, linked(pick(NAMES), pick(NAMES))] };
      const { tx } = await write(file, change);
      assert.equal((await write(memory, change)).tx, tx);
      oracle.changed(labels, tx, timestamp);
    } else if (kind <= 3) {
      const some = NAMES.filter(() => next(3) === 0).map((name) => {
        const text = next(6) === 0 ? 'something else' : (oracle.labels.get(name)?.text ?? 'nothing');
        return { name, text, vector: smallVector(next) };
      });
      const counts = { put: 0, stale: 0, present: 0 };
      for (const { name, text, vector } of some) counts[oracle.put(name, text, vector)]++;
      for (const engine of [file, memory]) {
        const vectors = some.map(({ name, text, vector }) => newVector(engine, name, text, vector));
        assert.deepEqual(await putVectors(engine, 'model', DIMENSION, vectors), counts, `round ${round}`);
      }
    } else for (const engine of [file, memory]) await (next(2) === 0 ? engine.fold({}) : foldVectors(engine));
    if (round % 20 === 19) {
      await file.close();
      file = await openLmdbEngine(path, { bounds });
    }
    const snapshots = [file.snapshot(), memory.snapshot()];
    const questions = Array.from({ length: 4 }, asked);
    for (const question of questions) {
      for (const snapshot of snapshots) await assertAnswers(snapshot, oracle, question, `round ${round}`);
    }
    for (const snapshot of snapshots) {
      const reader = VECTORS.at(snapshot.indexView());
      assert.equal(reader.embedded, oracle.rows.filter(({ end }) => end === null).length);
    }
    // A snapshot sees what it saw, whatever was written since.
    if (round % 10 === 2) {
      kept = { snapshots, questions: questions.map((one) => ({ asked: one, answer: oracle.nearest(one) })) };
    } else {
      for (const snapshot of snapshots) snapshot.close();
      if (round % 10 === 8 && kept !== null) {
        for (const { asked: question, answer } of kept.questions) {
          for (const snapshot of kept.snapshots) assert.deepEqual(await answerOf(snapshot, question, 'brute'), answer);
        }
        for (const snapshot of kept.snapshots) snapshot.close();
        kept = null;
      }
    }
  }
  assert.ok(oracle.rows.length > 100 && oracle.rows.some(({ end }) => end !== null));
  for (const engine of [file, memory]) {
    assert.deepEqual((await engine.verify({})).problems, []);
    await engine.close();
  }
});
