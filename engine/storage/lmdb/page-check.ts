/**
 * Looks over the pages of a store file before LMDB maps it. LMDB trusts page numbers and offsets in
 * its pages; a damaged one makes it read beyond the map, which ends the process. This check reads
 * the file as plain bytes and follows every tree: afterwards each page that LMDB can reach is of the
 * right kind, lies in the file, is reached once, and its nodes lie inside it.
 *
 * Values are not looked at (they carry checksums of their own), so the work is a page for some
 * hundred values: about 1,000 pages for 100 M quads.
 *
 * Page header, 24 bytes: page number u64, transaction u64, pad u16, flags u16, then lower and upper
 * u16 (offsets behind the header) or, in an overflow page, the number of pages u32.
 * Node: low and high u16, flags u16, key length u16, key, data. In a branch the first three are the
 * child's page number; in a leaf low and high are the data's length.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fromSystemError, SvcError } from '../../base/errors.js';

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
export const HEADER_BYTES = 24;
export const NODE_BYTES = 8;
const TREE_BYTES = 48;
const OVERFLOW_RECORD_BYTES = 24;
const META_PAGES = 2;
const PAGE_BYTES_MIN = 256;
const PAGE_BYTES_MAX = 65536;
export const DEPTH_MAX = 32;
export const NO_PAGE = 2n ** 64n - 1n;
/** A writer may turn over pages while they are looked at; then the newest state is looked at anew. */
export const TRIES_MAX = 20;

export const PAGE = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const;
export const PAGE_KINDS = 0x0f;
export const NODE = { overflow: 0x01, tree: 0x02 } as const;
/** Integer keys; duplicates and such are not used. */
const TREE_FLAGS = 0x08;
/** Of the file, kept where the tree of free pages has its flags: a file without folder, its sync going on, integer keys. */
const FILE_FLAGS = 0x4000 | 0x1000 | TREE_FLAGS;

export interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: bigint;
  readonly leafPages: bigint;
  readonly overflowPages: bigint;
  readonly entries: bigint;
  readonly root: bigint;
}

export interface Meta {
  readonly pageBytes: number;
  readonly free: Tree;
  readonly main: Tree;
  readonly lastPage: number;
  readonly transaction: bigint;
}

/** What makes a file unreadable, said by the check to itself. */
export class Damage extends Error {}

/** A sound file of somebody else. */
class Foreign extends Damage {}

function demand(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Damage(what);
}

export function readTree(bytes: Buffer, at: number): Tree {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: bytes.readBigUInt64LE(at + 8),
    leafPages: bytes.readBigUInt64LE(at + 16),
    overflowPages: bytes.readBigUInt64LE(at + 24),
    entries: bytes.readBigUInt64LE(at + 32),
    root: bytes.readBigUInt64LE(at + 40),
  };
}

/**
 * The loops run once at the start of every process, uncompiled, over tens of thousands of nodes: numbers
 * instead of BigInt, and no message is put together before something is wrong.
 */
class PageCheck {
  readonly #file: number;
  readonly #meta: Meta;
  readonly #pages: number;
  readonly #seen: Uint8Array;
  readonly #names: readonly string[];
  #branches = 0;
  #leaves = 0;
  #overflows = 0;
  #entries = 0;

  constructor(file: number, fileBytes: number, meta: Meta, names: readonly string[]) {
    this.#file = file;
    this.#names = names;
    this.#meta = meta;
    this.#pages = Math.min(meta.lastPage + 1, Math.floor(fileBytes / meta.pageBytes));
    this.#seen = new Uint8Array(Math.ceil(this.#pages / 8));
  }

  run(): void {
    this.#tree(this.#meta.free, 'the tree of free pages', false);
    this.#tree(this.#meta.main, 'the main tree', true);
  }

