/** Bundles that are refused (semantics of graphs, 6.8 A): nothing of them is stored, and the message says what is wrong where. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { canonicalJson } from '../../engine/share/manifest.js';
import { type BundleInput, openStore, type Store } from '../../interfaces/library/index.js';
import { bundleOf, bundleOfLines, EX } from './bundle-support.js';

const store = await openStore(':memory:');
await store.load({ text: `<${EX}s> <${EX}p> "x" .`, format: 'turtle' });
const folder = mkdtempSync(join(tmpdir(), 'svc-import-'));
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** All that a store shows of what it holds. */
async function stateOf(one: Store): Promise<string> {
  let text = '';
  for await (const chunk of one.export('nquads')) text += Buffer.from(chunk).toString();
  const { graphs } = await one.graphs();
  return JSON.stringify([one.transactions(), graphs, text]);
}

async function refused(input: BundleInput | string, expected: RegExp, code?: string): Promise<void> {
  const before = await stateOf(store);
  await assert.rejects(store.importShare(input, { source: 'peer' }), (error: Error & { code: string }) => {
    assert.match(error.message, expected);
    if (code !== undefined) assert.equal(error.code, code);
    return true;
  });
  assert.equal(await stateOf(store), before);
}

const A = `<${EX}a> <${EX}p> "x" .\n`;
const B = `<${EX}b> <${EX}p> "x" .\n`;
const line = (object: string) => `<${EX}a> <${EX}p> ${object} .\n`;

test('IM-2: a byte of the triples changed, or a field of the manifest', async () => {
  const bundle = await bundleOf('ex:a a ex:Host ; ex:p "x" .');
  await refused({ ...bundle, exportNTriples: bundle.exportNTriples.replace('"x"', '"y"') }, /SHA-256/);
  await refused({ ...bundle, exportNTriples: `${bundle.exportNTriples}\n` }, /bytes/);
  await refused({ ...bundle, manifest: { ...bundle.manifest, generator: 'other' } }, /share id/);
  await refused({ ...bundle, manifest: { ...bundle.manifest, more: 1 } }, /share id/);
  await refused({ ...bundle, shapesTurtle: ' ' }, /shapes\.ttl has 1 bytes/);
  await refused({ ...bundle, manifest: { ...bundle.manifest, version: 'v2' } }, /version/);
});

test('a field that the manifest of v1 does not know is accepted, and covered by the share id', async () => {
  const bundle = await bundleOf('ex:a ex:more 1 .', { more: { deep: [1] } });
  const one = await openStore(':memory:');
  assert.equal((await one.importShare(bundle, { source: 'peer' })).outcome, 'staged');
  await one.close();
});

