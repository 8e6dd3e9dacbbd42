/** What the gate reads for a small write does not grow with the store, nor with how many nodes its shapes have as targets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readShapes } from '../../engine/graphs/shapes/read-shapes.js';
import { terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { judgeChange } from '../../engine/validate/changes/judge-change.js';
import { compileShapes } from '../../engine/validate/shapes/compile-shapes.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const node = (name: string) => terms.namedNode(`http://e/${name}`);
const TYPE = terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');
const KINDS = 10;

const SHAPES = Array.from(
  { length: KINDS },
  (_, at) => `e:S${at} a sh:NodeShape ; sh:targetClass e:C${at} ;
  sh:property [ sh:path e:name ; sh:minCount 1 ; sh:maxCount 1 ] , [ sh:path e:boss ; sh:class e:C${at} ] , [ sh:path ( e:boss e:name ) ; sh:minCount 1 ] .`,
).join('\n');

/** Rows that are looked at, and blocks that are read, to judge one new person among so many. */
async function workAmong(people: number): Promise<{ readonly rows: number; readonly blocks: number }> {
  const text = Array.from(
    { length: people },
    (_, at) =>
      `<http://e/p${at}> a <http://e/C${at % KINDS}> ; <http://e/name> "n${at}" ; <http://e/boss> <http://e/p${at % KINDS}> .`,
  ).join('\n');
  const engine = await openLmdbEngine(folder.fresh());
  const bytes = new TextEncoder().encode(text);
  await (await engine.stageLoad([{ kind: 'bytes', bytes, name: 'people', format: 'turtle' }], {}, {})).commit().durable;
  const prefixes = '@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://e/> .\n';
  const shapes = compileShapes((await readShapes(prefixes + SHAPES, 'shapes', 's')).quads);
  const stage = engine.stage({});
  stage.assert([
    terms.quad(node('new'), TYPE, node('C3')),
    terms.quad(node('new'), node('name'), terms.literal('new')),
    terms.quad(node('new'), node('boss'), node('p13')),
  ]);
  const [before, after] = [stage.before(), stage.snapshot()];
  const judgement = await judgeChange(
    shapes,
    { before: { snapshot: before }, after: { snapshot: after }, rows: () => after.changes(after.tx) },
    {},
  );
  assert.equal(judgement?.results.count, 0);
  judgement?.results.view.close();
  const work = [before.counters, after.counters];
  const sum = (name: 'rowsScanned' | 'blocksRead') => work.reduce((all, counters) => all + counters[name], 0);
  const found = { rows: sum('rowsScanned'), blocks: sum('blocksRead') };
  before.close();
  after.close();
  stage.discard();
  await engine.close();
  return found;
}

test('judging a small write reads as little in a large store as in a small one', async () => {
  const small = await workAmong(2000);
  const large = await workAmong(60_000);
  assert.ok(large.rows <= small.rows + 20, `${large.rows} rows in the large store, ${small.rows} in the small one`);
  assert.ok(
    large.blocks <= 2 * small.blocks + 20,
    `${large.blocks} blocks in the large store, ${small.blocks} in the small one`,
  );
});
