/** A write that touches no rule does no work for rules: no snapshot is opened, nothing is read; and what is known of predicates stays right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terms } from '../../../engine/rdf/terms.js';
import { Store } from '../../../engine/service/store/store.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { ENGINES } from '../owl/support.js';
import { EX, rulesOf } from './support.js';

const node = (name: string) => terms.namedNode(EX + name);
const fact = (s: string, p: string, o: string) => terms.quad(node(s), node(p), node(o));
const RULES = `${rulesOf('R: q(?x, ?z) :- p(?x, ?y), p(?y, ?z)')}<${EX}set> a rule:RuleSet ; rule:defaultPrefix "${EX}" .\n`;
const REFUSING = `@prefix sh: <http://www.w3.org/ns/shacl#> . <${EX}Shape> sh:targetNode <${EX}a> ; sh:property [ sh:path <${EX}other> ; sh:maxCount 0 ] .`;

/** Counts the snapshots that are opened of the stages of writes. */
function counting(engine: StorageEngine): () => number {
  let opened = 0;
  const stage = engine.stage.bind(engine);
  engine.stage = (options) => {
    const made = stage(options);
    const snapshot = made.snapshot.bind(made);
    made.snapshot = () => {
      opened++;
      return snapshot();
    };
    return made;
  };
  return () => opened;
}

for (const [name, open] of ENGINES) {
  test(`a write of predicates that no rule names opens as many snapshots as without rules (${name})`, async () => {
    const opened: number[] = [];
    for (const features of [[], ['reactive-reasoner']] as const) {
      const engine = await open();
      const store = new Store(engine, { features });
      await store.loadShapes('rules', RULES);
      await store.transact({ assert: [fact('a', 'p', 'b'), fact('b', 'p', 'c'), fact('a', 'note', 'b')] });
      // The graph of derived facts is new: the next write looks at the stored rules again.
      await store.transact({ assert: [fact('c', 'note', 'x')] });
      const count = counting(engine);
      for (let at = 0; at < 10; at++) await store.transact({ assert: [fact(`m${at}`, 'note', 'x')] });
      for (let at = 0; at < 10; at++) await store.transact({ retract: [fact(`m${at}`, 'note', 'x')] });
      opened.push(count());
      await store.close();
    }
    assert.equal(opened[1], opened[0]);
  });

  test(`the id of a predicate that came with a refused write may come to be that of one that rules name (${name})`, async () => {
    const store = new Store(await open(), { features: ['reactive-reasoner'] });
    await store.loadShapes('rules', RULES);
    await store.transact({ assert: [fact('a', 'note', 'b'), fact('b', 'note', 'c')] });
    await store.loadShapes('refusing', REFUSING);
    await store.transact({ assert: [fact('b', 'note', 'a')] });
    await assert.rejects(store.transact({ assert: [fact('a', 'other', 'b')] }), /other/);
    // Its new term gets the id that the one of the refused write had.
    await store.transact({
      assert: [fact('a', 'p', 'b'), fact('b', 'p', 'c')],
    });
    const derived = await store.ask(`ASK FROM <urn:svc:graph:root#inferred> { <${EX}a> <${EX}q> <${EX}c> }`);
    assert.equal(derived, true);
    await store.close();
  });
}
