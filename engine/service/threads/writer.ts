/**
 * The writer thread as a place for writes. They are posted to it in the order in which they were begun: the request with
 * its terms packed, documents as paths, bytes or forwarded streams, quads as packed batches. Results, progress and errors
 * come back as if the write had run here.
 *
 * A function of the caller's cannot cross: a change that works on a draft, gates, and fetchers of remote contexts are
 * refused.
 */

import { throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { ThreadClient } from '../../base/threads/client.js';
import { ownBytes } from '../../base/threads/messages.js';
import { storePath } from '../../storage/lmdb/store-path.js';
import { WriterLock } from '../../storage/lmdb/writer-lock.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { OpenOptions } from '../options/store-options.js';
import { type WriteCall, withoutCallersOptions } from '../writes/command.js';
import type { WritePlace } from '../writes/writes.js';
import { packQuads, receiveTerms, sendTerms } from './packed-quads.js';
import type { SentSource, SentWrite, WriterSetup } from './write-jobs.js';

function needsCallersThread(what: string): SvcError {
  return new SvcError('invalid_request', `${what} need the writer in the caller's thread`, {
    hint: 'open the store without writerThread',
  });
}

/** What messages call a function that stands under a key of a request or of options. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  change: 'changes given as a function',
  remoteContexts: 'remote contexts that a function fetches',
};

export class WriterThread implements WritePlace {
  readonly isWithinWrite = false;

  private constructor(
    private readonly client: ThreadClient,
    private readonly now: (() => number) | undefined,
  ) {}

  /** Opens the store for writing in a thread of its own, which runs the script. */
  static async open(path: string, create: boolean, options: OpenOptions, script: URL): Promise<WriterThread> {
    if (options.gates !== undefined && options.gates.length > 0) throw needsCallersThread('gates given as functions');
    const { baseNamespace, validateOnWrite, gateTimeoutMs, rulesTimeoutMs, features, owl, governance, archives } =
      options;
    const archivesOpenMax = archives?.openMax;
    const told = { baseNamespace, validateOnWrite, gateTimeoutMs, rulesTimeoutMs, features, owl, governance };
    const client = new ThreadClient({
      name: 'writer',
      script,
      setup: { path, create, ...told, archivesOpenMax } satisfies WriterSetup,
      // LMDB undoes what the thread had begun, and the lock went with it; the text that names its holder is ours to remove.
      onDeath: () => WriterLock.releaseAfterDeath(storePath(path)),
    });
    await client.ready;
    return new WriterThread(client, options.now);
  }

  async run({ name, what, request, options: given, documents, principal, control }: WriteCall): Promise<unknown> {
    const options = withoutCallersOptions(given);
    for (const [key, value] of [...Object.entries(request), ...Object.entries(options)]) {
      if (typeof value === 'function') throw needsCallersThread(FUNCTIONS[key] ?? `functions such as '${key}'`);
    }
    const { signal, wait, onProgress } = control;
    throwIfAborted(signal, what);
    const inputs: AsyncIterator<Uint8Array>[] = [];
    const transfer: ArrayBuffer[] = [];
    const sent: SentWrite = {
      name,
      what,
      request: sendTerms(request),
      options: sendTerms(options),
      documents: documents.map((source) => send(source, inputs, transfer)),
      principal,
      reports: onProgress !== undefined,
      now: this.now?.(),
    };
    const call = this.client.call('write', sent, {
      what,
      signal,
      wait,
      onProgress,
      inputs,
      transfer,
      endsThere: true,
    });
    return receiveTerms(await call.result);
  }

  /** Whoever asks for writes knows which are not through. */
  idle(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return this.client.close();
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
      return { ...source, quads: inputs.push(packQuads(source.quads)) - 1 };
  }
}
