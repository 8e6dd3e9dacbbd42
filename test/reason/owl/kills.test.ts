/** A process that is killed while it loads, materializes and removes an ontology leaves a store that is whole: all derived facts, or none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { killed, LIBRARY, program } from '../../storage/support/children.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { standing, withOwl } from './support.js';

const folder = new StoreFolder();
const KILLS = Number(process.env.SVC_KILLS ?? 4);
/** Enough for rows that go straight to runs as well as for those that do not. */
const DOGS = 40_000;
const DELAY_MS = 40;

function loading(path: string): string {
  return `
    const { openStore } = await import(${JSON.stringify(LIBRARY)});
    const store = await openStore(${JSON.stringify(path)}, { features: ['owl'] });
    const E = 'http://ex/';
    const below = '<http://www.w3.org/2000/01/rdf-schema#subClassOf>';
    process.stdout.write('.\\n');
    for (;;) {
      await store.loadOntology('o', '<' + E + 'Dog> ' + below + ' <' + E + 'Mammal> . <' + E + 'Mammal> ' + below + ' <' + E + 'Animal> .');
      process.stdout.write('.\\n');
      await store.removeOntology('o');
    }`;
}

test('after a kill either everything follows or nothing does', async () => {
  const path = folder.fresh();
  const first = await openLmdbEngine(path);
  const lines = Array.from({ length: DOGS }, (_, at) => `<http://ex/d${at}> a <http://ex/Dog> .`);
  await withOwl(first).load({ text: lines.join('\n'), format: 'turtle' });
  await first.close();
  let [whole, none] = [0, 0];
  for (let run = 0; run < KILLS; run++) {
    const running = program(loading(path));
    await running.said(1);
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS * run * run));
    await killed(running);
    const engine = await openLmdbEngine(path);
    const store = withOwl(engine);
    const loaded = (await store.ontologies()).length;
    const { asserted, derived } = standing(engine);
    assert.equal(asserted.length, DOGS);
    assert.equal(derived.length, loaded * 2 * DOGS);
    if (loaded === 1) whole++;
    else none++;
    const { materialized } = await store.materialize();
    assert.deepEqual([materialized?.asserted ?? 0, materialized?.retracted ?? 0], [0, 0]);
    assert.deepEqual((await engine.verify({})).problems, []);
    await store.close();
  }
  assert.equal(whole + none, KILLS);
});
