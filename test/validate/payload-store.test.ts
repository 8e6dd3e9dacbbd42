/** Large documents are judged in a store of their own: with the same report as small ones, and nothing of it stays. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { openStore, type SvcError } from '../../interfaces/library/index.js';
import { PREFIXES } from './support.js';

/** More bytes than a document may have that is read into memory, and no statement. */
const PADDING = `# ${'x'.repeat(1022)}\n`.repeat(160);

const SHAPES = `${PREFIXES}
:S a sh:NodeShape ; sh:targetClass :Person ;
  sh:property [ sh:path :name ; sh:minCount 1 ; sh:datatype xsd:string ; sh:maxCount 1 ] ;
  sh:property [ sh:path :knows ; sh:class :Person ; sh:nodeKind sh:BlankNodeOrIRI ] ;
  sh:sparql [ sh:message "old" ; sh:select """SELECT $this ?value WHERE { $this <http://example.org/age> ?value FILTER (?value > 150) }""" ] .`;

const DATA = `${PREFIXES}
:Student rdfs:subClassOf :Person .
:a a :Person ; :name "a" ; :knows _:b, :c ; :age 151 .
_:b a :Student ; :name "b", "bb" .
:c :name "c"@en .
:G { :d a :Student ; :age 200, 1 . :a :name 5 }
_:g { :e a :Person . :d :knows "text" }
`;

function abandoned(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('svc-memory-') && name.includes(`-${process.pid}-`));
}

test('the report is that of a small document, graphs and blank nodes included', async () => {
  const store = await openStore(':memory:');
  try {
    const before = abandoned();
    const small = await store.validate(DATA, { shapes: SHAPES, format: 'trig' });
    const large = await store.validate(PADDING + DATA, { shapes: SHAPES, format: 'trig' });
    const sorted = (report: typeof small): string[] => report.violations.map((one) => JSON.stringify(one)).sort();
    assert.ok(small.violations.length > 8);
    assert.deepEqual(sorted(large), sorted(small));
    assert.equal((await store.validate(PADDING, { shapes: SHAPES })).conforms, true);
    assert.deepEqual(abandoned(), before);
  } finally {
    await store.close();
  }
});

test('a fault is told with its line, a cancelled validation stops, and no file is left', async () => {
  const store = await openStore(':memory:');
  try {
    const before = abandoned();
    await assert.rejects(
      store.validate(`${PADDING}<http://a> <http://b> .`, { shapes: SHAPES }),
      (error: SvcError) => error.code === 'parse_error' && error.position?.line === 161,
    );
    const signal = AbortSignal.abort();
    await assert.rejects(store.validate(PADDING + DATA, { shapes: SHAPES, format: 'trig', signal }));
    assert.deepEqual(abandoned(), before);
  } finally {
    await store.close();
  }
});
