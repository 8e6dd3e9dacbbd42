/** What callers of the library say when they open, load, read and export. */

import type { Control } from '../../base/control.js';
import { SvcError, showValue } from '../../base/errors.js';
import { formatInstant, INSTANT_MAX, INSTANT_MIN, parseInstant } from '../../base/instant.js';
import type { ReadRule } from '../../governance/read-rules.js';
import type { SigningSettings } from '../../governance/signing-identity.js';
import { refuseFutureTx } from '../../query/options.js';
import type { ReadGate } from '../../query/read-gate.js';
import type { AsOf } from '../../query/registry/frozen.js';
import { namespaceFault } from '../../rdf/formats/input/term-checks.js';
import type { Format } from '../../rdf/formats/registry.js';
import type { Quad } from '../../rdf/terms.js';
import type { Instant, TxId } from '../../storage/ids/layout.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import { CURRENT, type TimeSlice } from '../../storage/seam/scan.js';
import type { Configuration } from '../configuration/configuration.js';
import { FEATURE_NAMES, type FeatureName } from '../configuration/features.js';
import type { SkippedFile } from '../documents/documents.js';
import type { Gate, Judged } from '../gates/gates.js';
import type { EmbeddingOptions } from './embedding-options.js';

/** Names a store in memory where the path of a file could stand. */
export const MEMORY_PATH = ':memory:';

/** What a load may take of the memory of a server, beside the reads that go on. */
export const SERVER_LOAD_BYTES = 256 * 1024 * 1024;

export interface OpenOptions {
  /** Open for reading; the store must exist. Any number of processes may. */
  readonly readOnly?: boolean;
  /** Make the store when there is none; default true unless `readOnly`. */
  readonly create?: boolean;
  /**
   * Threads that answer `read`, `count` and such beside the caller's; default 0. A store in memory
   * has none.
   */
  readonly readers?: number;
  /**
   * The writer lives in a thread of its own, and the caller's thread only reads. Gates, drafts and other
   * functions of the caller need it in the caller's thread. A store in memory has no such thread.
   */
  readonly writerThread?: boolean;
  /** Snapshots that are held longer are closed, so that they don't hold the file's old pages; default 300,000. */
  readonly readerAgeMaxMs?: number | undefined;
  /** @internal What operations run by in reader threads. */
  readonly configuration?: Configuration | undefined;
  /**
   * The namespace in which the store mints IRIs, `base_ns` of the configuration. A store that is new, or has none yet,
   * keeps it with its next write; one that has another is refused. Absent = whatever the store has.
   */
  readonly baseNamespace?: string | undefined;
  /** `shacl.validate_on_write`: false = stored shapes do not judge writes, only those that come with one; default true. */
  readonly validateOnWrite?: boolean | undefined;
  /** `shacl.timeout_ms`: a write whose judging takes longer is refused; absent = it may take any time. */
  readonly gateTimeoutMs?: number | undefined;
  /** `update.timeout_ms`: a write is refused where finding what stored rules derive from it takes longer; absent = any time. */
  readonly rulesTimeoutMs?: number | undefined;
  /** Features that are on, by their names: `owl`, `reactive-reasoner`; default none. */
  readonly features?: readonly FeatureName[] | undefined;
  /** Of OWL; means nothing without the feature `owl`. */
  readonly owl?: OwlSettings | undefined;
  /** What judges writes by what operators have written about policies and principals; default nothing does. */
  readonly governance?: GovernanceSettings | undefined;
  /** What makes vectors of texts; absent = nothing does, and vectors come from callers alone. */
  readonly embeddings?: EmbeddingOptions | undefined;
  /** Judges of every write, besides those that the store brings. */
  readonly gates?: readonly Gate[];
  /** @internal Judges of every read of this thread; with reader threads there can be none. */
  readonly readGates?: readonly ReadGate[] | undefined;
  /** Of frozen graphs. */
  readonly archives?: ArchiveSettings | undefined;
  /** The clock, in seconds since 1970; for tests. */
  readonly now?: () => number;
}

/** Of what ontologies say about writes. */
export interface OwlSettings {
  /** `owl.reactive_materialize`: what follows from a write is written with it; default true. */
  readonly reactiveMaterialize?: boolean | undefined;
  /** `owl.validate_on_write`: functional properties supersede, and writes against an ontology are refused; default false. */
  readonly validateOnWrite?: boolean | undefined;
}

/** Which gates of governance judge writes; default none. */
export interface GovernanceSettings {
  /** `governance.enforce_on_write`: the policy gate. */
  readonly enforceOnWrite?: boolean | undefined;
  /** `governance.validate_placement`: the placement gate. */
  readonly validatePlacement?: boolean | undefined;
  /** `governance.enforce_authority`: the authority gate. */
  readonly enforceAuthority?: boolean | undefined;
  /** `governance.read_rules`: who may read which graphs, for `store.readAs`; the store itself reads everything. */
  readonly readRules?: readonly ReadRule[] | undefined;
  /** Who signs verdicts: a key file and the IRI of the verifier; absent = nobody, and no verdict is kept. */
  readonly signing?: SigningSettings | undefined;
}

/** Of frozen graphs and their files. */
export interface ArchiveSettings {
  /** `archives.dir`: where packs are put unless a freeze says otherwise; default the folder of the store. */
  readonly dir?: string | undefined;
  /** `archives.as_of`: whether reads as of a transaction are answered while a graph is frozen; default `refuse`. */
  readonly asOf?: AsOf | undefined;
  /** `archives.open_max`: packs that stay open; default 16. */
  readonly openMax?: number | undefined;
}

/** RFC 3339 with an offset, or a Date. */
export type Time = string | Date;

/**
 * What can be loaded: the path of a file or directory, a text, bytes or a stream of them, RDF/JS quads, or any of these as
 * a source of storage, with its `kind`.
 */
