/**
 * What the loader makes of awkward input: damaged encodings and archives, binary files, errors in one
 * of several files, literals in odd spellings. Whatever is refused leaves no trace.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SvcError } from '../../engine/base/errors.js';
import { XSD } from '../../engine/rdf/terms.js';
import type { LoadSource } from '../../engine/storage/seam/engine.js';
import { load } from './scan-support.js';
import { assertSound, linesOf } from './support/compare.js';
import { assertRefused, bytes, folder, LINE, withStore } from './support/loading.js';

test('encodings: invalid UTF-8, UTF-16, a byte order mark, line ends', async () => {
  await withStore(async (engine) => {
    const invalid = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];
    for (const format of ['ntriples', 'nquads', 'turtle', 'trig'] as const) {
      for (const wrong of invalid) {
        const text = Buffer.concat([
          Buffer.from(`${LINE}\n<http://e/a> <http://e/b> "é`),
          Buffer.from(wrong),
          Buffer.from('" .\n'),
        ]);
        await assertRefused(engine, [bytes(text, format)], 'invalid_utf8', { line: 2 });
      }
      for (const mark of [
        [0xff, 0xfe],
        [0xfe, 0xff],
      ]) {
        const utf16 = Buffer.concat([Buffer.from(mark), Buffer.from(LINE, 'utf16le')]);
        await assertRefused(engine, [bytes(utf16, format)], 'invalid_utf8', { line: 1 });
      }
    }
    for (const [i, format] of (['ntriples', 'nquads', 'turtle', 'trig'] as const).entries()) {
      const text = `\uFEFF<http://e/${i}> <http://e/b> "1" .\r\n# comment\r\n\r\n<http://e/${i}> <http://e/b> "2" .\r<http://e/${i}> <http://e/b> "3" .`;
      const { summary } = await load(engine, [bytes(text, format)]);
      assert.equal(summary.quadsAdded, 3);
    }
    await assertSound(engine);
  });
});

test('nothing to load: empty documents of every format', async () => {
  await withStore(async (engine) => {
    for (const content of ['', '\n', '\uFEFF', '# only a comment']) {
      for (const format of ['ntriples', 'nquads', 'turtle', 'trig'] as const) {
        assert.equal((await load(engine, [bytes(content, format)])).summary.quadsRead, 0);
        const path = folder.file(content, '.ttl');
        const bounds = { helperInputBytesMin: 0 };
        assert.equal((await load(engine, [{ kind: 'file', path, format }], { bounds })).summary.quadsRead, 0);
      }
    }
    assert.equal(engine.stats().quadsCurrent, 0);
    await assertSound(engine);
  });
});

test('archives that are cut, damaged, bombs, or none', async () => {
  await withStore(async (engine) => {
    const text = Array.from({ length: 20_000 }, (_, i) => `<http://e/${i}> <http://e/p> "${i * 7919}" .\n`).join('');
    const whole = gzipSync(text);
    const damaged = Buffer.from(whole);
    damaged.fill(0, whole.length >> 1, (whole.length >> 1) + 50);
    for (const content of [
      whole.subarray(0, whole.length >> 1),
      whole.subarray(0, whole.length - 4),
      damaged,
      Buffer.from(text),
    ]) {
      const source: LoadSource = { kind: 'file', path: folder.file(content, '.nt.gz') };
      const failed = await load(engine, [source]).then(
        () => null,
        (error: unknown) => error,
      );
      assert.ok(
        failed instanceof SvcError && ['source_unreadable', 'parse_error'].includes(failed.code),
        String(failed),
      );
    }
    const line = Buffer.from(`${LINE}\n`.repeat(9_000_000));
    const bomb: LoadSource = { kind: 'file', path: folder.file(gzipSync(line, { level: 9 }), '.nt.gz') };
    await assertRefused(engine, [bomb], 'limit_exceeded', {}, { compressionRatioMax: 50 });
    assert.equal(engine.stats().transactions, 0);
    assert.equal(
      (await load(engine, [{ kind: 'file', path: folder.file(whole, '.nt.gz') }])).summary.quadsAdded,
      20_000,
    );
    await assertSound(engine);
  });
});

test('binary files, whatever they are called', async () => {
  await withStore(async (engine) => {
    const binary = Buffer.alloc(100_000);
    for (let i = 0; i < binary.length; i++) binary[i] = Math.imul(i, 0x9e3779b1) >>> 13;
    for (const ending of ['.nt', '.nq', '.ttl', '.trig', '.rdf', '.jsonld']) {
      for (const threads of [1, 2]) {
        const failed = await load(engine, [{ kind: 'file', path: folder.file(binary, ending) }], {
          threads,
          bounds: { helperInputBytesMin: 0 },
        }).then(
          () => null,
          (error: unknown) => error,
        );
        assert.ok(
          failed instanceof SvcError && ['parse_error', 'invalid_utf8'].includes(failed.code),
          `${ending}: ${failed}`,
        );
      }
    }
    assert.equal(engine.stats().terms, 1);
  });
});

test('the third of three files is wrong: where, and nothing of the others', async () => {
  await withStore(async (engine) => {
    const good = Array.from({ length: 5000 }, (_, i) => `<http://e/s> <http://e/p> <http://e/${i}> .`);
    const bad = [...good];
    bad[4321] = '<http://e/s> <http://e/p> "ö\u{1F600}" <http://e/x> <http://e/y> .';
    for (const threads of [1, 2]) {
      const [first, second, third] = [good, good, bad].map((lines) => folder.file(`${lines.join('\n')}\n`, '.nt')) as [
        string,
        string,
        string,
      ];
      const sources = [first, second, third].map((path): LoadSource => ({ kind: 'file', path }));
      const options = { threads, bounds: { epochRowsMax: 1000, helperInputBytesMin: 0 } };
      await assertRefused(engine, sources, 'parse_error', { source: third, line: 4322, column: 32 }, options);
      await load(engine, sources, options).catch((error: SvcError) => {
        assert.match(error.position?.excerpt ?? '', /<http:\/\/e\/x>/);
      });
      await assertSound(engine);
    }
  });
});

test('numbers, dates and booleans in every odd spelling come back as written', async () => {
  const spellings: Record<string, readonly string[]> = {
    integer: [
      '0',
      '-0',
      '+0',
      '00',
      '007',
      '-1',
      '+1',
      '140737488355327',
      '140737488355328',
      '-140737488355328',
      '-140737488355329',
      '9'.repeat(400),
      '',
      ' 1',
      '1 ',
      '1.0',
      '0x10',
      '١',
    ],
    decimal: [
      '0.0',
      '-0.0',
      '.5',
      '5.',
      '5.0',
      '05.0',
      '0.50',
      '-.5',
      '+1.5',
      '1e5',
      `${'9'.repeat(40)}.1`,
      `0.${'0'.repeat(300)}1`,
      '.',
      '-',
      '1.2.3',
    ],
    double: [
      '0',
      '0.0',
      '0e0',
      '-0.0E0',
      '1E400',
      '-1e-400',
      'INF',
      '-INF',
      '+INF',
      'NaN',
      'nan',
      '1.5',
      '1.50',
      '1e1',
      '1E+01',
      'Infinity',
    ],
    float: ['0.1', '16777217', '3.4e39', 'INF'],
    boolean: ['true', 'false', '1', '0', 'TRUE', 'yes', ' true '],
    date: [
      '2024-02-29',
      '2023-02-29',
      '0000-01-01',
      '-0001-12-31',
      '12345-01-01',
      '2024-02-29Z',
      '2024-02-29+00:00',
      '2024-02-29-00:00',
      '2024-02-29+14:00',
      '2024-02-29+14:01',
      '2024-2-9',
    ],
    dateTime: [
      '2024-02-29T00:00:00',
      '2024-02-29T24:00:00',
      '2024-02-29T23:59:60',
      '2024-02-29T00:00:00.0',
      '2024-02-29T00:00:00.000Z',
      '2024-02-29T00:00:00.123456789Z',
      '2024-02-29T00:00:00-00:00',
      '9999-12-31T23:59:59+13:45',
      '2024-02-29t00:00:00',
    ],
    byte: ['127', '128', '-129', '007'],
    unsignedLong: ['18446744073709551615', '18446744073709551616', '-1'],
  };
  const lines = Object.entries(spellings).flatMap(([type, list]) =>
    list.map((lexical) => `"${lexical}"^^<${XSD}${type}>`),
  );
  await withStore(async (engine) => {
    const text = lines.map((literal) => `<http://e/s> <http://e/p> ${literal} .\n`).join('');
    const { summary } = await load(engine, [bytes(text, 'ntriples')]);
    assert.equal(summary.quadsAdded, new Set(lines).size);
    assert.equal((await load(engine, [bytes(text, 'turtle')], { bounds: { epochRowsMax: 7 } })).summary.quadsAdded, 0);
    const back = linesOf(engine).map((line) => line.split(' ').slice(2, -1).join(' '));
    const expected = [...new Set(lines)].map((line) => line.replace(/\^\^<(.*)>$/, '^^$1'));
    assert.deepEqual(back.sort(), expected.sort());
    await assertSound(engine);
  });
});
