/** Share archives: the same bytes for the same bundle, what other tools make, and archives that are made to hurt. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readArchive, writeArchive } from '../../engine/share/archive.js';
import { memorySource, type ShareBundle } from '../../engine/share/bundle.js';
import { finishManifest, writeManifest } from '../../engine/share/manifest.js';
import { writeHeader } from '../../engine/share/tar-header.js';
import { VECTOR } from './vector.js';

const EXPORT = '<http://example.org/a> <http://example.org/p> "é" .\n';
const manifest = finishManifest(VECTOR);
const BUNDLE: ShareBundle = {
  manifest,
  manifestText: writeManifest(manifest),
  exportNTriples: memorySource(EXPORT),
  shapesTurtle: '# shape set: x\n',
  signature: null,
};
const SIGNATURE = { verifier: 'urn:v', public_key: '00', signature: '11' };

async function packed(bundle: ShareBundle, view: string | null = null): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const viewTurtle = view === null ? null : memorySource(view);
  for await (const chunk of writeArchive(bundle, { viewTurtle })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function textOf(bundle: ShareBundle): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bundle.exportNTriples.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('an archive is read back as the bundle that it was, however its bytes come', async () => {
  const bytes = await packed({ ...BUNDLE, signature: SIGNATURE }, '# view\n');
  for (const size of [1, 7, 512, 1 << 20]) {
    const read = await readArchive(inPieces(bytes, size));
    assert.deepEqual(read.manifest, BUNDLE.manifest);
    assert.equal(read.manifestText, BUNDLE.manifestText);
    assert.equal(await textOf(read), EXPORT);
    assert.equal(read.shapesTurtle, BUNDLE.shapesTurtle);
    assert.deepEqual(read.signature, SIGNATURE);
  }
});

test('the same bundle gives the same bytes: gzip without time, name and system, ustar of nobody', async () => {
  const bytes = await packed(BUNDLE, '# view\n');
  assert.deepEqual(await packed(BUNDLE, '# view\n'), bytes);
  assert.equal(bytes.subarray(0, 10).toString('hex'), '1f8b08000000000002ff');
  const tar = gunzipSync(bytes);
  const names: string[] = [];
  for (let at = 0; tar[at] !== 0; ) {
    names.push(tar.toString('latin1', at, at + 100).replace(/\0+$/, ''));
    assert.equal(tar.toString('latin1', at + 100, at + 124), '0000644\x000000000\x000000000\0');
    assert.equal(tar.toString('latin1', at + 136, at + 148), '00000000000\0');
    assert.equal(tar.toString('latin1', at + 257, at + 265), 'ustar\x0000');
    assert.equal(tar.toString('latin1', at + 265, at + 329), '\0'.repeat(64));
    at += 512 + 512 * Math.ceil(Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8) / 512);
  }
  assert.deepEqual(names, ['manifest.json', 'export.nt', 'shapes.ttl', 'view.ttl']);
});

test('an archive of more than 64 MiB is not written, since nobody would read it', async () => {
  const exportNTriples = { bytes: 64 * 2 ** 20, async *chunks() {} };
  await assert.rejects(packed({ ...BUNDLE, exportNTriples }), { code: 'limit_exceeded', message: /at most 67108864/ });
});

type Entry = { readonly name: string; readonly content?: string; readonly kind?: string; readonly bytes?: number };

/** What any tool could have made. */
function tarOf(entries: readonly Entry[], end = Buffer.alloc(1024)): Buffer {
  const parts = entries.flatMap(({ name, content = '', kind = '0', bytes }) => {
    const header = Buffer.from(writeHeader(name, bytes ?? Buffer.byteLength(content)));
    header.write(kind, 156, 'latin1');
    header.write(' '.repeat(8), 148, 'latin1');
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    const body = Buffer.alloc(512 * Math.ceil(Buffer.byteLength(content) / 512));
    body.write(content);
    return [header, body];
  });
  return Buffer.concat([...parts, end]);
}

const FILES: readonly Entry[] = [
  { name: 'manifest.json', content: BUNDLE.manifestText },
  { name: 'export.nt', content: EXPORT },
  { name: 'shapes.ttl', content: '' },
];
const read = (tar: Uint8Array) => readArchive(inPieces(gzipSync(tar), 4096));