export type LoadInput =
  | string
  | { readonly path: string; readonly format?: Format; readonly name?: string; readonly baseIri?: string }
  | (Omit<Extract<LoadSource, { readonly kind: 'bytes' }>, 'kind' | 'name'> & { readonly name?: string })
  | { readonly text: string; readonly format: Format; readonly name?: string; readonly baseIri?: string }
  | { readonly quads: Iterable<Quad> | AsyncIterable<Quad>; readonly name?: string }
  | LoadSource;

export interface StoreLoadOptions extends Control {
  /** IRI of the graph for triples and for quads of the default graph; absent = ROOT. */
  readonly graph?: string | undefined;
  /** Refuses a `graph` that is not registered, instead of making it. */
  readonly registeredOnly?: boolean | undefined;
  /** The format of paths, whatever their extension says. */
  readonly format?: Format | undefined;
  readonly baseIri?: string | undefined;
  readonly timestamp?: Time | undefined;
  readonly validFrom?: Time | undefined;
  readonly actor?: string | undefined;
  readonly source?: string | undefined;
  /** The scope of blank nodes, instead of the hash of the document. */
  readonly snapshotKey?: string | undefined;
  /**
   * With a snapshot key: the documents are the new state of what the key owns in the graph. What it owns
   * and they do not repeat is retracted, in the same transaction, whose source is `snapshot:<key>`.
   */
  readonly replaceSnapshot?: boolean | undefined;
  /** `store` keeps labels of blank nodes as they are written. */
  readonly blankNodeScope?: 'document' | 'store' | undefined;
  /** SHACL shapes in Turtle that this load is judged by, besides the stored ones. */
  readonly shapes?: string | undefined;
  readonly threads?: number | undefined;
  readonly memoryBytesMax?: number | undefined;
  /** Fetches the remote contexts of JSON-LD documents: the parsed JSON of a URL. Without it they are refused. */
  readonly remoteContexts?: ((url: string) => Promise<unknown>) | undefined;
  /** Told of every file of a directory that is no document. */
  readonly onSkip?: ((file: SkippedFile) => void) | undefined;
}

export interface LoadResult extends Judged {
  /** The transaction that was written. */
  readonly tx: TxId;
  readonly timestamp: string;
  readonly validFrom: string;
  /** Quads in the documents, duplicates included. */
  readonly quadsRead: number;
  /** Quads that are new in the store. */
  readonly quadsAdded: number;
  /** Quads that a replacement closed. */
  readonly quadsRetracted: number;
  readonly documents: number;
}

export interface TimeOptions {
  /** What the store knew after this transaction. */
  readonly tx?: TxId | undefined;
  /** What held at this instant. */
  readonly validAt?: Time | undefined;
}

export interface BackupOptions extends Control {
  /** Replaces a file of that name. */
  readonly overwrite?: boolean | undefined;
}

export interface ExportOptions extends Control {
  /** IRI of one graph; absent = ROOT, or every graph in a format that names graphs. */
  readonly graph?: string | undefined;
  readonly prefixes?: Readonly<Record<string, string>> | undefined;
  /** Lines beyond this much memory are sorted on disk. */
  readonly memoryBytesMax?: number | undefined;
}

export function checkBaseNamespace(given: unknown): void {
  if (given === undefined) return;
  const fault = typeof given === 'string' ? namespaceFault(given) : 'is no text';
  if (fault === null) return;
  throw new SvcError('invalid_request', `baseNamespace: ${showValue(given)} ${fault}; expected an absolute IRI`, {
    hint: 'for example http://example.org/ns#',
  });
}

/** A feature that there is not would be missed only by what it should do. */
export function checkFeatures(given: unknown): void {
  if (given === undefined) return;
  const list = Array.isArray(given) ? (given as unknown[]) : [given];
  const unknown = list.find((name) => !(FEATURE_NAMES as readonly unknown[]).includes(name));
  if (Array.isArray(given) && unknown === undefined) return;
  const message = `features: ${showValue(unknown ?? given)} is none; expected a list of ${FEATURE_NAMES.join(', ')}`;
  throw new SvcError('invalid_request', message);
}

export function toInstant(time: Time, allowDate: boolean, name = 'time'): Instant {
  if (typeof time === 'string') return parseInstant(time, { allowDate, name });
  if (!(time instanceof Date)) {
    throw new SvcError('invalid_request', `${name}: expected a text in RFC 3339 or a Date`);
  }
  const instant = Math.floor(time.getTime() / 1000);
  if (Number.isNaN(instant)) throw new SvcError('invalid_request', `${name}: the Date is no valid time`);
  if (instant < INSTANT_MIN || instant > INSTANT_MAX) {
    throw new SvcError('invalid_request', `${name}: the Date lies outside of the years 0000 to 9999`);
  }
  return instant;
}

export function showInstant(instant: Instant): string {
  return formatInstant(instant);
}

/** `latest`: the last transaction of the snapshot that is read; one beyond it is refused. */
export function toTimeSlice(options: TimeOptions, latest?: TxId): TimeSlice {
  const { tx } = options;
  if (tx !== undefined && (!Number.isSafeInteger(tx) || tx < 0)) {
    throw new SvcError('invalid_request', `tx is ${String(tx)}; expected an integer of at least 0`);
  }
  const validAt = options.validAt === undefined ? undefined : toInstant(options.validAt, true, 'valid_at');
  if (tx === undefined) return validAt === undefined ? CURRENT : { kind: 'validAt', validAt };
  const time: TimeSlice = validAt === undefined ? { kind: 'asOf', tx } : { kind: 'asOfValidAt', tx, validAt };
  if (latest !== undefined) refuseFutureTx(time, latest);
  return time;
}
