/**
 * Packs: a graph in a file of its own, with all of its rows, the transactions and the terms that they need (semantics text
 * 4.2). A pack keeps the ids of the store that wrote it, so that its rows are read beside those of the store without being
 * translated; the content hash knows nothing of ids.
 *
 * The steps of a freeze are the caller's: `contentOf`, `write`, `verify`, then `Stage.relocate` in the
 * transaction that also says where the pack is. From then on `{ kind: 'store', store: alias }` reads it, through the alias
 * that `useArchives` resolves.
 */

import type { Authenticated, Control } from '../../base/control.js';
import type { Quad } from '../../rdf/terms.js';
import type { Instant, TxId } from '../ids/layout.js';

/** `archive/1`: a graph with its history, of a freeze. `knowledge/1`: current facts, to be given away. */
export type PackFormat = 'archive/1' | 'knowledge/1';

export interface PackCounts {
  /** Lines of facts of the content hash: a row that was closed has two, its assertion and its retraction. */
  readonly facts: number;
  readonly open: number;
  readonly transactions: number;
  /** Distinct subjects, predicates and objects. */
  readonly terms: number;
}

/** What a pack, or a graph, holds, however it is stored. */
export interface PackContent {
  /** `sha256:` and 64 hex digits, of the lines of semantics text 4.2. */
  readonly contentHash: string;
  readonly counts: PackCounts;
  /** The least and greatest transaction that a row names; null without rows. */
  readonly minTx: TxId | null;
  readonly maxTx: TxId | null;
}

/** A document that travels with the facts; its hash is a line of the content hash (ruling R47). */
export interface PackDocument {
  readonly name: string;
  /** SHA-256 of the text in hex. */
  readonly sha256: string;
  readonly text: string;
}

/** The vector of an entity; its hash is a line of the content hash (ruling R47). */
export interface PackVector {
  /** IRI. */
  readonly entity: string;
  /** Of the text that it was made of, in decimal digits. */
  readonly text_hash: string;
  /** SHA-256 of the numbers in hex. */
  readonly sha256: string;
  /** The numbers, f32 from the low byte on, in Base64. */
  readonly values: string;
}

/** Vectors that travel with the facts, all of one model. */
export interface PackVectors {
  readonly model: string;
  readonly dimension: number;
  /** By IRI. */
  readonly entities: readonly PackVector[];
}

/** What the writer of a pack says of it; other members are kept as they are. */
export interface PackDescription {
  readonly pack_format: PackFormat;
  readonly class: string;
  readonly created_at: string;
  readonly actor: string | null;
  /** Of the graph, by axis, as declared when the pack was written; null = undeclared. For people only. */
  readonly labels: unknown;
  readonly shapes?: readonly PackDocument[] | undefined;
  readonly queries?: readonly PackDocument[] | undefined;
  readonly vectors?: PackVectors | undefined;
  readonly [more: string]: unknown;
}

/** The manifest as it stands in the pack. */
export interface PackManifest extends PackDescription {
  readonly graph: string;
  /** Of the store that wrote it. */
  readonly store_id: string;
  readonly counts: PackCounts;
  readonly min_tx: TxId | null;
  readonly max_tx: TxId | null;
  readonly content_hash: string;
}

export interface PackTransaction {
  readonly id: TxId;
  readonly timestamp: Instant;
  readonly actor: string | null;
  readonly source: string | null;
  readonly authenticated?: Authenticated | undefined;
}

export interface PackToWrite {
  readonly graph: string;
  /** Of a file that does not exist. */
  readonly path: string;
  readonly manifest: PackDescription;
  /** What `contentOf` said of the graph, for the manifest; absent = found on the way. */
  readonly content?: PackContent | undefined;
}

export interface WrittenPack {
  readonly manifest: PackManifest;
  readonly bytes: number;
}

export interface ReadPack {
  readonly manifest: PackManifest;
  /** Found anew from the bytes of the file. */
  readonly content: PackContent;
  readonly bytes: number;
}

/** A fact of a pack, for whoever copies it into a store. */
export interface PackFact {
  readonly quad: Quad;
  readonly txFrom: TxId;
  readonly txTo: TxId | null;
  readonly validFrom: Instant;
  readonly validTo: Instant | null;
}

export interface ArchiveOptions {
  /** Files that stay open when no snapshot reads them. */
  readonly openMax?: number | undefined;
}

export interface GraphPacks {
  /** The identity of the store, which packs name; null for a file of an earlier version that was never opened for writing since. */
  storeId(): string | null;
  /** What the rows of a graph are, from the live store. `current`: only of those that are open, as in `knowledge/1`. */
  contentOf(
    graph: string,
    control: Control,
    options?: { readonly current?: boolean | undefined; readonly description?: PackDescription | undefined },
  ): Promise<PackContent>;
  /** Writes a pack and flushes it. What was begun is removed when it fails. */
  write(pack: PackToWrite, control: Control): Promise<WrittenPack>;
  /**
   * Reads a pack that was just written through, and compares what its file holds with the graph: rows, stored bytes of terms,
   * transactions, counts. `content` is what `contentOf` said of the graph. Throws `store_corrupt` when anything differs, else
   * returns the bytes of the file; its content hash is then that of the graph.
   */
  verify(
    pack: { readonly path: string; readonly graph: string; readonly content: PackContent },
    control: Control,
  ): Promise<{ readonly bytes: number }>;
  /**
   * Reads a pack through: checks every part, and finds hash and counts anew. Throws `store_missing`, `store_foreign` (no
   * pack, or a link), `store_newer`, and `store_corrupt` when it is not what its manifest says.
   */
  read(path: string, control: Control): Promise<ReadPack>;
  /** The manifest alone; of the rest only the pages are looked over. */
  manifest(path: string): PackManifest;
  /** The facts of a pack of any store, in batches, without regard to this store's ids. */
  facts(path: string, control: Control): AsyncIterable<readonly PackFact[]>;
  /** The transactions that a pack carries, ascending. */
  transactions(path: string): readonly PackTransaction[];
  /**
   * Which file stands behind an alias, null for none. It is asked whenever a snapshot first reads the alias, so that an
   * answer of null lets the file go. Files are opened then, and few stay open.
   */
  useArchives(resolve: (alias: string) => string | null, options?: ArchiveOptions): void;
  /** Aliases whose files are open now. */
  openArchives(): readonly string[];
  /** Opens the file behind an alias and closes it when nobody reads it; throws what reading it would. */
  checkArchive(alias: string): void;
}
