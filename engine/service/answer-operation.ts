/**
 * An operation's answer as bytes, made where the work is done: a read in a reader thread where the store has them,
 * everything else in the caller's. The same encoder runs in both, so an answer has the same bytes wherever it was made.
 */

import { toByteChunks } from './byte-chunks.js';
import { writeJson } from './json.js';
import { JSON_MEDIA_TYPE, type OperationAnswer } from './operation-answer.js';
import type { Answer, Body, Operation, OperationContext } from './operations/operation.js';

export { JSON_MEDIA_TYPE };

async function* encodeBody(body: Body): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(writeJson(body));
}

/** What the operation gave, as bytes. */
export function encodeOperation(answer: Answer<Body>): OperationAnswer {
  if (answer.kind === 'body') {
    const bytes = encodeBody(answer.body);
    const notes = answer.notes ?? {};
    return { mediaType: JSON_MEDIA_TYPE, notes, [Symbol.asyncIterator]: () => bytes, close: () => undefined };
  }
  const { mediaType, chunks, notes, notesAtEnd } = answer;
  const bytes = toByteChunks(chunks);
  return {
    mediaType,
    get notes() {
      return { ...notes, ...notesAtEnd?.() };
    },
    [Symbol.asyncIterator]: () => bytes,
    close: () => {
      // Leaving a generator that has not begun does nothing, so the document is left itself.
      void chunks[Symbol.asyncIterator]().return?.();
      answer.close?.();
    },
  };
}

export interface AnswerOptions extends OperationContext {
  /** For the whole of a read, time in a queue included. */
  readonly timeoutMs?: number | undefined;
}

/** Runs an operation; settles when its answer begins. */
export async function answerOperation(
  operation: Operation,
  request: unknown,
  { timeoutMs, ...context }: AnswerOptions,
): Promise<OperationAnswer> {
  const { store, representation, acceptable, control } = context;
  if (operation.access === 'read' && operation.opens === 'read' && store.readers !== null) {
    const { signal } = control;
    return store.readers.operate({ name: operation.name, request, representation, acceptable }, { signal, timeoutMs });
  }
  return encodeOperation(await operation.run(context, request));
}
