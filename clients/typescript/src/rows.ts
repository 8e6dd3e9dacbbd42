/**
 * Rows of a SPARQL JSON document while it arrives: each binding is parsed when its last brace is there,
 * so no more than a chunk and a row are in memory.
 */

import { SvcError } from './errors.js';

/** A term as SPARQL 1.1 Query Results JSON has it; of triple terms `value` holds the parts. */
export type Term =
  | { readonly type: 'uri' | 'bnode'; readonly value: string }
  | { readonly type: 'literal'; readonly value: string; readonly datatype?: string; readonly 'xml:lang'?: string }
  | {
      readonly type: 'triple';
      readonly value: { readonly subject: Term; readonly predicate: Term; readonly object: Term };
    };

/** A variable that is not bound is absent. */
export type Row = Readonly<Record<string, Term>>;

const BEGIN = /"bindings"\s*:\s*\[/;
const [QUOTE, BACKSLASH, OPEN, CLOSE, LAST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5d];

export async function* readRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row, void, undefined> {
  const decoder = new TextDecoder();
  const splitter = new BindingSplitter();
  for await (const chunk of chunks) {
    for (const binding of splitter.push(decoder.decode(chunk, { stream: true }))) yield JSON.parse(binding) as Row;
  }
  if (!splitter.isDone) throw new SvcError('the answer ended before its last row', null, null);
}

/** Finds the objects of the array of bindings in text that comes in pieces. */
class BindingSplitter {
  isDone = false;
  #begun = false;
  #text = '';
  #at = 0;
  #depth = 0;
  #inString = false;

  push(piece: string): string[] {
    if (this.isDone) return [];
    this.#text += piece;
    if (!this.#begun && !this.#findBegin()) return [];
    const found: string[] = [];
    let start = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (this.#inString) {
        // What is escaped may be in the next piece.
        if (code === BACKSLASH) this.#at++;
        else if (code === QUOTE) this.#inString = false;
      } else if (code === QUOTE) this.#inString = true;
      else if (code === OPEN) {
        if (this.#depth++ === 0) start = this.#at;
      } else if (code === CLOSE) {
        if (--this.#depth === 0) found.push(this.#text.slice(start, this.#at + 1));
      } else if (code === LAST && this.#depth === 0) {
        this.isDone = true;
        return found;
      }
    }
    const kept = this.#depth === 0 ? Math.min(this.#at, this.#text.length) : start;
    this.#text = this.#text.slice(kept);
    this.#at -= kept;
    return found;
  }

  #findBegin(): boolean {
    const begin = BEGIN.exec(this.#text);
    if (begin === null) return false;
    this.#begun = true;
    this.#at = begin.index + begin[0].length;
    return true;
  }
}
