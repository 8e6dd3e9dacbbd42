/**
 * A write command: what the store can be asked to write, under a name. It is a request, options that say who writes and
 * when, documents that go along, and a function that does the work where the store is open for writing: in the caller's
 * thread or in the writer thread. `commands.ts` lists them all.
 */

import type { Control } from '../../base/control.js';
import type { Principal } from '../../base/principal.js';
import type { LoadSource, StorageEngine, TransactionOptions } from '../../storage/seam/engine.js';
import { settleWrite, type WriteOptions } from '../options/write-options.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
import type { WriteControl } from '../pipeline/write-control.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';

/** Options that belong to the thread of the caller: they become the control and the principal of the write. */
type Callers = 'authenticated' | 'principalChain';
export type CallersOptions = Omit<Control, Callers> & Pick<WriteOptions, Callers>;

/** The options that a command reads: those of the caller's thread stand in its context, and do not cross to another one. */
export type CommandOptions<Options> = Omit<Options, keyof CallersOptions>;

/** What of the options of a write crosses to another thread. */
export function withoutCallersOptions(options: object): object {
  const { signal, flag, onProgress, wait, authenticated, principalChain, ...rest }: CallersOptions = options;
  return rest;
}

/** One write on its way to where it runs. Plain data but for the control and for streams among the documents. */
export interface WriteCall {
  readonly name: string;
  /** The subject of messages. */
  readonly what: string;
  readonly request: object;
  readonly options: object;
  readonly documents: readonly LoadSource[];
  readonly principal: Principal;
  readonly control: Omit<Control, Callers>;
}

export interface WriteCommand<Request extends object, Options extends object, Result> {
  /** The subject of messages: `the load`; absent = the transaction. */
  readonly what?: string;
  /** Who may read some graphs only may ask for it, and writes these; absent: it is refused, whatever it would write. */
  readonly forSomeGraphs?: true;
  /** What is done in the caller's thread before the write is sent: the documents that go along are made of the request. */
  gather?(
    request: Request,
    options: CommandOptions<Options>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly request: object; readonly documents: readonly LoadSource[] }>;
  run(context: WriteContext, request: Request, options: CommandOptions<Options>): Promise<Result>;
}

/** What a command works with, in the thread that writes. */
export class WriteContext {
  /** The storage as whoever writes may read it. */
  readonly engine: StorageEngine;
  readonly documents: readonly LoadSource[];
  readonly principal: Principal;
  /** For the pipeline: what stops the write, is told of its progress, and who asks for it. */
  readonly control: WriteControl;

  constructor(
    /** With graphs that the writer may not read, for whether a name is taken. */
    readonly whole: StorageEngine,
    readonly pipeline: WritePipeline,
    { name, request, documents, principal, control }: Omit<WriteCall, 'what' | 'options'>,
  ) {
    this.engine = pipeline.engineOf(principal);
    this.documents = documents;
    this.principal = principal;
    const { signal, flag, onProgress, wait } = control;
    this.control = { signal, flag, onProgress, wait, principal, command: { name, request } };
  }

  /** In which the store mints IRIs. */
  get baseNamespace(): string {
    return this.whole.baseNamespace(BASE_NS_DEFAULT);
  }

  /** The labels of the transaction, checked. */
  settle({ timestamp, validFrom, actor, source }: WriteLabels): TransactionOptions {
    const authenticated = this.principal.authenticated ?? undefined;
    return settleWrite({ timestamp, validFrom, actor, source, authenticated });
  }
}

type WriteLabels = Pick<WriteOptions, 'timestamp' | 'validFrom' | 'actor' | 'source'>;
