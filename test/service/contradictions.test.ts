/** Contradictions of all of ROOT (semantics of graphs, 1.5): of predicates that stored shapes give one value. */
import assert from 'node:assert/strict';
import { EX, knot, onBothStores, T } from './time-support.js';

onBothStores(
  'contradictions of all of ROOT are those of predicates that stored shapes give one value',
  async (store) => {
    const pairs = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { entity, predicate } of store.contradictions())
        found.push(`${entity.value} ${predicate.value}`);
      return found;
    };
    await knot(store, 'ex:a ex:p 1, 2 ; ex:q 1, 2 ; ex:r 1, 2 ; ex:s 1, 2 . ex:b ex:p 1, 2 .', { timestamp: T(1) });
    assert.deepEqual(await pairs(), []);
    const property = (path: string, most: number) => `sh:property [ sh:path ${path} ; sh:maxCount ${most} ]`;
    const shapes = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> .
    ex:S a sh:NodeShape ; sh:targetClass ex:C ; ${property('ex:p', 1)} ; ${property('ex:q', 2)} ; ${property('[ sh:inversePath ex:s ]', 1)} .`;
    await store.loadShapes('one', shapes);
    await store.loadShapes(
      'two',
      `@prefix sh: <http://www.w3.org/ns/shacl#> . <${EX}R> a sh:PropertyShape ; sh:path <${EX}r> ; sh:maxCount 01 .`,
    );
    assert.deepEqual(await pairs(), [`${EX}a ${EX}p`, `${EX}a ${EX}r`, `${EX}b ${EX}p`]);
    await store.removeShapes('two');
    assert.deepEqual(await pairs(), [`${EX}a ${EX}p`, `${EX}b ${EX}p`]);
    assert.equal((await store.detectContradictions(`${EX}a`, `${EX}q`)).length, 1);
  },
);
