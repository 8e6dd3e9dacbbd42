/**
 * Answers as bytes. The same encoder runs in the caller's thread and in the reader threads, so an
 * answer has the same bytes wherever it was computed.
 */

import type { QueryAnswer, QueryOptions, ResultFormat } from './query.js';

/** Texts are gathered until they are about this long: a message between threads costs as much as a few KB. */
const CHUNK_CHARACTERS = 64 * 1024;

export interface ReadOptions extends QueryOptions {
  /** Default `json`. */
  readonly format?: ResultFormat | undefined;
}

/** An answer that is encoded already: its bytes can be read once. */
export interface EncodedAnswer extends AsyncIterable<Uint8Array> {
  readonly kind: 'select' | 'ask';
  /** In the order of the projection; empty for ASK. */
  readonly variables: readonly string[];
  /** Gives up what the answer holds when it will not be read. Harmless afterwards. */
  close(): void;
}

async function* encodeTexts(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let gathered = '';
  for await (const text of texts) {
    gathered += text;
    if (gathered.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(gathered);
    gathered = '';
  }
  if (gathered !== '') yield encoder.encode(gathered);
}

export function encodeAnswer(answer: QueryAnswer, format: ResultFormat): EncodedAnswer {
  const bytes = encodeTexts(answer.encode(format));
  return {
    kind: answer.kind,
    variables: answer.kind === 'select' ? answer.variables : [],
    [Symbol.asyncIterator]: () => bytes,
    close: () => {
      if (answer.kind === 'select') answer.close();
    },
  };
}
