/**
 * The table of an answer for a terminal: the same rows as elsewhere, in columns as wide as they need to be. Elsewhere
 * a table stays what programs read: columns between tabs.
 */

import { StringDecoder } from 'node:string_decoder';
import { withoutControls } from '../../../engine/base/text.js';
import type { Chunks } from './output.js';
import { tableLines } from './table.js';

const GRAPH_HEADER = ['subject', 'predicate', 'object'];
const RULE = /^-+$/;

async function* linesOf(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk)))).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** A table of tabs as one of columns; a boolean stays as it is. */
export async function* alignedTable(chunks: Chunks, widthMax: number): AsyncGenerator<string> {
  const lines = linesOf(chunks);
  const first = await lines.next();
  if (first.done) return;
  const second = await lines.next();
  if (second.done) {
    yield `${first.value}\n`;
    return;
  }
  const isSelect = RULE.test(second.value);
  let tail = '';
  async function* rows(): AsyncGenerator<string[]> {
    // Of a graph both lines are rows, unless it has none.
    const begun = isSelect ? [] : [first.value as string, second.value as string];
    for (const line of begun) {
      if (line === '' || tail !== '') tail += `${line}\n`;
      else yield cells(line);
    }
    // Behind the first empty line stands the count.
    for await (const line of lines) {
      if (line === '' || tail !== '') tail += `${line}\n`;
      else yield cells(line);
    }
  }
  const header = isSelect ? cells(first.value) : GRAPH_HEADER;
  yield* tableLines(header, rows(), { widthMax });
  yield tail;
}

function cells(line: string): string[] {
  return line.split('\t').map(withoutControls);
}
