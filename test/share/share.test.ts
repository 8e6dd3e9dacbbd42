/** Shares as the library gives them: SH-1 to SH-3, scopes, shapes, labels, bounds, and what is refused. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { terms } from '../../engine/rdf/terms.js';
import { collectShare } from '../../engine/share/build-share.js';
import { shapesDocument } from '../../engine/share/shapes-document.js';
import { EX, storeOf } from './support.js';

const SH1 = `@prefix ex: <${EX}> . ex:b ex:p "é\\n\\"x\\"" . ex:a ex:p "x"^^<http://www.w3.org/2001/XMLSchema#string>, 1 .`;
const SH1_LINES = `<${EX}a> <${EX}p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
<${EX}a> <${EX}p> "x" .
<${EX}b> <${EX}p> "é\\n\\"x\\"" .
`;

test('SH-1: export.nt to the byte, with the hash of the vector', async (t) => {
  const store = await storeOf(t, SH1);
  const { files, manifest, bytes, labels } = await store.share({ noShapes: true });
  assert.equal(files['export.nt'], SH1_LINES);
  assert.deepEqual(manifest.files['export.nt'], {
    sha256: 'defbb5d873db4ff5d942b1cd9cb95d8a8966a8b5aa6321be170ef8f76e126cf2',
    bytes: 208,
  });
  assert.deepEqual(manifest.counts, { triples: 3, blank_nodes: 0, shapes: 0 });
  assert.equal(manifest.lineage.anchor_tx, 1);
  assert.equal(bytes, 208 + Buffer.byteLength(files['manifest.json']));
  assert.equal(labels, null);
  assert.equal(files['view.ttl'], undefined);
});

test('SH-2: another sequence and other labels give the same export.nt, and another share id', async (t) => {
  const one = await storeOf(t, `_:x <${EX}p> _:y . _:y <${EX}p> "z" . <${EX}s> <${EX}q> _:x .`);
  const other = await storeOf(t, `<${EX}s> <${EX}q> _:c14n1 . _:c14n0 <${EX}p> "z" . _:c14n1 <${EX}p> _:c14n0 .`);
  const [first, second] = await Promise.all([one.share(), other.share()]);
  assert.equal(first.files['export.nt'], second.files['export.nt']);
  assert.equal(first.manifest.counts.blank_nodes, 2);
  assert.notEqual(first.shareId, second.shareId);
  assert.notEqual(first.manifest.lineage.store, second.manifest.lineage.store);
});

test('SH-3: the id stays while only other graphs change, and changes with a fact in scope', async (t) => {
  const store = await storeOf(t, SH1);
  const before = await store.share();
  assert.deepEqual((await store.share()).files, before.files);
  await store.load({ text: `<${EX}n> <${EX}p> 1 .`, format: 'turtle' }, { graph: `${EX}g` });
  assert.deepEqual((await store.share()).files, before.files);
  await store.load({ text: `<${EX}n> <${EX}p> 1 .`, format: 'turtle' });
  const after = await store.share();
  assert.notEqual(after.shareId, before.shareId);
  await store.update(`DELETE DATA { <${EX}n> <${EX}p> 1 }`);
  assert.deepEqual((await store.share()).files, before.files);
  await store.update(`DELETE DATA { <${EX}a> <${EX}p> 1 }`);
  await store.update(`INSERT DATA { <${EX}a> <${EX}p> 1 }`);
  const again = await store.share();
  assert.equal(again.files['export.nt'], before.files['export.nt']);
  assert.notEqual(again.shareId, before.shareId, 'a fact that is asserted again is a new row');
});

test('a parent makes another share of the same graph; the flag of a view does not', async (t) => {
  const store = await storeOf(t, `_:x <${EX}p> "b", "a" .`);
  const plain = await store.share();
  const child = await store.share({ parent: plain.shareId });
  assert.equal(child.manifest.lineage.parent_share, plain.shareId);
  assert.notEqual(child.shareId, plain.shareId);
  const viewed = await store.share({ turtleView: true });
  assert.equal(viewed.shareId, plain.shareId);
  assert.match(viewed.files['view.ttl'] ?? '', /_:c14n0/);
  assert.equal(viewed.bytes - plain.bytes, Buffer.byteLength(viewed.files['view.ttl'] as string));
  await assert.rejects(store.share({ parent: 'sha256:1' }), { code: 'invalid_request', message: /'parent_share'/ });
});

test('scopes: a graph, a group of episodes, a construct; one at a time', async (t) => {
  const store = await storeOf(t, `<${EX}r> <${EX}p> 1 .`);
  await store.load({ text: `<${EX}n> <${EX}p> _:x .`, format: 'turtle' }, { graph: `${EX}g` });
  const graph = await store.share({ graph: `${EX}g` });
  assert.deepEqual(graph.manifest.scope, { kind: 'graph', value: `${EX}g` });
  assert.equal(graph.files['export.nt'], `<${EX}n> <${EX}p> _:c14n0 .\n`);
  assert.equal(graph.manifest.lineage.anchor_tx, 2);
  const root = await store.share({ graph: 'urn:svc:graph:root' });
  assert.deepEqual(root.manifest.scope, { kind: 'root', value: null });
  const text = `CONSTRUCT { ?s <${EX}q> ?o, 2 } WHERE { ?s <${EX}p> ?o }`;
  const construct = await store.share({ construct: text });
  assert.deepEqual(construct.manifest.scope, { kind: 'construct', value: text });
  assert.equal(construct.manifest.lineage.anchor_tx, null);
  assert.equal(construct.manifest.counts.triples, 2);
  const group = await store.share({ groupId: 'nobody' });
  assert.equal(group.files['export.nt'], '');
  assert.equal(group.manifest.lineage.anchor_tx, 0);
  await assert.rejects(store.share({ graph: `${EX}unknown` }), {
    code: 'not_found_in_store',
    message: /unknown graph/,
  });
  await assert.rejects(store.share({ graph: `${EX}g`, groupId: 'x' }), { message: /one scope.*graph, group_id/ });
  await assert.rejects(store.share({ construct: 'ASK {}' }), { message: /ASK; expected CONSTRUCT or DESCRIBE/ });
});

test('a group of episodes is shared with its activities and what they generated, anchored by their rows alone', async (t) => {
  const store = await storeOf(t, '');
  const base = store.baseNamespace;
  const prov = 'http://www.w3.org/ns/prov#wasGeneratedBy';
  await store.load({ text: `<${EX}act> <${base}groupId> "g" . <${EX}e> <${prov}> <${EX}act> .`, format: 'turtle' });
  await store.load({ text: `<${EX}other> <${EX}p> 1 .`, format: 'turtle' });
  const { manifest, files } = await store.share({ groupId: 'g' });
  assert.equal(files['export.nt'].split('\n').length - 1, 2);
  assert.equal(manifest.lineage.anchor_tx, 1);
});

test('shapes travel by name: all, those that are named, or none', async (t) => {
  const store = await storeOf(t, '');
  const shape = (name: string) =>
    `@prefix sh: <http://www.w3.org/ns/shacl#> .\r\n<${EX}${name}> a sh:NodeShape .\r\n\n`;
  for (const name of ['b', 'a']) await store.loadShapes(name, shape(name));
  const all = await store.share();
  assert.deepEqual(all.manifest.shapes, ['a', 'b']);
  const one = (name: string) => `# shape set: ${name}\n${shape(name).replaceAll('\r', '').trimEnd()}\n`;
  assert.equal(all.files['shapes.ttl'], one('a') + one('b'));
  assert.equal(
    all.manifest.files['shapes.ttl'].sha256,
    createHash('sha256')
      .update(one('a') + one('b'))
      .digest('hex'),
  );
  assert.equal((await store.share({ shapeSets: ['b'] })).files['shapes.ttl'], one('b'));
  assert.equal((await store.share({ noShapes: true })).files['shapes.ttl'], '');
  assert.equal((await store.share({ shapeSets: [] })).files['shapes.ttl'], '');
  await assert.rejects(store.share({ shapeSets: ['c'] }), {
    code: 'not_found_in_store',
    message: /unknown shape set: "c"/,
  });
  await assert.rejects(store.share({ shapeSets: ['a'], noShapes: true }), { code: 'invalid_request' });
  assert.equal(shapesDocument([{ name: 'x', turtle: '' }]), '# shape set: x\n\n');
});

test('the bound of bytes may be lowered, names both sizes, and is never raised', async (t) => {
  const store = await storeOf(t, SH1);
  const { bytes } = await store.share();
  assert.equal((await store.share({ maxBytes: bytes })).bytes, bytes);
  await assert.rejects(store.share({ maxBytes: bytes - 1 }), {
    code: 'too_large',
    message: new RegExp(`${bytes} bytes; at most ${bytes - 1} `),
  });
  await assert.rejects(store.share({ maxBytes: 10 }), { code: 'too_large' });
  for (const maxBytes of [0, -1, 1.5, 8 * 2 ** 20 + 1]) {
    await assert.rejects(store.share({ maxBytes }), { code: 'invalid_request', message: /'max_bytes' is/ });
  }
  await assert.rejects(store.share({ maxBytes: 9e6 }), { message: /cap of 8388608 bytes/ });
});

test('poison blank nodes are refused by the number of hash calls, and triple terms by name', async (t) => {
  const nodes = Array.from({ length: 9 }, (_, at) => terms.blankNode(`n${at}`));
  const clique = nodes.flatMap((a) => nodes.filter((b) => b !== a).map((b) => [a, b] as const));
  const others = clique.map(([a, b]) => terms.quad(a, terms.namedNode(`${EX}p`), b));
  async function* triples() {
    yield { lines: new Uint8Array(0), others };
  }
  const scope = { kind: 'root', value: null } as const;
  const input = { scope, triples: triples(), distinct: false, anchorTx: 1, shapes: [], store: 'urn:svc:store:x' };
  await assert.rejects(collectShare(input, { hashCallsMax: 500 }), {
    code: 'limit_exceeded',
    message: /too hard to tell apart/,
    hint: /hashCallsMax \(500\)/,
  });
  const quoted = await storeOf(t, `<${EX}a> <${EX}says> <<( <${EX}a> <${EX}p> <${EX}b> )>> .`);
  await assert.rejects(quoted.share(), { code: 'unsupported', message: /no triple terms/ });
});

test('language tags are in lower case, noncharacters as they are, astral characters behind U+FFFF', async (t) => {
  const store = await storeOf(t, `<${EX}a> <${EX}p> "x"@EN-gb, "\uffff", "\u{1f600}", "\uffffa\\u007F" .`);
  const { files } = await store.share();
  const literals = files['export.nt'].split('\n').map((line) => line.slice(line.indexOf('"'), -2));
  assert.deepEqual(literals, ['"x"@en-gb', '"\uffff"', '"\uffffa\\u007F"', '"\u{1f600}"', '']);
});

test('characters that some tools take for ends of lines are shared, imported and compared as they are', async (t) => {
  const store = await storeOf(t, `<${EX}a> <${EX}p> "\u2028one", "\u2029two", "\u0085three", "\v\ffour" .`);
  const { files, manifest } = await store.share();
  assert.equal(files['export.nt'].split('\n').length, 5);
  assert.ok(files['export.nt'].includes('"\u2028one" .\n'));
  const other = await storeOf(t, '');
  const bundle = { manifest, exportNTriples: files['export.nt'], shapesTurtle: files['shapes.ttl'] };
  const { shareId } = await other.importShare(bundle, { source: 'peer' });
  await other.promoteShare(shareId);
  assert.equal((await other.share()).files['export.nt'], files['export.nt']);
  assert.equal((await other.shareStatus(bundle)).relation, 'identical');
});

test('a large subject, and many of them, come in order and once', async (t) => {
  const values = Array.from({ length: 3000 }, (_, at) => `"${(at * 7919) % 3000}"`);
  const store = await storeOf(
    t,
    `<${EX}hub> <${EX}p> ${values.join(', ')} . <${EX}hub> <${EX}q> _:b . <${EX}h> <${EX}p> "1" .`,
  );
  const { files, manifest } = await store.share();
  const lines = files['export.nt'].split('\n').slice(0, -1);
  assert.equal(manifest.counts.triples, 3002);
  assert.equal(new Set(lines).size, 3002);
  assert.deepEqual(lines, [...lines].sort());
});

const node = fc.constantFrom('<http://e/a>', '<http://e/b>', '_:x', '_:y', '_:z', '_:c14n0');
const value = fc.oneof(node, fc.constantFrom('"1"', '"é"', '"x"@en', '"\\n"'));
const triple = fc.record({ s: node, p: fc.constantFrom('<http://e/p>', '<http://e/q>'), o: value });

test('invariant: a graph in two stores, shuffled and under other labels, has one export.nt', async (t) => {
  const graph = fc.uniqueArray(triple, { maxLength: 12, selector: (one) => JSON.stringify(one) });
  await fc.assert(
    fc.asyncProperty(graph, fc.infiniteStream(fc.nat()), async (triples, order) => {
      const text = triples.map(({ s, p, o }) => `${s} ${p} ${o} .`);
      const shuffled = text
        .map((line) => [order.next().value as number, line] as const)
        .sort(([a], [b]) => a - b)
        .map(([, line]) => line.replaceAll('_:x', '_:tmp').replaceAll('_:z', '_:x').replaceAll('_:tmp', '_:c14n1'));
      const [one, other] = await Promise.all([storeOf(t, text.join('\n')), storeOf(t, shuffled.join('\n'))]);
      const [first, second] = await Promise.all([one.share(), other.share()]);
      assert.equal(second.files['export.nt'], first.files['export.nt']);
      assert.equal(first.manifest.counts.triples, new Set(text).size);
      await Promise.all([one.close(), other.close()]);
    }),
    { numRuns: 60 },
  );
});
