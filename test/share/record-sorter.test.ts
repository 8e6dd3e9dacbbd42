/** Records sorted through files are those that are sorted in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordSorter } from '../../engine/share/record-sorter.js';

async function sorted(areaBytes: number, records: readonly (readonly [string, string, number])[]) {
  const sorter = new RecordSorter({}, areaBytes);
  try {
    for (const [key, text, lines] of records) if (sorter.add(key, text, lines)) await sorter.spill();
    const texts: string[] = [];
    let lines = 0;
    // Read twice: the second time is what counts.
    for await (const _ of sorter.sorted());
    for await (const some of sorter.sorted()) {
      texts.push(Buffer.from(some.bytes).toString());
      lines += some.lines;
    }
    return { text: texts.join(''), lines, spills: sorter.spills };
  } finally {
    await sorter.close();
  }
}

test('many areas give what one gives: by code point, records of one key once', async () => {
  const words = ['a', 'b\u2028c', '\uffff', '\u{1f600}', 'é', 'long'.repeat(200)];
  const records = Array.from({ length: 2000 }, (_, at) => {
    const key = `${words[at % words.length]} ${(at * 37) % 500}`;
    return [key, `${key}\n${key}!\n`, 2] as const;
  });
  const whole = await sorted(1 << 24, records);
  assert.equal(whole.spills, 0);
  const keys = [...new Set(records.map(([key]) => key))].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.equal(whole.text, keys.map((key) => `${key}\n${key}!\n`).join(''));
  assert.equal(whole.lines, 2 * keys.length);
  for (const areaBytes of [100, 5000, 60_000]) {
    const parts = await sorted(areaBytes, records);
    assert.ok(parts.spills > 1, `${areaBytes}`);
    assert.equal(parts.text, whole.text);
    assert.equal(parts.lines, whole.lines);
  }
});

test('a cancelled sort ends, and leaves nothing', async () => {
  const control = new AbortController();
  const sorter = new RecordSorter({ signal: control.signal }, 10);
  sorter.add('a', 'a\n', 1);
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
