/** The body of the writer thread: the store, opened for writing, behind the jobs of writing. */

import { once } from 'node:events';
import type { Progress } from '../../base/control.js';
import type { QueryInput } from '../../graphs/queries/query-definition.js';
import type { LoadSource } from '../../storage/engine.js';
import type { EntityInput, PredicateInput } from '../facts/entity.js';
import type { RetractOptions } from '../facts/retract-facts.js';
import type { RetractSourceOptions } from '../facts/retract-source.js';
import type { ValueInput } from '../facts/values.js';
import type { TermPattern } from '../snapshot.js';
import { openStore, type Store } from '../store.js';
import type { UpdateOptions } from '../update.js';
import { receiveTerms, sendTerms, unpackQuads } from './packed-quads.js';
import { type Job, type JobContext, serveThread } from './thread-server.js';
import type { CallersClock, FactMethod, SentSource, WriteJobName, WriteJobs, WriterSetup } from './write-jobs.js';

type WriterWork = {
  readonly [Name in WriteJobName]: (
    input: WriteJobs[Name]['input'],
    context: JobContext,
  ) => Promise<WriteJobs[Name]['result']>;
};

function sourceOf(source: SentSource, context: JobContext): LoadSource {
  switch (source.kind) {
    case 'file':
      return source;
    case 'bytes':
      return { ...source, bytes: typeof source.bytes === 'number' ? context.input(source.bytes) : source.bytes };
    case 'quads':
      return { ...source, quads: unpackQuads(context.input(source.quads)) };
  }
}

function writerJobs(store: Store): WriterWork {
  return {
    load: ({ sources, options }, context) => {
      const { signal, flag } = context;
      const onProgress = (progress: Progress): void => context.progress(progress);
      return store.load(
        sources.map((source) => sourceOf(source, context)),
        { ...options, signal, flag, onProgress },
      );
    },
    graph: ({ method, graph, sources, options }, context) => {
      const { signal, flag } = context;
      const onProgress = (progress: Progress): void => context.progress(progress);
      const documents = sources.map((source) => sourceOf(source, context));
      return store.writeGraph(method, graph, documents, { ...options, signal, flag, onProgress });
    },
    transact: ({ assert, retract, options }, context) => {
      const quads = (stream: number | null) => (stream === null ? undefined : unpackQuads(context.input(stream)));
      return store.transact({ assert: quads(assert), retract: quads(retract) }, { ...options, signal: context.signal });
    },
    update: ({ text, options, parameters }, context) =>
      store.update(text, {
        ...options,
        parameters: receiveTerms(parameters) as UpdateOptions['parameters'],
        signal: context.signal,
        flag: context.flag,
        onProgress: (progress) => context.progress(progress),
      }),
    fact: async ({ method, args }, { signal }) => sendTerms(await FACTS[method](store, args.map(receiveTerms), signal)),
  };
}

type Fact = (store: Store, args: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

/** The last argument is the options of the method; the caller's side has checked nothing and these do. */
const FACTS: Readonly<Record<FactMethod, Fact>> = {
  set: (store, [entity, predicate, value, options], signal) =>
    store.set(entity as EntityInput, predicate as PredicateInput, value as ValueInput, {
      ...(options as object),
      signal,
    }),
  retract: (store, [entity, options], signal) =>
    store.retract(entity as EntityInput, { ...(options as RetractOptions), signal }),
  retractSource: (store, [source, options], signal) =>
    store.retractSource(source as string, { ...(options as RetractSourceOptions), signal }),
  removeMatches: async (store, [subject, predicate, object, graph]) => {
    const [s, p, o, g] = [subject, predicate, object, graph] as TermPattern[];
    await once(store.removeMatches(s, p, o, g), 'end');
  },
  createGraph: (store, [iri, options], signal) => store.createGraph(iri as string, { ...(options as object), signal }),
  storeQuery: (store, [query, options], signal) =>
    store.storeQuery(query as QueryInput, { ...(options as object), signal }),
  removeQuery: (store, [name, options], signal) =>
    store.removeQuery(name as string, { ...(options as object), signal }),
  fold: (store, _, signal) => store.fold({ signal }),
};

await serveThread(async (setup) => {
  const { path, create } = setup as WriterSetup;
  let callersTime: number | undefined;
  const now = (): number => callersTime ?? Math.floor(Date.now() / 1000);
  const store = await openStore(path, { create, now });
  const clocked = (work: Job): Job => {
    return (input: never, context) => {
      callersTime = (input as CallersClock).now;
      return work(input, context);
    };
  };
  const jobs = Object.entries(writerJobs(store)).map(([name, work]) => [name, clocked(work as Job)]);
  return { jobs: Object.fromEntries(jobs), close: () => store.close() };
});
