/**
 * The writer thread as the store in the caller's thread sees it. Writes are posted to it in the order in
 * which they were begun; documents go as paths, bytes or forwarded streams, quads as packed batches;
 * results, progress and errors come back as if the write had run here.
 *
 * What is a function of the caller's cannot cross: changes that work on a draft, gates, and fetchers of
 * remote contexts are refused.
 */

import { throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { CallOptions } from '../../base/threads/call.js';
import { ThreadClient } from '../../base/threads/client.js';
import { ownBytes } from '../../base/threads/messages.js';
import type { GraphStoreMethod } from '../../graphs/graph-store.js';
import type { Quad } from '../../rdf/terms.js';
import { storePath } from '../../storage/lmdb/store-path.js';
import { WriterLock } from '../../storage/lmdb/writer-lock.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { Episode, EpisodeOptions, EpisodeResult } from '../episodes/episode.js';
import { GateRefusal, type RefusalCode } from '../gates/gates.js';
import type { LoadResult, OpenOptions, StoreLoadOptions } from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import type { GraphWriteOptions, GraphWriteResult } from '../writes/graph-write.js';
import { gatherQuads } from '../writes/quads.js';
import {
  type Change,
  checkChange,
  type DraftChange,
  type TransactionResult,
  type TransactOptions,
} from '../writes/transact.js';
import type { UpdateOptions, UpdateResult } from '../writes/update.js';
import { packQuads, receiveTerms, sendTerms } from './packed-quads.js';
import type { FactMethod, SentSource, WriteJobName, WriteJobs, WriterSetup } from './write-jobs.js';

function needsCallersThread(what: string): SvcError {
  return new SvcError('invalid_request', `${what} need the writer in the caller's thread`, {
    hint: 'open the store without writerThread',
  });
}

export class WriterThread {
  readonly #client: ThreadClient;
  readonly #now: (() => number) | undefined;
  /** Writes that were begun and are not through. */
  readonly #running = new Set<Promise<unknown>>();

  private constructor(client: ThreadClient, now: (() => number) | undefined) {
    this.#client = client;
    this.#now = now;
  }

  /** Opens the store for writing in a thread of its own, which runs the script. */
  static async open(path: string, create: boolean, options: OpenOptions, script: URL): Promise<WriterThread> {
    if (options.gates !== undefined && options.gates.length > 0) throw needsCallersThread('gates given as functions');
    const client = new ThreadClient({
      name: 'writer',
      script,
      setup: {
        path,
        create,
        baseNamespace: options.baseNamespace,
        validateOnWrite: options.validateOnWrite,
        gateTimeoutMs: options.gateTimeoutMs,
      } satisfies WriterSetup,
      // LMDB undoes what the thread had begun, and the lock went with it; the text that names its holder is ours to remove.
      onDeath: () => WriterLock.releaseAfterDeath(storePath(path)),
    });
    await client.ready;
    return new WriterThread(client, options.now);
  }

  load(sources: readonly LoadSource[], options: StoreLoadOptions): Promise<LoadResult> {
    const { signal, wait, flag: _, onProgress, onSkip: __, remoteContexts, ...rest } = options;
    if (remoteContexts !== undefined) {
      return Promise.reject(needsCallersThread('remote contexts that a function fetches'));
    }
    const inputs: AsyncIterator<Uint8Array>[] = [];
    const transfer: ArrayBuffer[] = [];
    const sent = sources.map((source) => send(source, inputs, transfer));
    const input = { sources: sent, options: rest };
    return this.#run('load', input, { what: 'the load', signal, wait, onProgress, inputs, transfer });
  }

  /** A whole graph by the graph store protocol. */
  writeGraph(
    method: GraphStoreMethod,
    graph: string,
    sources: readonly LoadSource[],
    options: GraphWriteOptions,
  ): Promise<GraphWriteResult> {
    const { signal, wait, flag: _, onProgress, ...rest } = options;
    const inputs: AsyncIterator<Uint8Array>[] = [];
    const transfer: ArrayBuffer[] = [];
    const sent = sources.map((source) => send(source, inputs, transfer));
    const input = { method, graph, sources: sent, options: rest };
    return this.#run('graph', input, { what: 'the write of a graph', signal, wait, onProgress, inputs, transfer });
  }

  async transact(change: Change | DraftChange, options: TransactOptions): Promise<TransactionResult> {
    if (typeof change === 'function') throw needsCallersThread('changes given as a function');
    checkChange(change);
    const { signal, wait, ...rest } = options;
    const inputs: AsyncIterator<Uint8Array>[] = [];
    const place = async (name: 'assert' | 'retract'): Promise<number | null> => {
      const quads = change[name];
      if (quads === undefined) return null;
      return inputs.push(packQuads(await gatherQuads(quads, name, signal))) - 1;
    };
    const [retract, assert] = [await place('retract'), await place('assert')];
    return this.#run('transact', { assert, retract, options: rest }, { what: 'the transaction', signal, wait, inputs });
  }

  update(text: string, options: UpdateOptions): Promise<UpdateResult> {
    const { signal, wait, flag: _, onProgress, parameters, ...rest } = options;
    const input = { text, options: rest, parameters: sendTerms(parameters) };
    return this.#run('update', input, { what: 'the update', signal, wait, onProgress });
  }

  /** As it is: what callers name their properties says nothing about how they are sent. */
  episode(episode: Episode, { signal, wait, ...options }: EpisodeOptions): Promise<EpisodeResult> {
    return this.#run('episode', { episode, options }, { what: 'the episode', signal, wait });
  }

  /** Another write of the store, by its method. */
  async fact<Result>(
    method: FactMethod,
    args: readonly unknown[],
    { signal, wait, ...options }: Pick<WriteOptions, 'signal' | 'wait'>,
  ): Promise<Result> {
    const input = { method, args: [...args, options].map(sendTerms) };
    return receiveTerms(await this.#run('fact', input, { what: 'the transaction', signal, wait })) as Result;
  }

  /** Settles when every write that was begun is through. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async close(): Promise<void> {
    await this.idle();
    await this.#client.close();
  }

  #run<Name extends WriteJobName>(
    job: Name,
    input: WriteJobs[Name]['input'],
    options: CallOptions,
  ): Promise<WriteJobs[Name]['result']> {
    const work = (async () => {
      throwIfAborted(options.signal, options.what);
      try {
        const call = this.#client.call(job, { ...input, now: this.#now?.() }, { ...options, endsThere: true });
        return (await call.result) as WriteJobs[Name]['result'];
      } catch (error) {
        throw asMadeHere(error, options.signal);
      }
    })();
    this.#running.add(work);
    const forget = (): unknown => this.#running.delete(work);
    work.then(forget, forget);
    return work;
  }
}

function send(source: LoadSource, inputs: AsyncIterator<Uint8Array>[], transfer: ArrayBuffer[]): SentSource {
  switch (source.kind) {
    case 'file':
      return source;
    case 'bytes': {
      if (source.bytes instanceof Uint8Array) {
        const bytes = ownBytes(source.bytes, false);
        transfer.push(bytes.buffer);
        return { ...source, bytes };
      }
      return { ...source, bytes: inputs.push(source.bytes[Symbol.asyncIterator]()) - 1 };
    }
    case 'quads':
      return { ...source, quads: inputs.push(packQuads(source.quads as Iterable<Quad>)) - 1 };
  }
}

/** A cancelled write keeps the reason of its signal, a gate's refusal its class. */
function asMadeHere(error: unknown, signal: AbortSignal | undefined): unknown {
  if (!(error instanceof SvcError)) return error;
  const { code, message, hint } = error;
  if (code === 'aborted' && signal?.aborted) return new SvcError(code, message, { cause: signal.reason });
  if (!('gate' in error)) return error;
  const { gate, findings } = error as GateRefusal;
  return new GateRefusal(gate, {
    kind: 'refused',
    code: code as RefusalCode,
    message,
    ...(hint === undefined ? {} : { hint }),
    findings,
  });
}
