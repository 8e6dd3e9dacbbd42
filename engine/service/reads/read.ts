/**
 * Answers as bytes. The same encoder runs in the caller's thread and in the reader threads, so an
 * answer has the same bytes wherever it was computed.
 */

import { defaultFormat, type ResultFormat } from '../../query/results/formats.js';
import { toByteChunks } from '../requests/byte-chunks.js';
import type { AnswerChunks, QueryAnswer, QueryOptions } from './query.js';

export interface ReadOptions extends QueryOptions {
  /** Absent = `json`, and `turtle` for the graph of CONSTRUCT and DESCRIBE. */
  readonly format?: ResultFormat | undefined;
}

/** An answer that is encoded already: its bytes can be read once. */
export interface EncodedAnswer extends AsyncIterable<Uint8Array> {
  readonly kind: QueryAnswer['kind'];
  /** What the bytes are. */
  readonly format: ResultFormat;
  /** In the order of the projection; empty for the other forms. */
  readonly variables: readonly string[];
  /** What subclass inference did or withheld. */
  readonly inference: QueryAnswer['inference'];
  /** What `inferred: true` added. */
  readonly inferred: QueryAnswer['inferred'];
  /** What the graphs that the query could read are declared as, together. */
  readonly labels: QueryAnswer['labels'];
  /** Gives up what the answer holds when it will not be read. Harmless afterwards. */
  close(): void;
}

function closeAnswer(answer: QueryAnswer): void {
  if (answer.kind !== 'ask') answer.close();
}

/** `wanted` absent = the default of the kind of answer. A format that does not fit is refused here, not while it is read. */
export function encodeAnswer(answer: QueryAnswer, wanted: ResultFormat | undefined): EncodedAnswer {
  const format =
    wanted ?? defaultFormat(answer.kind === 'select' ? 'rows' : answer.kind === 'ask' ? 'boolean' : 'graph');
  let chunks: AnswerChunks;
  try {
    chunks = answer.encode(format);
  } catch (error) {
    closeAnswer(answer);
    throw error;
  }
  const bytes = toByteChunks(chunks);
  return {
    kind: answer.kind,
    format,
    variables: answer.kind === 'select' ? answer.variables : [],
    inference: answer.inference,
    inferred: answer.inferred,
    labels: answer.labels,
    [Symbol.asyncIterator]: () => bytes,
    close: () => closeAnswer(answer),
  };
}
