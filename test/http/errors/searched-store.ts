/** A store that searches have something to find in: 40 entities of one name, each with a vector, the first with many facts and links. */
import assert from 'node:assert/strict';
import { hashOfText, textsOf } from '../../../engine/storage/indexes/vectors/entity-text.js';
import { putVectors } from '../../../engine/storage/indexes/vectors/put-vectors.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { lookInto } from '../../../engine/storage/seam/rows.js';
import { CURRENT } from '../../../engine/storage/seam/scan.js';
import { openStore, terms } from '../../../interfaces/library/index.js';

export const FOUND = 'http://found.org/';
export const COUNT = 40;

export async function fillSearched(path: string): Promise<void> {
  const label = '<http://www.w3.org/2000/01/rdf-schema#label>';
  const names = Array.from({ length: COUNT }, (_, at) => `<${FOUND}${at}> ${label} "quokka" .`);
  const facts = Array.from({ length: 25 }, (_, at) => `<${FOUND}0> <${FOUND}p> ${at} .`);
  const links = Array.from(
    { length: 15 },
    (_, at) => `<${FOUND}0> <${FOUND}q> <urn:out:${at}> . <urn:in:${at}> <${FOUND}q> <${FOUND}0> .`,
  );
  const store = await openStore(path);
  await store.load({ text: [...names, ...facts, ...links].join('\n'), format: 'turtle' });
  await store.close();
  const engine = await openLmdbEngine(path);
  const vectors = lookInto(engine.snapshot(), (snapshot) => {
    const ids = Array.from({ length: COUNT }, (_, at) => snapshot.encode(terms.namedNode(`${FOUND}${at}`)) as bigint);
    const hashes = new Map(textsOf(snapshot, ids, CURRENT).map(({ entity, text }) => [entity, hashOfText(text)]));
    return ids.map((entity, at) => ({
      entity,
      textHash: hashes.get(entity) as bigint,
      vector: Float32Array.of(1, at / COUNT),
    }));
  });
  assert.equal((await putVectors(engine, 'test', 2, vectors)).put, COUNT);
  await engine.close();
}