const SYNTAX: readonly (readonly [what: string, lines: string, expected: RegExp])[] = [
  ['lines that are not sorted', B + A, /sorted/],
  ['a line that is there twice', A + A, /there twice/],
  ['no line feed at the end', A.trimEnd(), /line feed/],
  ['an empty line', `${A}\n${B}`, /subject/],
  ['a comment', `# hello\n${A}`, /subject/],
  ['carriage returns', A.replace('\n', '\r\n'), /has to end/],
  ['a byte order mark', `\ufeff${A}`, /subject/],
  ['two spaces', A.replace(' <', '  <'), /one space/],
  ['two spaces behind the subject of the line before', `${A}${A.replace('> <', '>  <')}`, /a predicate is expected/],
  ['two spaces behind the predicate of the line before', `${A}${A.replace('> "', '>  "')}`, /an object is expected/],
  ['a subject of the line before without a predicate', `${A}<${EX}a> "x" .\n`, /a predicate is expected/],
  ['a tab', A.replace(' <', '\t<'), /one space/],
  ['no space before the full stop', A.replace(' .', '.'), /has to end/],
  ['a fourth term', A.replace(' .', ` <${EX}g> .`), /has to end/],
  ['a printable character that is escaped', line('"\\u00e9"'), /not canonical/],
  ['an escape of eight digits', line('"\\U0001F600"'), /not canonical/],
  ['a control that has a name, by its number', line('"\\u000A"'), /not canonical/],
  ['lower-case digits of an escape', line('"\\u001f"'), /not canonical/],
  ['an escaped single quote', line(`"\\'"`), /not canonical/],
  ['a control that stands as itself', line('"\u0001"'), /control character/],
  ['a tab that stands as itself', line('"\t"'), /control character/],
  ['DEL that stands as itself', line('"\u007f"'), /control character/],
  ['a literal without its end', line('"x'), /not closed/],
  ['xsd:string written out', line('"x"^^<http://www.w3.org/2001/XMLSchema#string>'), /left out/],
  [
    'rdf:langString without a tag',
    line('"x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>'),
    /language tag/,
  ],
  ['a relative datatype', line('"x"^^<int>'), /absolute/],
  ['a language tag in upper case', line('"x"@EN'), /lower case/],
  ['no language tag', line('"x"@'), /lower case/],
  ['a relative IRI', line('<b>'), /absolute/],
  ['an escape in an IRI', line(`<${EX}\\u00e9>`), /no IRI/],
  ['a space in an IRI', line(`<${EX}a b>`), /no IRI/],
  ['a literal as a subject', `"x" <${EX}p> "x" .\n`, /subject/],
  ['a blank node as a predicate', `<${EX}a> _:c14n0 "x" .\n`, /predicate/],
  ['a triple term', line(`<<( <${EX}a> <${EX}p> "x" )>>`), /triple term/],
  ['a variable', line('?x'), /object/],
  ['a label that is not canonical', line('_:b0'), /c14n0/],
  ['a label with a zero in front', line('_:c14n01'), /c14n0/],
  ['a label without a number', line('_:c14n'), /c14n0/],
  ['a label of twenty digits', line('_:c14n12345678901234567890'), /c14n0/],
  ['a label with more behind it', line('_:c14n0x'), /c14n0/],
];

for (const [what, lines, expected] of SYNTAX) {
  test(`hashes right and syntax wrong: ${what}`, () => refused(bundleOfLines(lines), expected));
}

test('astral characters sort behind U+FFFF, and U+FFFE stands as itself', async () => {
  const right = `${line('"\uffff"')}${line('"\u{10000}"')}`;
  await refused(
    bundleOfLines(
      right
        .split(/(?<=\n)/)
        .reverse()
        .join(''),
    ),
    /sorted/,
  );
  const one = await openStore(':memory:');
  assert.equal((await one.importShare(bundleOfLines(right), { source: 'peer' })).accepted, 2);
  await one.close();
});

test('bytes that are no UTF-8', async () => {
  const bytes = Buffer.from(line('"x"'));
  bytes[bytes.indexOf('x')] = 0xff;
  const bundle = bundleOfLines('');
  const { createHash } = await import('node:crypto');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = { ...bundle.manifest.files, 'export.nt': { sha256, bytes: bytes.length } };
  const made = bundleOfLines('', { files, counts: { triples: 1, blank_nodes: 0, shapes: 0 } });
  await refused({ ...made, exportNTriples: new Uint8Array(bytes) }, /UTF-8/);
});

