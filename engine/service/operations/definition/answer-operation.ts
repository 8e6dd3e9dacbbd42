/**
 * An operation's answer as bytes, made where the work is done: a read in a reader thread where the store has them,
 * everything else in the caller's. The same encoder runs in both, so an answer has the same bytes wherever it was made.
 */

import { withDeadline } from '../../../base/interrupt.js';
import { readContext } from '../../reads/read-context.js';
import { toByteChunks } from '../../requests/byte-chunks.js';
import { writeJson } from '../../requests/json.js';
import { type AnswerNotes, JSON_MEDIA_TYPE, type OperationAnswer } from '../../requests/operation-answer.js';
import type { Answer, AskContext, Body, Operation } from './operation.js';

export { JSON_MEDIA_TYPE };

async function* encodeBody(body: Body): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(writeJson(body));
}

/** An answer of which all is known. */
class BodyAnswer implements OperationAnswer {
  readonly mediaType = JSON_MEDIA_TYPE;
  readonly notes: AnswerNotes;
  readonly #body: Body;

  constructor({ body, notes = {} }: Extract<Answer<Body>, { kind: 'body' }>) {
    this.#body = body;
    this.notes = notes;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return encodeBody(this.#body);
  }

  close(): void {
    // It holds nothing.
  }
}

/** An answer that is made while it is read, and that may know more at its end. */
class DocumentAnswer implements OperationAnswer {
  readonly mediaType: string;
  readonly #bytes: AsyncGenerator<Uint8Array>;

  constructor(private readonly document: Extract<Answer<Body>, { kind: 'document' }>) {
    this.mediaType = document.mediaType;
    this.#bytes = toByteChunks(document.chunks);
  }

  get notes(): AnswerNotes {
    return { ...this.document.notes, ...this.document.notesAtEnd?.() };
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#bytes;
  }

  close(): void {
    // Leaving a generator that has not begun does nothing, so the document is left itself.
    void this.document.chunks[Symbol.asyncIterator]().return?.();
    this.document.close?.();
  }
}

/** What the operation gave, as bytes. Small answers are many, so there are classes for them (see `query/query.ts`). */
export function encodeOperation(answer: Answer<Body>): OperationAnswer {
  return answer.kind === 'body' ? new BodyAnswer(answer) : new DocumentAnswer(answer);
}

/** Runs an operation; settles when its answer begins. */
export async function answerOperation(
  operation: Operation,
  request: unknown,
  context: AskContext,
): Promise<OperationAnswer> {
  const { store, representation, acceptable, control } = context;
  const isRead = operation.access === 'read' && operation.opens === 'read';
  if (isRead && store.readers !== null && !operation.inServer(request)) {
    const { signal, wait } = control;
    // A thread that reads can't ask for an index.
    if (operation.usesTexts && context.configuration.search.text_backend === 'index') store.wantTexts();
    const read = context.read ?? readContext(context.configuration);
    const input = { name: operation.name, request, read, representation, acceptable };
    return store.readers.operate(input, { signal, wait });
  }
  control.wait?.begins(0);
  const deadline = operation.access === 'read' ? context.read?.deadline : undefined;
  if (deadline === undefined) return encodeOperation(await operation.run(context, request));
  const flag = withDeadline(control.flag, deadline);
  return encodeOperation(await operation.run({ ...context, control: { ...control, flag } }, request));
}
