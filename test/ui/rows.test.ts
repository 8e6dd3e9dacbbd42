/** Rows of an answer in the page: terms of TSV and N-Triples, pages of lines, what of a long list is seen. Without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HEIGHT_MAX, listHeight, rowsAt, scrollTopOf } from '../../interfaces/ui/workbench/results/virtual-rows.js';
import { RowPages } from '../../interfaces/ui/workbench/rows/row-pages.js';
import { MalformedTerm, termOfCell, termsOfTriple } from '../../interfaces/ui/workbench/rows/terms.js';

const XSD = 'http://www.w3.org/2001/XMLSchema#';

test('terms of TSV: every kind, escapes, and what is not bound', () => {
  const cells: readonly (readonly [string, unknown])[] = [
    ['', null],
    ['<http://ex.org/a>', { type: 'uri', value: 'http://ex.org/a' }],
    ['<javascript:alert(1)>', { type: 'uri', value: 'javascript:alert(1)' }],
    ['<urn:\\u00e9>', { type: 'uri', value: 'urn:é' }],
    ['_:b0', { type: 'bnode', value: 'b0' }],
    ['"a\\tb\\n\\"c\\"\\\\"', { type: 'literal', value: 'a\tb\n"c"\\' }],
    ['"x\\\\"@en-GB', { type: 'literal', value: 'x\\', 'xml:lang': 'en-GB' }],
    ['"שלום"@he--rtl', { type: 'literal', value: 'שלום', 'xml:lang': 'he--rtl' }],
    [`"2024-01-01"^^<${XSD}date>`, { type: 'literal', value: '2024-01-01', datatype: `${XSD}date` }],
    ['-5', { type: 'literal', value: '-5', datatype: `${XSD}integer` }],
    ['1.50', { type: 'literal', value: '1.50', datatype: `${XSD}decimal` }],
    ['1e-3', { type: 'literal', value: '1e-3', datatype: `${XSD}double` }],
    ['true', { type: 'literal', value: 'true', datatype: `${XSD}boolean` }],
  ];
  for (const [cell, expected] of cells) assert.deepEqual(termOfCell(cell), expected, cell);
  const inner = {
    subject: { type: 'uri', value: 's:' },
    predicate: { type: 'uri', value: 'p:' },
    object: { type: 'literal', value: 'a)>>' },
  };
  assert.deepEqual(termOfCell('<<( <s:> <p:> "a)>>" )>>'), { type: 'triple', value: inner });
  for (const wrong of ['"never closed', '<never', '<<( <s:> <p:> )>>', '@', 'foo']) {
    assert.throws(() => termOfCell(wrong), MalformedTerm, wrong);
  }
});

test('a line of N-Triples is three terms', () => {
  const [subject, predicate, object] = termsOfTriple('_:x <p:> "a <b> \\"c\\""@en .');
  assert.deepEqual(
    [subject, predicate, object],
    [
      { type: 'bnode', value: 'x' },
      { type: 'uri', value: 'p:' },
      { type: 'literal', value: 'a <b> "c"', 'xml:lang': 'en' },
    ],
  );
});

test('pages give back the lines that went in, wherever the chunks end', async () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, ' '));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      async (lines, sizes, ends) => {
        const bytes = new TextEncoder().encode(lines.join('\n') + (ends ? '\n' : ''));
        const pages = new RowPages();
        for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] as number;
          await pages.append(bytes.slice(at, at + size));
          at += size;
        }
        pages.finish();
        // An empty line at the end that does not end is no line.
        const expected = !ends && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
        assert.deepEqual(await pages.slice(0, pages.lines), expected);
      },
    ),
    { numRuns: 60 },
  );
});

test('many pages: any lines are found again, packed tenfold', async () => {
  const pages = new RowPages();
  const rows = 60_000;
  const of = (row: number) => `<http://example.org/resource/number/${row}>\t"label of ${row}"@en\t${row % 97}`;
  for (let row = 0; row < rows; row += 500) {
    const chunk = Array.from({ length: 500 }, (_, at) => `${of(row + at)}\n`).join('');
    await pages.append(new TextEncoder().encode(chunk));
  }
  assert.equal(pages.lines, rows);
  for (const from of [0, 3_000, 4_321, 31_007, rows - 3]) {
    assert.deepEqual(
      await pages.slice(from, from + 40),
      Array.from({ length: Math.min(40, rows - from) }, (_, at) => of(from + at)),
    );
  }
  assert.ok(pages.packedBytes < (rows * of(31_007).length) / 8, String(pages.packedBytes));
});

test('a long list: its first row is at the top of the bar, its last at the end, and every row can be reached', () => {
  for (const rows of [1, 10, 1_000, 307_692, 1_000_000, 20_000_000]) {
    const [view, height] = [390, 26];
    const total = listHeight(rows, height);
    assert.ok(total <= HEIGHT_MAX);
    assert.equal(rowsAt(0, view, rows, height).first, 0);
    const last = rowsAt(total, view, rows, height);
    assert.equal(last.first + last.count >= rows, true, `${rows} rows: ${JSON.stringify(last)}`);
    for (const row of [0, 1, Math.floor(rows / 3), Math.max(0, rows - 16)]) {
      const { first } = rowsAt(scrollTopOf(row, view, rows, height), view, rows, height);
      assert.ok(Math.abs(first - Math.min(row, Math.max(0, rows - 15))) <= 1, `${row} of ${rows}: ${first}`);
    }
  }
});
