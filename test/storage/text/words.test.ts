/** Words of texts in many scripts, and that the reader of bytes finds the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WordReader, wordsOf } from '../../../engine/storage/indexes/text/words.js';

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  [' -- ', []],
  ['Reverse proxy, v2', ['reverse', 'proxy', 'v2']],
  ['runs_on', ['runs', 'on']],
  ['creditText of IBM', ['credittext', 'credit', 'text', 'of', 'ibm']],
  ['x1Foo2Bar', ['x1foo2bar', 'x1', 'foo2', 'bar']],
  ['größeÄndern', ['grösseändern', 'grösse', 'ändern']],
  [`${'aB'.repeat(60)}`, ['ab'.repeat(32), 'a', ...Array(59).fill('ba'), 'b']],
  ['Müller MÜLLER mu\u0308ller', ['müller', 'müller', 'müller']],
  ['Straße', ['strasse']],
  ['東京都', ['東京', '京都', '都']],
  ['東', ['東']],
  ['東京 Tokyo2020', ['東京', '京', 'tokyo2020']],
  ['เชื่อมโยงกับทีม', ['เชื่อม', 'โยง', 'กับ', 'ทีม']],
  ['\u0301\u0302', ['\u0301\u0302']],
  ['שלום abc مرحبا', ['שלום', 'abc', 'مرحبا']],
  ['a'.repeat(100), ['a'.repeat(64)]],
  [`${'ä'.repeat(40)} b`, ['ä'.repeat(32), 'b']],
];

function read(reader: WordReader, text: string): string[] {
  const bytes = Buffer.from(`before${text}behind`);
  reader.read(bytes, 6, bytes.length - 6);
  const words: string[] = [];
  let from = 0;
  for (let i = 0; i < reader.count; i++) {
    const end = reader.ends[i] as number;
    assert.equal(reader.bytes[from], 0x77);
    words.push(reader.bytes.toString('utf8', from + 1, end));
    from = end;
  }
  return words;
}

test('words of texts', () => {
  const reader = new WordReader(0x77);
  for (const [text, words] of CASES) {
    assert.deepEqual(wordsOf(text), words, text);
    assert.deepEqual(read(reader, text), words, text);
  }
  const long = `${'x '.repeat(100_000)}東京`;
  assert.deepEqual(read(reader, long), wordsOf(long));
});
