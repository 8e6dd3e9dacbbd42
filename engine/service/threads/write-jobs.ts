/** What crosses to the writer thread: one job, a write by its name. Streams stand beside it as inputs of the call, named by their places. */

import type { Principal } from '../../base/principal.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { FeatureName } from '../configuration/features.js';
import type { GovernanceSettings, OwlSettings } from '../options/store-options.js';

type BytesSource = Extract<LoadSource, { kind: 'bytes' }>;

export type SentSource =
  | Exclude<LoadSource, { kind: 'bytes' | 'quads' }>
  | (Omit<BytesSource, 'bytes'> & { readonly bytes: Uint8Array | number })
  | { readonly kind: 'quads'; readonly quads: number; readonly name: string };

export interface SentWrite {
  readonly name: string;
  readonly what: string;
  /** Terms in both are packed. */
  readonly request: object;
  readonly options: object;
  readonly documents: readonly SentSource[];
  readonly principal: Principal;
  /** Somebody is told of the progress. */
  readonly reports: boolean;
  /** The time of a clock that the caller brought. */
  readonly now: number | undefined;
}

/** What the writer thread is told when it starts. */
export interface WriterSetup {
  readonly path: string;
  readonly create: boolean;
  readonly baseNamespace: string | undefined;
  readonly validateOnWrite: boolean | undefined;
  readonly gateTimeoutMs: number | undefined;
  readonly rulesTimeoutMs: number | undefined;
  readonly features: readonly FeatureName[] | undefined;
  readonly owl: OwlSettings | undefined;
  readonly governance: GovernanceSettings | undefined;
  /** archives.open_max */
  readonly archivesOpenMax: number | undefined;
}
