/**
 * The jobs of the writer thread: what each is asked and gives. Streams of bytes and quads do not stand
 * in the input; it names their places among the inputs of the call.
 */

import type { GraphStoreMethod } from '../../graphs/graph-store.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { Episode, EpisodeOptions, EpisodeResult } from '../episodes/episode.js';
import type { LoadResult, StoreLoadOptions } from '../options/store-options.js';
import type { GraphWriteOptions, GraphWriteResult } from '../writes/graph-write.js';
import type { TransactionResult, TransactOptions } from '../writes/transact.js';
import type { UpdateOptions, UpdateResult } from '../writes/update.js';

type Unsendable = 'signal' | 'flag' | 'onProgress' | 'onSkip' | 'remoteContexts';

type BytesSource = Extract<LoadSource, { kind: 'bytes' }>;

export type SentSource =
  | Exclude<LoadSource, { kind: 'bytes' | 'quads' }>
  | (Omit<BytesSource, 'bytes'> & { readonly bytes: Uint8Array | number })
  | { readonly kind: 'quads'; readonly quads: number; readonly name: string };

export interface WriteJobs {
  readonly load: {
    input: { readonly sources: readonly SentSource[]; readonly options: Omit<StoreLoadOptions, Unsendable> };
    result: LoadResult;
  };
  readonly graph: {
    input: {
      readonly method: GraphStoreMethod;
      readonly graph: string;
      readonly sources: readonly SentSource[];
      readonly options: Omit<GraphWriteOptions, Unsendable>;
    };
    result: GraphWriteResult;
  };
  readonly transact: {
    input: {
      readonly assert: number | null;
      readonly retract: number | null;
      readonly options: Omit<TransactOptions, Unsendable>;
    };
    result: TransactionResult;
  };
  readonly update: {
    input: {
      readonly text: string;
      readonly options: Omit<UpdateOptions, Unsendable | 'parameters'>;
      /** Packed terms. */
      readonly parameters: unknown;
    };
    result: UpdateResult;
  };
  readonly episode: {
    input: { readonly episode: Episode; readonly options: Omit<EpisodeOptions, Unsendable | 'wait'> };
    result: EpisodeResult;
  };
  readonly fact: {
    input: { readonly method: FactMethod; readonly args: readonly unknown[] };
    result: unknown;
  };
}

/** Other writes of the store, by the names of its methods; terms among the arguments are packed. */
export type FactMethod =
  | 'set'
  | 'retract'
  | 'retractSource'
  | 'retractEpisode'
  | 'removeMatches'
  | 'fold'
  | 'createGraph'
  | 'storeQuery'
  | 'removeQuery'
  | 'loadShapes'
  | 'removeShapes'
  | 'events';

export type WriteJobName = keyof WriteJobs;

/** Stands beside the input of every job: the time of a clock that the caller brought. */
export interface CallersClock {
  readonly now: number | undefined;
}

/** What the writer thread is told when it starts. */
export interface WriterSetup {
  readonly path: string;
  readonly create: boolean;
  readonly baseNamespace: string | undefined;
  readonly validateOnWrite: boolean | undefined;
  readonly gateTimeoutMs: number | undefined;
}