test('counts that are not those of the triples', async () => {
  const counted = (triples: number, blank_nodes: number, lines = A) =>
    bundleOfLines(lines, { counts: { triples, blank_nodes, shapes: 0 } });
  await refused(counted(2, 0), /has 1 triples/);
  await refused(counted(0, 0), /has 1 triples/);
  await refused(counted(1, 3), /can't name 3 blank nodes/);
  await refused(counted(1, 1), /has 0 blank nodes/);
  await refused(counted(1, 1, line('_:c14n1')), /_:c14n1/);
  await refused(counted(1e15, 0), /can't hold/);
});

test('manifests that are not manifests', async () => {
  const bundle = await bundleOf('ex:a ex:p 1 .');
  const text = canonicalJson(bundle.manifest);
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  await refused({ ...bundle, manifest: `{"more":${deep},${text.slice(1)}` }, /nested/);
  await refused({ ...bundle, manifest: `{"version":"v1",${text.slice(1)}` }, /twice/);
  await refused({ ...bundle, manifest: text.slice(0, -1) }, /JSON/);
  await refused({ ...bundle, manifest: 'null' }, /expected an object/);
  await refused({ ...bundle, manifest: '[]' }, /expected an object/);
  await refused({ ...bundle, manifest: 7 as never }, /'manifest' is 7/);
  await refused({ ...bundle, manifest: { ...bundle.manifest, share_id: 'sha256:0' } }, /share_id/);
  const { share_id: _, ...without } = bundle.manifest;
  await refused({ ...bundle, manifest: without }, /share_id is missing/);
});

test('what is missing of a request is named', async () => {
  const bundle = await bundleOf('ex:a ex:p 1 .');
  await assert.rejects(store.importShare(bundle), /'source'/);
  await assert.rejects(store.importShare(bundle, { source: ' ' }), /'source'/);
  await assert.rejects(
    store.importShare({ ...bundle, shapesTurtle: undefined as never }, { source: 'a' }),
    /shapesTurtle/,
  );
  await assert.rejects(store.importShare({ ...bundle, exportNTriples: 1 as never }, { source: 'a' }), /exportNTriples/);
  await assert.rejects(store.promoteShare('sha256:1'), /64 lower-case hex digits/);
  await assert.rejects(store.promoteShare(`sha256:${'0'.repeat(64)}`), { code: 'not_found_in_store' });
});

test('directories that are no bundles: a file is missing, a file is a link, there is nothing', async () => {
  const { manifest, exportNTriples } = await bundleOf('ex:a ex:p 1 .');
  await refused(join(folder, 'nowhere'), /no such directory/);
  await refused(folder, /has no manifest.json/);
  writeFileSync(join(folder, 'manifest.json'), `${canonicalJson(manifest)}\n`);
  writeFileSync(join(folder, 'shapes.ttl'), '');
  await refused(folder, /has no export.nt/);
  writeFileSync(join(folder, 'elsewhere.nt'), exportNTriples);
  symlinkSync(join(folder, 'elsewhere.nt'), join(folder, 'export.nt'));
  await refused(folder, /export.nt is a link/);
});

test('texts that normalise to the same are different names, and a name that claims two entities claims none', async () => {
  const one = await openStore(':memory:');
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
  const label = 'http://www.w3.org/2000/01/rdf-schema#label';
  await one.load({ text: `<${EX}l> <${label}> "${composed}" .`, format: 'turtle' });
  const share = await bundleOf(`ex:f rdfs:label "${decomposed}" .`);
  assert.deepEqual((await one.importShare(share, { source: 'peer' })).rewritten, []);
  const both = await bundleOf(`ex:f rdfs:label "${composed}" . ex:g rdfs:label "${composed}", "more" .`);
  assert.deepEqual((await one.importShare(both, { source: 'peer' })).rewritten, []);
  const itself = await bundleOf(`ex:f rdfs:label "${composed}" . ex:l ex:p 1 .`);
  assert.deepEqual(
    (await one.importShare(itself, { source: 'peer' })).rewritten,
    [],
    'the entity is in the share itself',
  );
  const alone = await bundleOf(`ex:f rdfs:label "${composed}"@fr ; ex:p ex:f ; a ex:f . ex:h ex:f ex:f .`);
  const { rewritten, graph } = await one.importShare(alone, { source: 'peer' });
  assert.deepEqual(rewritten, [{ from: `${EX}f`, to: `${EX}l`, name: composed }]);
  const found: string[] = [];
  const answer = await one.select(`SELECT ?s ?p ?o { GRAPH <${graph}> { ?s ?p ?o } }`);
  for await (const row of answer.rows()) found.push(row.map((term) => term?.value.replace(/^.*[/#]/, '')).join(' '));
  assert.deepEqual(found.sort(), ['h f l', `l label ${composed}`, 'l p l', 'l type f'], 'predicates and classes stay');
  await one.close();
});