test('one common leading directory is tolerated, with an entry of its own or without', async () => {
  const within = FILES.map((file) => ({ ...file, name: `bundle/${file.name}` }));
  const dotted = FILES.map((file) => ({ ...file, name: `./${file.name}` }));
  for (const entries of [within, [{ name: 'bundle/', kind: '5' }, ...within], [{ name: './', kind: '5' }, ...dotted]]) {
    assert.equal(await textOf(await read(tarOf(entries))), EXPORT);
  }
});

const [first, ...others] = FILES as [Entry, ...Entry[]];
const HURTFUL: readonly (readonly [string, readonly Entry[], RegExp])[] = [
  ['a symbolic link', [...FILES, { name: 'view.ttl', kind: '2' }], /is a symbolic link/],
  ['a hard link', [...FILES, { name: 'view.ttl', kind: '1' }], /is a hard link/],
  ['a device', [...FILES, { name: 'view.ttl', kind: '3' }], /is a device/],
  ['a pax header', [{ name: 'x', kind: 'x' }, ...FILES], /is a pax header/],
  ['an unknown kind', [{ name: 'view.ttl', kind: 'Z' }, ...FILES], /unknown kind "Z"/],
  ['an absolute path', [...FILES, { name: '/view.ttl' }], /absolute path/],
  ['a path out of it', [...FILES, { name: '../view.ttl' }], /leads out of the archive/],
  ['a deep path', [...FILES, { name: 'a/b/view.ttl' }], /deeper than one directory/],
  ['a file that stands twice', [...FILES, first], /stands there twice/],
  ['a file of no bundle', [...FILES, { name: 'evil.sh', content: 'x' }], /is no file of a share bundle/],
  ['two directories', [first, ...others.map((file) => ({ ...file, name: `x/${file.name}` }))], /not in the directory/],
  ['nothing but a manifest', [first], /has no export.nt/],
  ['many entries', Array.from({ length: 9 }, () => ({ name: './', kind: '5' })), /more than 8 entries/],
  ['a size that is larger than all', [{ name: 'export.nt', bytes: 2 ** 32 }], /more than 67108864 bytes/],
  ['a directory with a content', [{ name: 'x/', kind: '5', content: 'x' }], /has a content/],
];

for (const [what, entries, message] of HURTFUL) {
  test(`an archive is refused with ${what}`, async () => {
    await assert.rejects(read(tarOf(entries)), { name: 'SvcError', message });
  });
}

test('a small archive that unpacks to more than the bound is refused while it is unpacked', async () => {
  const bomb = gzipSync(Buffer.concat([tarOf(FILES), Buffer.alloc(70 * 2 ** 20)]));
  assert.ok(bomb.length < 2 ** 18);
  await assert.rejects(readArchive(inPieces(bomb, 4096)), { code: 'limit_exceeded' });
});

test('what is cut short, damaged, or something else is refused', async () => {
  const bytes = await packed(BUNDLE);
  const flipped = Buffer.from(bytes);
  flipped[60]! ^= 0x55;
  const tar = tarOf(FILES);
  const wrongSum = Buffer.from(tar);
  wrongSum[0]! ^= 1;
  for (const [what, source, message] of [
    ['cut', bytes.subarray(0, 100), /can't be unpacked|ends in the middle/],
    ['flipped', flipped, /share archive can't be|not UTF-8|not valid|can't be read/],
    ['no gzip', Buffer.from('hello'), /can't be unpacked/],
    ['empty', Buffer.alloc(0), /can't be unpacked|ends in the middle/],
    ['another sum', gzipSync(wrongSum), /another sum than its bytes/],
    ['no end', gzipSync(tarOf(FILES, Buffer.alloc(0))), /ends in the middle/],
    [
      'more behind',
      gzipSync(tarOf(FILES, Buffer.concat([Buffer.alloc(1024), Buffer.from('more')]))),
      /behind the last/,
    ],
    ['bytes that are no text', gzipSync(tarOf([{ name: 'manifest.json', content: 'x' }, ...others])), /not JSON/],
  ] as const) {
    await assert.rejects(readArchive(inPieces(source, 512)), { name: 'SvcError', message }, what);
  }
});