  #tree(tree: Tree, name: string, hasTrees: boolean): void {
    if (tree.root === NO_PAGE) {
      demand(tree.entries === 0n && tree.depth === 0, `${name} has entries but no root`);
      return;
    }
    demand(tree.depth >= 1 && tree.depth <= DEPTH_MAX, `${name} has depth ${tree.depth}`);
    this.#branches = 0;
    this.#leaves = 0;
    this.#overflows = 0;
    this.#entries = 0;
    const trees: { readonly name: string; readonly tree: Tree }[] = [];
    // Beyond 2^53 a number is not exact, and not a page of any file either.
    this.#page(Number(tree.root), tree.depth, name, hasTrees ? trees : null);
    demand(
      BigInt(this.#branches) === tree.branchPages &&
        BigInt(this.#leaves) === tree.leafPages &&
        BigInt(this.#overflows) === tree.overflowPages &&
        BigInt(this.#entries) === tree.entries,
      `${name} does not have the pages and entries that it should`,
    );
    for (const inner of trees) this.#tree(inner.tree, inner.name, false);
  }

  /** Notes pages `[first, first + count)` as in use. */
  #take(first: number, count: number, name: string): void {
    const end = first + count;
    if (first < META_PAGES || end > this.#pages) {
      throw new Damage(`${name} has page ${first}, which is not in the file`);
    }
    const seen = this.#seen;
    for (let page = first; page < end; page++) {
      const bit = 1 << (page & 7);
      const bits = seen[page >>> 3] as number;
      if ((bits & bit) !== 0) throw new Damage(`${name} has page ${page}, which is used twice`);
      seen[page >>> 3] = bits | bit;
    }
  }

  #page(page: number, depth: number, name: string, trees: { name: string; tree: Tree }[] | null): void {
    this.#take(page, 1, name);
    const { pageBytes } = this.#meta;
    const view = new DataView(new ArrayBuffer(pageBytes));
    const read = readSync(this.#file, view, 0, pageBytes, page * pageBytes);
    const where = `page ${page} of ${name}`;
    demand(read === pageBytes && u64(view, 0) === page, `${where} is another page`);
    const kind = view.getUint16(18, true) & PAGE_KINDS;
    demand(kind === (depth > 1 ? PAGE.branch : PAGE.leaf), `${where} is of the wrong kind`);
    const room = pageBytes - HEADER_BYTES;
    const lower = view.getUint16(20, true);
    const upper = view.getUint16(22, true);
    const nodes = lower >>> 1;
    demand((lower & 1) === 0 && nodes > 0 && lower <= upper && upper <= room, `${where} is malformed`);
    if (depth > 1) this.#branches++;
    else {
      this.#leaves++;
      this.#entries += nodes;
    }
    for (let i = 0; i < nodes; i++) {
      const offset = view.getUint16(HEADER_BYTES + 2 * i, true);
      const at = HEADER_BYTES + offset;
      if (offset < upper || offset + NODE_BYTES > room) throw new Damage(`${where} has a node outside it`);
      const keyEnd = at + NODE_BYTES + view.getUint16(at + 6, true);
      if (keyEnd > pageBytes) throw new Damage(`${where} has a key that is too long`);
      if (depth > 1) this.#page(childOf(view, at), depth - 1, name, trees);
      else if (view.getUint16(at + 4, true) === NODE.overflow) this.#overflow(view, at, keyEnd, where);
      else this.#value(view, at, keyEnd, where, trees);
    }
  }

  /** A value in pages of its own. */
  #overflow(view: DataView, at: number, dataAt: number, name: string): void {
    const { pageBytes } = this.#meta;
    if (dataAt + OVERFLOW_RECORD_BYTES > pageBytes) throw new Damage(`${name} has a value that ends outside it`);
    const pages = Math.floor((HEADER_BYTES - 1 + view.getUint32(at, true)) / pageBytes) + 1;
    if (u64(view, dataAt + 16) !== pages) throw new Damage(`${name} has a value of the wrong length`);
    this.#take(u64(view, dataAt), pages, name);
    this.#overflows += pages;
  }

  /** A value in the page itself; in the main tree, the root of another tree. */
  #value(view: DataView, at: number, dataAt: number, name: string, trees: { name: string; tree: Tree }[] | null): void {
    const length = view.getUint32(at, true);
    const flags = view.getUint16(at + 4, true);
    if (dataAt + length > this.#meta.pageBytes) throw new Damage(`${name} has a value that ends outside it`);
    if (trees === null) {
      if (flags !== 0) throw new Damage(`${name} has a value of an unknown kind`);
      return;
    }
    const bytes = Buffer.from(view.buffer);
    const key = bytes.toString('latin1', at + NODE_BYTES, dataAt).replace(/\0$/, '');
    if (flags !== NODE.tree || length !== TREE_BYTES || !this.#names.includes(key))
      throw new Foreign(`it has a part named ${JSON.stringify(key)}`);
    const tree = readTree(bytes, dataAt);
    demand((tree.flags & ~TREE_FLAGS) === 0, `the part named ${key} is of an unknown kind`);
    trees.push({ name: key, tree });
  }
}

/** Exact up to 2^53; what lies above is no page and no count of pages. */
export function u64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

export function childOf(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32;
}

function readMeta(bytes: Buffer, at: number): Meta {
  const meta = at + HEADER_BYTES;
  demand((bytes.readUInt16LE(at + 18) & PAGE_KINDS) === PAGE.meta, 'a first page is of the wrong kind');
  demand(bytes.readUInt32LE(meta) === MAGIC, 'a first page has no magic number');
  const version = bytes.readUInt32LE(meta + 4) & 0xffff;
  demand(version === DATA_VERSION, `its pages have version ${version}`);
  const lastPage = bytes.readBigUInt64LE(meta + 120);
  const pageBytes = bytes.readUInt32LE(meta + 24);
  const mapBytes = bytes.readBigUInt64LE(meta + 16);
  demand(isPageSize(pageBytes), `it has pages of ${pageBytes} bytes`);
  demand(mapBytes % BigInt(pageBytes) === 0n && mapBytes < 2n ** 47n, `it asks for ${mapBytes} bytes of address space`);
  // The file may end before the last page: pages that were freed in the transaction that took them are never
  // written. One that is in use is missed when its tree is followed.
  demand(lastPage >= 1n && (lastPage + 1n) * BigInt(pageBytes) <= mapBytes, 'it is longer than its address space');
  const [free, main] = [readTree(bytes, meta + 24), readTree(bytes, meta + 72)];
  // LMDB takes some of them for orders: to map the file at a fixed place, or to decrypt its pages.
  demand((free.flags & ~FILE_FLAGS) === 0, 'it is of an unknown kind');
  if (main.flags !== 0) throw new Foreign('its keys are of another kind');
  return {
    pageBytes,
    free,
    main,
    lastPage: Number(lastPage),
    transaction: bytes.readBigUInt64LE(meta + 128),
  };
}

const isPageSize = (bytes: number): boolean =>
  bytes >= PAGE_BYTES_MIN && bytes <= PAGE_BYTES_MAX && (bytes & (bytes - 1)) === 0;

/** The newer of the two meta pages. */
export function newestMeta(file: number): Meta {
  const first = Buffer.alloc(HEADER_BYTES + 32);
  demand(readSync(file, first, 0, first.length, 0) === first.length, 'it is shorter than a page');
  const pageBytes = first.readUInt32LE(HEADER_BYTES + 24);
  demand(isPageSize(pageBytes), `it has pages of ${pageBytes} bytes`);
  const bytes = Buffer.alloc(META_PAGES * pageBytes);
  demand(readSync(file, bytes, 0, bytes.length, 0) === bytes.length, 'it is shorter than it should be');
  const [a, b] = [readMeta(bytes, 0), readMeta(bytes, pageBytes)];
  // Transaction n writes first page n mod 2, so they are one apart (both 0 in a new file).
  const apart = a.transaction - b.transaction;
  const inTurn = apart === 1n || apart === -1n ? a.transaction % 2n === 0n : a.transaction === 0n && apart === 0n;
  demand(a.pageBytes === b.pageBytes && inTurn, 'its first pages disagree');
  return a.transaction > b.transaction ? a : b;
}

function check(file: number, names: readonly string[]): void {
  let before = -1n;
  for (let tries = 0; ; tries++) {
    try {
      const meta = newestMeta(file);
      before = meta.transaction;
      // Afterwards: a commit makes the file longer before the state that it is longer for can be read.
      const fileBytes = fstatSync(file).size;
      new PageCheck(file, fileBytes, meta, names).run();
      return;
    } catch (error) {
      if (!(error instanceof Damage) || tries === TRIES_MAX || !hasMovedOn(file, before)) throw error;
    }
  }
}

function hasMovedOn(file: number, before: bigint): boolean {
  try {
    return newestMeta(file).transaction !== before;
  } catch (error) {
    if (error instanceof Damage) return before >= 0n;
    throw error;
  }
}

/**
 * Throws `store_corrupt` when LMDB must not be let near the file, `store_foreign` when it holds other
 * databases than those named.
 */
export function checkPages(path: string, names: readonly string[]): void {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    check(file, names);
  } catch (error) {
    if (!(error instanceof Damage)) throw fromSystemError(error, `opening ${path}`);
    if (error instanceof Foreign) {
      throw new SvcError('store_foreign', `${path} is an LMDB file, but not a store of svc: ${error.message}`, {
        hint: 'name another file with --db; this one was left as it is',
      });
    }
    throw new SvcError('store_corrupt', `${path} is damaged: ${error.message}`, {
      hint: 'restore it from a backup; the file was left as it is',
    });
  } finally {
    if (file !== null) closeSync(file);
  }
}
