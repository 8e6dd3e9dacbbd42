/** Stored shapes are compiled once, whoever asks for them; compiling many can be stopped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledSets } from '../../engine/graphs/shapes/compiled-sets.js';
import { readShapes } from '../../engine/graphs/shapes/read-shapes.js';
import { terms } from '../../engine/rdf/terms.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { loadShapes } from '../../engine/service/writes/shape-sets.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { compileInTurns } from '../../engine/validate/shapes/compile-shapes.js';
import { contextOf } from './write-support.js';

const HEAD = '@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://e/> .\n';
const shape = (name: string): string =>
  `e:${name} a sh:NodeShape ; sh:targetClass e:C ; sh:property [ sh:path e:p ] .\n`;

test('what was checked before it was stored judges without being compiled again', async () => {
  const engine = openMemoryEngine();
  const pipeline = new WritePipeline(engine);
  const write = (name: string) =>
    pipeline.transact(
      (stage) => {
        stage.assert([
          terms.quad(terms.namedNode(`http://e/${name}`), terms.namedNode('http://e/p'), terms.literal('x')),
        ]);
      },
      {},
      {},
    );
  await loadShapes.run(contextOf(engine, pipeline), { name: 'a', turtle: HEAD + shape('A') }, {});
  assert.equal((await write('one')).judged, true);
  assert.equal(pipeline.compiledSets.compilations, 0, 'one set is what its check has compiled');
  await loadShapes.run(contextOf(engine, pipeline), { name: 'b', turtle: HEAD + shape('B') }, {});
  await write('two');
  await write('three');
  assert.equal(pipeline.compiledSets.compilations, 1, 'both sets together, for the check and for all writes');
});

test('compiling thousands of shapes gives the event loop its turns, and stops when it is told to', async () => {
  const text = HEAD + Array.from({ length: 5000 }, (_, at) => shape(`S${at}`)).join('');
  const { quads } = await readShapes(text, 'shapes', 's');
  const abort = new AbortController();
  setImmediate(() => abort.abort());
  await assert.rejects(compileInTurns(quads, { signal: abort.signal }), { code: 'aborted' });
  const raised = { words: new Int32Array(new SharedArrayBuffer(4)).fill(1), at: 0 };
  await assert.rejects(new CompiledSets().of([{ name: 's', turtle: text }], { flag: raised }), { code: 'aborted' });
});
