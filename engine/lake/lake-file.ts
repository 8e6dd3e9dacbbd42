/**
 * `lake.json`: what a lake holds. It names the files of each table as of the last export, so that a folder may hold others,
 * of earlier exports or of one that was cut off; and an export counts from the moment in which it has its new content.
 */

import { SvcError } from '../base/errors.js';
import { LAKE_TABLES } from './layout.js';

export const LAKE_FILE = 'lake.json';
/** Greater for what earlier versions can't read or continue. */
export const LAKE_FORMAT = 1;

export type LakeTable = keyof typeof LAKE_TABLES;
export const TABLE_NAMES = Object.keys(LAKE_TABLES) as LakeTable[];

/** Least and greatest value: integers as decimal digits, doubles as such, texts as they are. */
export interface StoredBounds {
  readonly least: string;
  readonly greatest: string;
}

export interface StoredColumn {
  readonly bytes: number;
  readonly nulls: number;
  readonly bounds?: StoredBounds;
}

export interface StoredFile {
  /** Within the lake, with `/` between folders. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Signed id of the predicate whose rows it has alone, as digits. */
  readonly predicate?: string;
  /** By name. */
  readonly columns: Readonly<Record<string, StoredColumn>>;
  /** Transaction of the export that wrote it. */
  readonly tx: number;
}

/** A file that a later export has replaced; it is kept for those who look into the past of the tables. */
export interface RetiredFile extends StoredFile {
  /** Transaction of the export that replaced it. */
  readonly retiredTx: number;
}

/** One export. */
export interface LakeExport {
  readonly tx: number;
  /** Of the transaction, whole seconds since 1970; null for an empty store. */
  readonly at: number | null;
  /** When it was exported, in milliseconds since 1970. */
  readonly exportedMs: number;
  /** A hash of what the log says of the transaction: that of another store with the same identity differs. */
  readonly mark: string;
}

export type ByTable<Value> = Readonly<Record<LakeTable, Value>>;

/** Of the open rows of a predicate; the counts are estimates. */
export interface StoredPredicate {
  readonly rows: number;
  readonly subjects: number;
  readonly objects: number;
  /** The upper 16 bits that ids of its objects have, in facts or in history. */
  readonly prefixes: readonly number[];
}

/** By number of the predicate. */
export type StoredPredicates = Readonly<Record<string, StoredPredicate>>;

export interface LakeContent extends LakeExport {
  readonly format: number;
  /** Identity of the store. */
  readonly store: string;
  /** Where its tables say that they are. */
  readonly location: string;
  readonly tables: ByTable<readonly StoredFile[]>;
  readonly retired: ByTable<readonly RetiredFile[]>;
  /** All exports that can be looked at, the last one included. */
  readonly exports: readonly LakeExport[];
  /** Which terms `terms` has. */
  readonly termIds: StoredPart;
  /** Absent when an export by an earlier version did not keep them, and of stores with very many predicates. */
  readonly predicates?: StoredPredicates | undefined;
}

export interface StoredPart {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export function writeLakeFile(content: LakeContent): Uint8Array {
  return Buffer.from(`${JSON.stringify(content, null, 1)}\n`);
}

/** `where` is what messages call it. */
export function readLakeFile(bytes: Uint8Array, where: string): LakeContent {
  let content: Partial<LakeContent>;
  try {
    content = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw damaged(where, 'it is no JSON', error);
  }
  if (typeof content !== 'object' || content === null || typeof content.format !== 'number') {
    throw new SvcError('store_foreign', `${where} is not that of a lake of svc`, { hint: 'name another folder' });
  }
  if (content.format > LAKE_FORMAT) {
    throw new SvcError(
      'store_newer',
      `${where} has format ${content.format}; this version knows up to ${LAKE_FORMAT}`,
      {
        hint: 'use the version of svc that wrote it, or a later one',
      },
    );
  }
  const { tables, retired, exports, store, tx } = content;
  const isWhole =
    typeof store === 'string' &&
    typeof tx === 'number' &&
    Array.isArray(exports) &&
    typeof tables === 'object' &&
    typeof retired === 'object' &&
    TABLE_NAMES.every((name) => Array.isArray(tables[name]) && Array.isArray(retired[name]));
  if (!isWhole) throw damaged(where, 'parts are missing');
  return content as LakeContent;
}

function damaged(where: string, why: string, cause?: unknown): SvcError {
  return new SvcError('store_corrupt', `${where} is damaged: ${why}`, {
    cause,
    hint: 'export into a new folder',
  });
}

/** For each table. */
export function byTable<Value>(make: (table: LakeTable) => Value): Record<LakeTable, Value> {
  return Object.fromEntries(TABLE_NAMES.map((table) => [table, make(table)])) as Record<LakeTable, Value>;
}
