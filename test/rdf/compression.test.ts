/** Compressed input: all members are read; what is damaged, cut short, prolonged or a bomb is refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGzip, gzipSync } from 'node:zlib';
import type { SvcError } from '../../engine/base/errors.js';
import { compress, decompress } from '../../engine/rdf/formats/input/compression.js';
import { bytesOf, collect, inChunks } from './documents.js';

type Packed = 'gzip' | 'zstd';

const text = '<http://a/> <http://b/> "some text, repeated" .\n'.repeat(20_000);

async function pack(content: Uint8Array, compression: Packed): Promise<Buffer> {
  return collect(compress(inChunks(content, 100_000), compression));
}

function unpack(bytes: Uint8Array, compression: Packed | 'none', chunkSize = 1_000): Promise<Buffer> {
  return collect(decompress(inChunks(bytes, chunkSize), { compression, sourceName: 'data.nt' }));
}

const refused = (pattern: RegExp) => (error: SvcError) => {
  assert.equal(error.name, 'SvcError');
  assert.equal(error.code, 'source_unreadable');
  assert.match(error.message, /^not a sound (gzip|Zstandard) file/);
  assert.equal(error.position?.source, 'data.nt');
  assert.match(error.message, pattern);
  return true;
};

for (const compression of ['gzip', 'zstd'] as const) {
  test(`${compression}: what is packed is unpacked, in chunks of any size`, async () => {
    const packed = await pack(bytesOf(text), compression);
    assert.ok(packed.length < text.length / 20);
    for (const chunkSize of [1, 13, 65_536]) {
      assert.equal((await unpack(packed, compression, chunkSize)).toString(), text);
    }
  });

  test(`${compression}: nothing at all is packed and unpacked`, async () => {
    const packed = await pack(new Uint8Array(0), compression);
    assert.ok(packed.length > 0);
    assert.equal((await unpack(packed, compression)).length, 0);
  });

  test(`${compression}: several members in one file are all read`, async () => {
    const [first, second] = await Promise.all([
      pack(bytesOf('one\n'), compression),
      pack(bytesOf('two\n'), compression),
    ]);
    for (const chunkSize of [1, 20, 65_536]) {
      assert.equal((await unpack(Buffer.concat([first, second]), compression, chunkSize)).toString(), 'one\ntwo\n');
    }
  });

  test(`${compression}: a file that is cut short anywhere is refused`, async () => {
    const packed = await pack(bytesOf(text), compression);
    for (const length of [1, 5, 30, packed.length >> 1, packed.length - 9, packed.length - 1]) {
      await assert.rejects(unpack(packed.subarray(0, length), compression), refused(/truncated|invalid/), `${length}`);
    }
    await assert.rejects(unpack(new Uint8Array(0), compression), refused(/empty/));
  });

  test(`${compression}: something else after the end is refused`, async () => {
    const packed = await pack(bytesOf(text), compression);
    for (const chunkSize of [1, 100, 1_000_000]) {
      await assert.rejects(unpack(Buffer.concat([packed, bytesOf('more')]), compression, chunkSize), refused(/./));
    }
  });

  test(`${compression}: what is no such file is refused`, async () => {
    await assert.rejects(unpack(bytesOf(text), compression), refused(/./));
  });

  test(`${compression}: a consumer that stops early leaves nothing behind`, async () => {
    const packed = await pack(bytesOf(text), compression);
    let chunks = 0;
    for await (const _ of decompress(inChunks(packed, 100), { compression, sourceName: 'data.nt' }))
      if (++chunks === 1) break;
    assert.equal(chunks, 1);
  });
}

test('gzip: padding with zeros is customary; a wrong checksum is an error', async () => {
  const packed = gzipSync(text);
  assert.equal((await unpack(Buffer.concat([packed, Buffer.alloc(512)]), 'gzip')).toString(), text);
  const damaged = Buffer.from(packed);
  damaged[damaged.length - 6]! ^= 1;
  await assert.rejects(unpack(damaged, 'gzip'), refused(/check/));
});

test('an error of the source passes unchanged', async () => {
  const fault = new Error('the disk said no');
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield gzipSync(text).subarray(0, 100);
    throw fault;
  };
  await assert.rejects(collect(decompress(source(), { compression: 'gzip', sourceName: 'x' })), fault);
  await assert.rejects(collect(decompress(source(), { compression: 'none', sourceName: 'x' })), fault);
});

test('bombs are stopped at the ratio, and the error names the setting', async () => {
  const zeros = Buffer.alloc(1 << 20);
  const bombs: Record<Packed, Buffer> = {
    gzip: await collect(
      (async function* () {
        const gzip = createGzip({ level: 9 });
        for (let written = 0; written < 300; written++) gzip.write(zeros);
        gzip.end();
        yield* gzip as AsyncIterable<Buffer>;
      })(),
    ),
    zstd: await collect(
      compress(
        (async function* () {
          for (let written = 0; written < 300; written++) yield zeros;
        })(),
        'zstd',
      ),
    ),
  };
  for (const [compression, bomb] of Object.entries(bombs) as [Packed, Buffer][]) {
    let bytes = 0;
    const unfold = async (compressionRatioMax?: number): Promise<void> => {
      bytes = 0;
      const options = { compression, sourceName: 'bomb', compressionRatioMax };
      for await (const chunk of decompress(inChunks(bomb, 65_536), options)) bytes += chunk.length;
    };
    await assert.rejects(unfold(), (error: SvcError) => {
      assert.equal(error.code, 'limit_exceeded');
      assert.match(error.describe(), /compressionRatioMax \(250\)/);
      return true;
    });
    assert.ok(bytes <= 260 << 20, `${bytes} bytes were handed on`);
    await unfold(100_000);
    assert.equal(bytes, 300 << 20);
  }
});
