/** Facts that are derived are known by the sources of rules and ontologies: no caller may write under one of these. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RDF_NS, terms } from '../../engine/rdf/terms.js';
import { openStore } from '../../interfaces/library/index.js';
import { EX, rulesOf } from './rules/support.js';

const node = (name: string) => terms.namedNode(EX + name);
const EDGE = terms.quad(node('a'), node('p'), node('b'));
const REFUSED = /is the source of facts that are derived/;

for (const source of ['reasoner:R', 'reasoner:', 'owl:materialize', 'owl:materialize again']) {
  test(`nothing is written under the source ${JSON.stringify(source)}`, async () => {
    const store = await openStore(':memory:', { features: ['owl', 'reactive-reasoner'] });
    await store.loadShapes(
      'rules',
      `${rulesOf('R: q(?x, ?y) :- p(?x, ?y)')}<${EX}set> a rule:RuleSet ; rule:defaultPrefix "${EX}" .`,
    );
    await assert.rejects(store.transact({ assert: [EDGE] }, { source }), REFUSED);
    await assert.rejects(store.load({ text: `<${EX}a> <${EX}p> <${EX}b> .`, format: 'turtle' }, { source }), REFUSED);
    assert.equal(await store.ask('ASK { ?s ?p ?o }'), false);
    assert.equal(store.transactions().length, 1);
    await store.close();
  });
}

test('sources that only resemble them are those of callers: rules follow, and ontologies take nothing away', async () => {
  const store = await openStore(':memory:', { features: ['owl', 'reactive-reasoner'] });
  await store.loadShapes(
    'rules',
    `${rulesOf('R: q(?x, ?y) :- p(?x, ?y)')}<${EX}set> a rule:RuleSet ; rule:defaultPrefix "${EX}" .`,
  );
  await store.transact({ assert: [EDGE] }, { source: 'my reasoner:R' });
  await store.transact(
    { assert: [terms.quad(node('x'), terms.namedNode(`${RDF_NS}type`), node('A'))] },
    { source: 'OWL:materialize' },
  );
  await store.loadOntology('o', `<${EX}A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <${EX}B> .`);
  assert.equal(await store.ask(`ASK FROM <urn:svc:graph:root#inferred> { <${EX}a> <${EX}q> <${EX}b> }`), true);
  assert.equal(await store.ask(`ASK { <${EX}x> a <${EX}A>, <${EX}B> }`), true);
  await store.close();
});
