/** The body of the writer thread: the store, opened for writing, behind the jobs of writing. */

import { once } from 'node:events';
import type { Control, Progress } from '../../base/control.js';
import { type Job, type JobContext, serveThread } from '../../base/threads/server.js';
import type { QueryInput } from '../../graphs/queries/query-definition.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { RetractEpisodeOptions } from '../episodes/episode.js';
import type { EventWriteName } from '../events/event-writes.js';
import type { EntityInput, PredicateInput } from '../facts/entity.js';
import type { ValueInput } from '../facts/values.js';
import type { TermPattern } from '../reads/snapshot.js';
import type { Store } from '../store/store.js';
import { receiveTerms, sendTerms, unpackQuads } from '../threads/packed-quads.js';
import type {
  CallersClock,
  FactMethod,
  SentSource,
  WriteJobName,
  WriteJobs,
  WriterSetup,
} from '../threads/write-jobs.js';
import type { RetractOptions } from '../writes/retract-facts.js';
import type { RetractSourceOptions } from '../writes/retract-source.js';
import type { UpdateOptions } from '../writes/update.js';
import { openStore } from './open-store.js';

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
        { ...options, signal, flag, onProgress, wait: context },
      );
    },
    graph: ({ method, graph, sources, options }, context) => {
      const { signal, flag } = context;
      const onProgress = (progress: Progress): void => context.progress(progress);
      const documents = sources.map((source) => sourceOf(source, context));
      return store.writeGraph(method, graph, documents, { ...options, signal, flag, onProgress, wait: context });
    },
    transact: ({ assert, retract, options }, context) => {
      const quads = (stream: number | null) => (stream === null ? undefined : unpackQuads(context.input(stream)));
      const { signal } = context;
      return store.transact({ assert: quads(assert), retract: quads(retract) }, { ...options, signal, wait: context });
    },
    update: ({ text, options, parameters }, context) =>
      store.update(text, {
        ...options,
        parameters: receiveTerms(parameters) as UpdateOptions['parameters'],
        signal: context.signal,
        flag: context.flag,
        onProgress: (progress) => context.progress(progress),
        wait: context,
      }),
    episode: ({ episode, options }, context) =>
      store.writeEpisode(episode, { ...options, signal: context.signal, wait: context }),
    fact: async ({ method, args }, context) => {
      const control = { signal: context.signal, wait: context };
      return sendTerms(await FACTS[method](store, args.map(receiveTerms), control));
    },
  };
}

type Fact = (store: Store, args: readonly unknown[], control: Control) => Promise<unknown>;

/** The last argument is the options of the method; the caller's side has checked nothing and these do. */
const FACTS: Readonly<Record<FactMethod, Fact>> = {
  set: (store, [entity, predicate, value, options], control) =>
    store.set(entity as EntityInput, predicate as PredicateInput, value as ValueInput, {
      ...(options as object),
      ...control,
    }),
  retract: (store, [entity, options], control) =>
    store.retract(entity as EntityInput, { ...(options as RetractOptions), ...control }),
  retractSource: (store, [source, options], control) =>
    store.retractSource(source as string, { ...(options as RetractSourceOptions), ...control }),
  retractEpisode: (store, [name, options], control) =>
    store.retractEpisode(name as string, { ...(options as RetractEpisodeOptions), ...control }),
  removeMatches: async (store, [subject, predicate, object, graph]) => {
    const [s, p, o, g] = [subject, predicate, object, graph] as TermPattern[];
    await once(store.removeMatches(s, p, o, g), 'end');
  },
  createGraph: (store, [iri, options], control) =>
    store.createGraph(iri as string, { ...(options as object), ...control }),
  storeQuery: (store, [query, options], control) =>
    store.storeQuery(query as QueryInput, { ...(options as object), ...control }),
  removeQuery: (store, [name, options], control) =>
    store.removeQuery(name as string, { ...(options as object), ...control }),
  loadShapes: (store, [name, turtle, options], control) =>
    store.loadShapes(name as string, turtle as string, { ...(options as object), ...control }),
  removeShapes: (store, [name, options], control) =>
    store.removeShapes(name as string, { ...(options as object), ...control }),
  fold: (store, _, control) => store.fold(control),
  events: (store, [name, ...args]) => store.events.write(name as EventWriteName, args),
};

await serveThread(async (setup) => {
  const { path, create, baseNamespace, validateOnWrite, gateTimeoutMs } = setup as WriterSetup;
  let callersTime: number | undefined;
  const now = (): number => callersTime ?? Math.floor(Date.now() / 1000);
  const store = await openStore(path, { create, baseNamespace, validateOnWrite, gateTimeoutMs, now });
  const clocked = (work: Job): Job => {
    return (input: never, context) => {
      callersTime = (input as CallersClock).now;
      return work(input, context);
    };
  };
  const jobs = Object.entries(writerJobs(store)).map(([name, work]) => [name, clocked(work as Job)]);
  return { jobs: Object.fromEntries(jobs), close: () => store.close() };
});
