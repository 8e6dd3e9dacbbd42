/** What reader threads do for each job: the store's own reads, with the caller at the other end of the messages. */

import type { Progress } from '../../base/control.js';
import { invariant } from '../../base/errors.js';
import { withDeadline } from '../../base/interrupt.js';
import type { JobContext } from '../../base/threads/server.js';
import type { Configuration } from '../configuration/configuration.js';
import { encodeOperation } from '../operations/definition/answer-operation.js';
import type { Operation } from '../operations/definition/operation.js';
import type { EngineQuery } from '../reads/query.js';
import { encodeAnswer } from '../reads/read.js';
import type { Store } from '../store/store.js';
import { receiveTerms } from '../threads/packed-quads.js';
import { decodeBody, parseInPieces } from '../threads/parse-job.js';
import type { ReadJobName, ReadJobs } from '../threads/read-jobs.js';

type Work<Name extends ReadJobName> = (
  input: ReadJobs[Name]['input'],
  context: JobContext,
) => Promise<ReadJobs[Name]['result']>;

type ReaderWork = { readonly [Name in ReadJobName]: Work<Name> };

/** Loaded with the first: threads of the library run none. */
let operations: readonly Operation[] | null = null;

async function loadOperations(): Promise<readonly Operation[]> {
  operations = (await import('../operations/index.js')).OPERATIONS;
  return operations;
}

async function findOperation(name: string): Promise<Operation> {
  const operation = (operations ?? (await loadOperations())).find((one) => one.name === name);
  invariant(operation !== undefined, `there is an operation ${name}`);
  return operation;
}

export function readerJobs(store: Store, configuration: Configuration | undefined): ReaderWork {
  return {
    query: async ({ text, format: wanted, query, parameters }, context) => {
      const given = receiveTerms(parameters) as EngineQuery['parameters'];
      const answer = encodeAnswer(
        await store.answerQuery(text, { ...query, parameters: given, flag: context.flag }),
        wanted,
      );
      try {
        const { kind, format, variables, inference, inferred, labels } = answer;
        context.opening({ kind, format, variables, inference, inferred, labels });
        for await (const bytes of answer) await context.chunk(bytes);
      } finally {
        answer.close();
      }
      return null;
    },
    explain: async ({ text, query, parameters }, { signal, flag }) => {
      const given = receiveTerms(parameters) as EngineQuery['parameters'];
      return store.explainQuery(text, { ...query, parameters: given, signal, flag });
    },
    export: async ({ format, options }, context) => {
      const { signal, flag } = context;
      const onProgress = (progress: Progress): void => context.progress(progress);
      const document = store.export(format, { ...options, signal, flag, onProgress });
      for await (const bytes of document) await context.chunk(bytes);
      return null;
    },
    operation: async ({ name, request, read, representation, acceptable }, context) => {
      const operation = await findOperation(name);
      invariant(configuration !== undefined, 'threads that run operations have a configuration');
      // Reads look at the flag, which is up before the event loop turns; a signal would have to be made.
      const flag = read.deadline === undefined ? context.flag : withDeadline(context.flag, read.deadline);
      const given = { store, configuration, control: { flag }, read, documents: [], representation, acceptable };
      const answer = encodeOperation(await operation.run(given, request));
      try {
        context.opening({ mediaType: answer.mediaType, notes: answer.notes });
        for await (const bytes of answer) await context.chunk(bytes);
        return answer.notes;
      } finally {
        answer.close();
      }
    },
    parse: (input, context) => parseInPieces(context, input),
    decode: (input, context) => decodeBody(context, input),
    count: async (time) => {
      const snapshot = store.snapshot(time);
      try {
        return snapshot.count();
      } finally {
        snapshot.close();
      }
    },
    stats: async () => store.stats(),
  };
}
