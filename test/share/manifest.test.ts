/** The manifest of a share: its canonical JSON, its id by the vectors of the specification, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, finishManifest, parseManifest, shareIdOf, writeManifest } from '../../engine/share/manifest.js';
import { VECTOR } from './vector.js';

test('the share ids of section 6.5, without a parent and with one', () => {
  assert.equal(shareIdOf(VECTOR), 'sha256:8fb1cb1ce17a0d76b0b1b0fa2cb9692e21ce963c42fa697b88682df23bccf1d4');
  const child = { ...VECTOR, lineage: { ...VECTOR.lineage, parent_share: `sha256:${'0'.repeat(64)}` } };
  assert.equal(shareIdOf(child), 'sha256:c96fec11feb4923653d301d37c019fc1e719b53bf075d8a22046d5195b8c28c2');
});

test('a manifest is written as canonical JSON with one line feed, and read back as what it was', () => {
  const manifest = finishManifest(VECTOR);
  const text = writeManifest(manifest);
  assert.match(text, /^\{"canonicalization":"rdfc-1.0\+ntriples","counts":.*"version":"v1"\}\n$/);
  assert.deepEqual(parseManifest(text), manifest);
});

test('fields that v1 does not know are kept, and the id covers them', () => {
  const more = finishManifest({ ...VECTOR, note: { b: 1, a: ['x'] } });
  const read = parseManifest(writeManifest(more));
  assert.deepEqual(read.note, { a: ['x'], b: 1 });
  assert.equal(shareIdOf(read), more.share_id);
  assert.notEqual(more.share_id, shareIdOf(VECTOR));
});

test('canonical JSON: the sequence of keys does not count, numbers and texts have one spelling', () => {
  assert.equal(
    canonicalJson({ b: [1e21, 0.1, -0, 1.0], a: '\u20ac\u0007"\\/' }),
    '{"a":"€\\u0007\\"\\\\/","b":[1e+21,0.1,0,1]}',
  );
  assert.equal(canonicalJson({ '\ufb33': 1, '\u{1f600}': 2, '1': 3 }), '{"1":3,"😀":2,"\ufb33":1}');
  for (const value of ['\ud800', { '\udc00': 1 }, Number.POSITIVE_INFINITY]) {
    assert.throws(() => canonicalJson(value), { code: 'invalid_request', message: /no canonical JSON/ });
  }
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

const REFUSED: readonly (readonly [string, object, RegExp])[] = [
  ['another version', { version: 'v2' }, /version is "v2"; expected "v1"/],
  ['no version', { version: undefined }, /version is missing/],
  ['an id in capitals', { share_id: `sha256:${'A'.repeat(64)}` }, /share_id/],
  ['an unknown kind', { scope: { kind: 'dataset', value: 'x' } }, /scope.kind is "dataset"; expected one of root/],
  ['a ROOT with a value', { scope: { kind: 'root', value: 'x' } }, /scope.value/],
  ['a graph without one', { scope: { kind: 'graph', value: null } }, /scope.value/],
  [
    'another file',
    { files: { ...VECTOR.files, 'view.ttl': VECTOR.files['export.nt'] } },
    /exactly export.nt and shapes/,
  ],
  [
    'a hash that is none',
    { files: { ...VECTOR.files, 'export.nt': { sha256: 'x', bytes: 1 } } },
    /export.nt"\].sha256/,
  ],
  ['a negative count', { counts: { triples: -1, blank_nodes: 0, shapes: 0 } }, /counts.triples is -1/],
  ['a count that is no integer', { counts: { triples: 1.5, blank_nodes: 0, shapes: 0 } }, /counts.triples/],
  ['more shapes than it names', { counts: { triples: 0, blank_nodes: 0, shapes: 2 } }, /counts.shapes is 2/],
  ['a store that is none', { lineage: { ...VECTOR.lineage, store: 'urn:x' } }, /lineage.store/],
  ['a parent that is none', { lineage: { ...VECTOR.lineage, parent_share: '' } }, /lineage.parent_share/],
  ['another canonicalization', { canonicalization: 'none' }, /canonicalization/],
];

for (const [what, change, message] of REFUSED) {
  test(`a manifest is refused with ${what}`, () => {
    const text = JSON.stringify({ ...finishManifest(VECTOR), ...change });
    assert.throws(() => parseManifest(text), { code: 'invalid_request', message });
  });
}

test('texts that are no manifest at all, too deep, too long, or with a key that stands twice', () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const whole = writeManifest(finishManifest(VECTOR)).trimEnd();
  for (const [text, message] of [
    ['{', /not JSON/],
    ['[]', /expected an object/],
    [deep, /nested more than 64 deep/],
    [`${whole.slice(0, -1)},"x":${deep}}`, /nested more than 64 deep/],
    [`${whole.slice(0, -1)},"version":"v1"}`, /"version" stands twice/],
    [`${whole.slice(0, -1)},"\\u0076ersion":"v1"}`, /stands twice/],
    [' '.repeat(5 * 2 ** 20), /characters; at most/],
  ] as const) {
    assert.throws(() => parseManifest(text), { code: 'invalid_request', message }, text.slice(0, 40));
  }
});
