/** Memory of a thread: ranges never overlap, are padded, are given out again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SvcError } from '../../engine/base/errors.js';
import { createMemory, MEMORY_FLOOR } from '../../engine/kernels/instance.js';
import { PADDING_BYTES, ThreadMemory } from '../../engine/kernels/memory.js';

interface Held {
  readonly address: number;
  readonly bytes: number;
}

test('ranges are aligned, lie apart with their padding, and are readable', () => {
  const size = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 20_000 }), fc.constantFrom(0, 64, 128, 65_536, 1_048_576));
  const step = fc.record({ bytes: size, drop: fc.boolean(), which: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const memory = new ThreadMemory();
      const held: Held[] = [];
      for (const { bytes, drop, which } of steps) {
        if (drop && held.length > 0) {
          const [gone] = held.splice(which % held.length, 1) as [Held];
          memory.free(gone.address, gone.bytes);
        } else held.push({ address: memory.allocate(bytes), bytes });
      }
      const sorted = [...held].sort((a, b) => a.address - b.address);
      sorted.forEach(({ address, bytes }, i) => {
        assert.equal(address % 64, 0);
        assert.ok(address >= MEMORY_FLOOR);
        const end = address + bytes + PADDING_BYTES;
        assert.ok(end <= (sorted[i + 1]?.address ?? Number.POSITIVE_INFINITY), 'ranges lie apart');
        assert.ok(end <= memory.grownBytes);
      });
      for (const { address, bytes } of held) memory.free(address, bytes);
      assert.equal(memory.liveBytes, 0);
    }),
    { numRuns: 50 },
  );
});

test('what is given back is given out again before the memory grows', () => {
  const memory = new ThreadMemory();
  const first = memory.allocate(5000);
  memory.free(first, 5000);
  assert.equal(memory.allocate(5001), first);
  const large = memory.allocate(3_000_000);
  memory.free(large, 3_000_000);
  const grown = memory.grownBytes;
  for (let i = 0; i < 50; i++) {
    const again = memory.allocate(3_000_000);
    assert.equal(again, large);
    memory.free(again, 3_000_000);
  }
  assert.equal(memory.grownBytes, grown);
});

test('a range that is given back twice, with another size, or written past its end is found', () => {
  const memory = new ThreadMemory();
  const broken = (error: unknown) => error instanceof SvcError && error.code === 'internal';
  for (const bytes of [100, 3000, 2_000_000]) {
    const address = memory.allocate(bytes);
    assert.throws(() => memory.free(address, 4 * bytes), broken, 'another size');
    assert.throws(() => memory.free(address + 64, bytes), broken, 'another address');
    memory.free(address, bytes);
    assert.throws(() => memory.free(address, bytes), broken, 'twice');
    const again = memory.allocate(bytes);
    memory.bytes.fill(1, again, again + 3 * bytes);
    assert.throws(() => memory.free(again, bytes), broken, 'written past the end');
  }
});

test('arenas lie apart from each other and from what their lender hands out, and give back everything at once', () => {
  const which = fc.constantFrom(0, 1, 2);
  const bytes = fc.oneof(
    fc.nat({ max: 300 }),
    fc.nat({ max: 100_000 }),
    fc.constantFrom(780_000, 1_048_512, 3_000_000),
  );
  const step = fc.record({ which, bytes, drop: fc.boolean(), at: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const lender = new ThreadMemory();
      const memories = [lender, lender.arena(), lender.arena()];
      assert.equal(lender.arenas, 2);
      const held = memories.map((): Held[] => []);
      for (const { which, bytes, drop, at } of steps) {
        const [memory, mine] = [memories[which] as ThreadMemory, held[which] as Held[]];
        if (drop && mine.length > 0) {
          const [gone] = mine.splice(at % mine.length, 1) as [Held];
          memory.free(gone.address, gone.bytes);
        } else {
          const address = memory.allocate(bytes);
          mine.push({ address, bytes });
          memory.bytes.fill(which + 1, address, address + bytes);
          assert.ok(lender.holds(memory.wordsAt(address, 0)));
        }
      }
      const sorted = held.flat().sort((a, b) => a.address - b.address);
      sorted.forEach(({ address, bytes }, i) => {
        const end = address + bytes + PADDING_BYTES;
        assert.ok(end <= (sorted[i + 1]?.address ?? Number.POSITIVE_INFINITY), 'ranges lie apart');
      });
      for (const { address, bytes } of held[0] as Held[]) lender.free(address, bytes);
      assert.equal(lender.liveBytes, 0, 'what is lent is no account of the lender');
      (memories[1] as ThreadMemory).release();
      for (const { address, bytes } of held[2] as Held[]) {
        assert.ok(lender.bytesAt(address, bytes).every((byte) => byte === 3));
        (memories[2] as ThreadMemory).free(address, bytes);
      }
      assert.equal((memories[2] as ThreadMemory).liveBytes, 0);
      (memories[2] as ThreadMemory).release();
      assert.deepEqual([lender.lentBytes, lender.liveBytes, lender.arenas], [0, 0, 0]);
    }),
    { numRuns: 50 },
  );
});

test('views follow the memory as it grows, and old views stay usable', () => {
  const memory = new ThreadMemory();
  const small = memory.allocate(64);
  const old = memory.bytesAt(small, 64);
  old.fill(7);
  const far = memory.allocate(10_000_000);
  memory.bytes.fill(9, far, far + 10);
  assert.equal(memory.words.byteLength, memory.grownBytes);
  assert.deepEqual([...memory.bytesAt(far, 2)], [9, 9]);
  old[0] = 8;
  assert.equal(memory.bytes[small], 8);
});

test('two allocators on one memory keep to their ranges, and the end of a range is an error by name', () => {
  const shared = createMemory();
  const cut = MEMORY_FLOOR + 1_000_000;
  const low = new ThreadMemory(shared, { from: MEMORY_FLOOR, to: cut });
  const high = new ThreadMemory(shared, { from: cut, to: cut + 1_000_000 });
  const addresses: number[] = [];
  const fill = (memory: ThreadMemory) => {
    for (;;) addresses.push(memory.allocate(10_000));
  };
  const isFull = (error: unknown) => error instanceof SvcError && error.code === 'query_complexity';
  assert.throws(() => fill(low), isFull);
  assert.ok(addresses.length > 60);
  assert.ok(addresses.every((address) => address + 10_000 + PADDING_BYTES <= cut));
  const lowCount = addresses.length;
  assert.throws(() => fill(high), isFull);
  assert.ok(addresses.length > lowCount + 60);
  assert.ok(addresses.slice(lowCount).every((address) => address >= cut));
  const before = low.liveBytes;
  assert.throws(() => low.allocate(10_000), isFull);
  assert.equal(low.liveBytes, before, 'a failed request counts nothing');
});
