/** Severities of one's own, features that are not evaluated, and what two documents say alike. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { PREFIXES, report, shapesOf } from './support.js';

const FATAL = ':S sh:targetNode :a ; sh:property [ sh:path :p ; sh:minCount 1 ; sh:severity :Fatal ] .';

test('results of a severity that SHACL does not name are infos with its IRI, and block nothing', async () => {
  for (const [severity, shown] of [
    [':Fatal', 'http://example.org/Fatal'],
    ['sh:Debug', 'http://www.w3.org/ns/shacl#Debug'],
    ['<urn:x:Violation>', 'urn:x:Violation'],
  ] as const) {
    const { conforms, violations, warnings, infos } = await report(FATAL.replace(':Fatal', severity), ':a :q 1 .');
    assert.deepEqual([conforms, violations.length, warnings.length], [true, 0, 0]);
    assert.deepEqual(
      infos.map((info) => info.severity),
      [shown],
    );
  }
});

test('a write that breaks such a shape is written, and says so among its infos', async () => {
  const store = await openStore(':memory:');
  await store.loadShapes('fatal', PREFIXES + FATAL.replace('sh:targetNode :a', 'sh:targetClass :C'));
  const receipt = await store.load({ text: '<http://example.org/a> a <http://example.org/C> .', format: 'turtle' });
  assert.equal(receipt.tx, 2);
  assert.deepEqual(
    receipt.findings.map(({ severity, focusNode }) => [severity, focusNode]),
    [['http://example.org/Fatal', 'http://example.org/a']],
  );
  await store.close();
});

test('features that are not evaluated are refused by name, where shapes are loaded and where they are tried', async () => {
  const store = await openStore(':memory:');
  for (const [name, text] of [
    ['rule', ':S a sh:NodeShape ; sh:targetClass :C ; sh:rule [ a sh:TripleRule ] .'],
    ['expression', ':S sh:targetClass :C ; sh:expression [ sh:path :p ] .'],
    ['values', ':S sh:targetClass :C ; sh:property [ sh:path :p ; sh:values [ sh:path :q ] ] .'],
    ['target', ':S a sh:NodeShape ; sh:target [ a sh:SPARQLTarget ; sh:select "SELECT ?this { ?this ?p ?o }" ] .'],
    ['js', ':S sh:targetClass :C ; sh:js [ sh:jsFunctionName "f" ] .'],
    ['memberShape', ':S sh:targetClass :C ; sh:property [ sh:path :p ; sh:memberShape [ sh:class :D ] ] .'],
  ] as const) {
    const refused = { code: 'unsupported', message: new RegExp(`sh:${name} of .* is not evaluated`) };
    await assert.rejects(shapesOf(text), refused, name);
    await assert.rejects(store.loadShapes('set', PREFIXES + text), refused, name);
    await assert.rejects(store.validate('', { shapes: PREFIXES + text }), refused, name);
  }
  const query = '"SELECT $this { $this a ?c FILTER(<urn:near>(?c)) }"';
  const near = `${PREFIXES}:S sh:targetClass :C ; sh:sparql [ sh:message "no" ; sh:select ${query} ] .`;
  await assert.rejects(store.loadShapes('set', near), { code: 'unsupported', message: /function <urn:near>/ });
  assert.deepEqual(store.transactions(), []);
  await store.close();
});

test('what two documents say of one shape is told once, and what they say differently twice', async () => {
  const shape = (path: string, count: number): string =>
    `:S sh:targetNode :a ; sh:property [ sh:path ${path} ; sh:minCount ${count} ] .`;
  const paths = async (...texts: string[]): Promise<(string | null)[]> =>
    (await report(texts.join('\n'), ':a :q 1 .')).violations.map(({ path }) => path);
  const [p, r] = ['http://example.org/p', 'http://example.org/r'];
  assert.deepEqual(await paths(shape(':p', 1), shape(':p', 1)), [p]);
  assert.deepEqual(await paths(shape(':p', 1), shape(':p', 2)), [p, p]);
  assert.deepEqual(await paths(shape(':p', 1), shape(':r', 1)), [p, r]);
});
