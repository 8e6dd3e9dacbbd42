/** Lines sorted through files are those that are sorted in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineSorter } from '../../engine/share/line-sorter.js';
import { randomNumbers } from '../storage/scan-support.js';

async function sorted(areaBytes: number, lines: readonly string[]) {
  const sorter = new LineSorter({}, areaBytes);
  try {
    for (const line of lines) if (sorter.add(Buffer.from(line))) await sorter.spill();
    const texts: Buffer[] = [];
    let count = 0;
    // Read twice: the second time is what counts.
    for await (const _ of sorter.sorted());
    for await (const some of sorter.sorted()) {
      texts.push(Buffer.from(some.bytes));
      count += some.lines;
    }
    return { text: Buffer.concat(texts).toString(), lines: count, spills: sorter.spills };
  } finally {
    await sorter.close();
  }
}

function inOrder(lines: readonly string[]): string[] {
  return [...new Set(lines)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

test('many areas give what one gives: by code point, each line once', async () => {
  const words = ['a', 'b\u2028c', '\uffff', '\u{1f600}', 'é', 'long'.repeat(200), ''];
  const lines = Array.from({ length: 2000 }, (_, at) => `${words[at % words.length]} ${(at * 37) % 500}\n`);
  const whole = await sorted(1 << 24, lines);
  assert.equal(whole.spills, 0);
  const expected = inOrder(lines);
  assert.equal(whole.text, expected.join(''));
  assert.equal(whole.lines, expected.length);
  for (const areaBytes of [100, 5000, 60_000]) {
    const parts = await sorted(areaBytes, lines);
    assert.ok(parts.spills > 1, `${areaBytes}`);
    assert.equal(parts.text, whole.text);
    assert.equal(parts.lines, whole.lines);
  }
});

test('runs that overlap, that follow each other and that are the same are merged; lines may be longer than a chunk', async () => {
  const next = randomNumbers(5);
  const number = (most: number) => String(next(most)).padStart(6, '0');
  const cases = [
    Array.from({ length: 3000 }, () => `${number(100_000)}\n`),
    Array.from({ length: 3000 }, (_, at) => `${String(at).padStart(6, '0')}\n`),
    Array.from({ length: 3000 }, () => `${number(20)}\n`),
    Array.from({ length: 40 }, () => `${number(30).repeat(1 + next(100_000))}\n`),
    Array.from({ length: 2000 }, () => '\n'),
  ];
  for (const lines of cases) {
    const { text, lines: count, spills } = await sorted(1000, lines);
    const expected = inOrder(lines);
    assert.ok(spills > 1);
    assert.equal(text, expected.join(''));
    assert.equal(count, expected.length);
  }
});

test('nothing gives nothing', async () => {
  assert.deepEqual(await sorted(100, []), { text: '', lines: 0, spills: 0 });
});

test('a cancelled sort ends, and leaves nothing', async () => {
  const control = new AbortController();
  const sorter = new LineSorter({ signal: control.signal }, 10);
  sorter.add(Buffer.from('a\n'));
  await sorter.spill();
  control.abort();
  await assert.rejects(
    (async () => {
      for await (const _ of sorter.sorted());
    })(),
    { code: 'aborted' },
  );
  await sorter.close();
});
