/** Entities by the text index: early ends, ties, scopes and times against a reading of everything; both engines agree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCodePoints } from '../../engine/base/text.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { idSet } from '../../engine/search/match/entity-set.js';
import { INDEX_MATCHER } from '../../engine/search/match/index-matcher.js';
import type { MatchRequest } from '../../engine/search/match/text-matcher.js';
import { textsOf } from '../../engine/search/match/texts-of.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { decodeIds, ROOT_ONLY, readRows } from '../../engine/storage/seam/rows.js';
import { CURRENT, type StorageSnapshot, type TimeSlice } from '../../engine/storage/seam/scan.js';
import { node, quad, randomNumbers } from '../storage/scan-support.js';
import { write } from '../storage/stage-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const WORDS = ['red', 'green', 'blue', 'black', 'white', 'proxy', 'server'];
const LABEL = node('label');

interface Found {
  readonly iri: string;
  readonly score: number;
}

/** Of the literals that a query finds, every entity with its best fact; then the order, then the cut. */
function plain(snapshot: StorageSnapshot, request: MatchRequest): Found[] {
  const { ids, scores } = textsOf(snapshot).best(request.query, 100_000, {}, () => undefined);
  const scoreOf = new Map(ids.map((id, at) => [id, scores[at] as number]));
  const best = new Map<bigint, number>();
  for (const batch of readRows(snapshot, {
    graphs: ROOT_ONLY,
    pattern: {},
    time: request.time,
    columns: ['s', 'p', 'o'],
  })) {
    for (let row = 0; row < batch.rows; row++) {
      const [s, p] = [batch.id('s', row), batch.id('p', row)];
      const score = (scoreOf.get(batch.id('o', row)) ?? 0) * (request.labels.includes(p) ? 1.3 : 1);
      if (request.scope !== null && !hasIn(request.scope, s)) continue;
      if (score > (best.get(s) ?? 0)) best.set(s, score);
    }
  }
  const most = Math.max(...best.values());
  const names = decodeIds(snapshot, [...best.keys()]);
  return [...best]
    .map(([, score], at) => ({ iri: names[at]?.value as string, score: score / most }))
    .sort((a, b) => b.score - a.score || compareCodePoints(a.iri, b.iri))
    .slice(0, request.limit);
}

function hasIn(scope: Uint32Array, id: bigint): boolean {
  for (let at = 0; at < scope.length; at += 2) {
    if (((BigInt(scope[at + 1] as number) << 32n) | BigInt(scope[at] as number)) === id) return true;
  }
  return false;
}

async function found(snapshot: StorageSnapshot, request: MatchRequest): Promise<Found[]> {
  const { matches } = await INDEX_MATCHER.directHits(snapshot, request, {});
  const names = decodeIds(
    snapshot,
    matches.map(({ entity }) => entity),
  );
  return matches.map(({ score }, at) => ({ iri: names[at]?.value as string, score }));
}

test('the best entities by their words, at any time, of any scope, are those of a plain reading', async () => {
  for (const seed of [11, 12]) {
    const next = randomNumbers(seed);
    const text = () => Array.from({ length: 1 + next(5) }, () => WORDS[next(WORDS.length)]).join(' ');
    const file = await openLmdbEngine(folder.fresh(), { bounds: { foldRows: 300 } });
    const engines: StorageEngine[] = [file, openMemoryEngine()];
    const known: Quad[] = [];
    let tx = 0;
    for (let round = 0; round < 12; round++) {
      const come = Array.from({ length: next(60) }, () => {
        const predicate = next(2) === 0 ? LABEL : node('says');
        const object = next(5) === 0 ? node(`e${next(40)}`) : terms.literal(text());
        return quad(node(`e${next(40)}`), predicate, object, ...(next(6) === 0 ? [node('g')] : []));
      });
      const gone = known.filter(() => next(6) === 0);
      known.push(...come);
      for (const engine of engines) await write(engine, { retract: gone, assert: come });
      if (round === 4) await file.indexTexts(['words', 'parts']);
      if (next(3) === 0) await file.fold({}, true);
      for (const engine of engines) {
        const snapshot = engine.snapshot();
        tx = snapshot.tx;
        const labels = [snapshot.encode(LABEL)].filter((id) => id !== null);
        for (let ask = 0; ask < 5; ask++) {
          const time: TimeSlice = next(2) === 0 ? CURRENT : { kind: 'asOf', tx: 1 + next(Math.max(1, tx)) };
          const some = Array.from({ length: next(20) }, () => snapshot.encode(node(`e${next(40)}`))).filter(
            (id) => id !== null,
          );
          const request: MatchRequest = {
            query: text(),
            time,
            limit: 1 + next(12),
            labels,
            scope: next(2) === 0 ? null : idSet(some),
            kinds: ['label', 'literal'],
          };
          assert.deepEqual(
            await found(snapshot, request),
            plain(snapshot, request),
            JSON.stringify([request.query, time], (_, v) => (typeof v === 'bigint' ? `${v}` : v)),
          );
        }
        snapshot.close();
      }
    }
    for (const engine of engines) await engine.close();
  }
});

test('numbers and dates are found as they are written, IRIs by the words of their names', async () => {
  for (const engine of [await openLmdbEngine(folder.fresh()), openMemoryEngine()]) {
    const xsd = (name: string) => terms.namedNode(`http://www.w3.org/2001/XMLSchema#${name}`);
    await write(engine, {
      assert: [
        quad(node('a'), node('port'), terms.literal('443', xsd('integer'))),
        quad(node('b'), node('since'), terms.literal('2024-02-29', xsd('date'))),
        quad(node('webProxy_1'), node('on'), node('a')),
        quad(node('reproxyfied'), node('says'), terms.literal('nothing')),
      ],
    });
    const snapshot = engine.snapshot();
    const ask = async (query: string): Promise<string[]> => {
      const request: MatchRequest = {
        query,
        time: CURRENT,
        limit: 10,
        labels: [],
        scope: null,
        kinds: ['iri', 'label', 'literal', 'object'],
      };
      return (await found(snapshot, request)).map(
        ({ iri, score }) => `${iri.slice(iri.lastIndexOf('/') + 1)} ${score}`,
      );
    };
    assert.deepEqual(await ask('443'), ['a 0.7']);
    assert.deepEqual(await ask('2024-02-29'), ['b 0.7']);
    assert.deepEqual(await ask('proxy'), ['webProxy_1 1', 'reproxyfied 0.5']);
    const within = await INDEX_MATCHER.containing(snapshot, { text: '24-0', time: CURRENT, position: 'o' }, {});
    assert.deepEqual(
      snapshot.decode(within, within.length / 2).map(({ value }) => value),
      ['2024-02-29'],
    );
    snapshot.close();
    await engine.close();
  }
});
