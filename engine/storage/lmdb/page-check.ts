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
const HEADER_BYTES = 24;
const NODE_BYTES = 8;
const TREE_BYTES = 48;
const OVERFLOW_RECORD_BYTES = 24;
const META_PAGES = 2;
const PAGE_BYTES_MIN = 256;
const PAGE_BYTES_MAX = 65536;
const DEPTH_MAX = 32;
const NO_PAGE = 2n ** 64n - 1n;
/** A writer may turn over pages while they are looked at; then the newest state is looked at anew. */
const TRIES_MAX = 20;

const PAGE = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const;
const PAGE_KINDS = 0x0f;
const NODE = { overflow: 0x01, tree: 0x02 } as const;
/** Integer keys; duplicates and such are not used. */
const TREE_FLAGS = 0x08;
/** Of the file, kept where the tree of free pages has its flags: a file without folder, its sync going on, integer keys. */
const FILE_FLAGS = 0x4000 | 0x1000 | TREE_FLAGS;

interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: bigint;
  readonly leafPages: bigint;
  readonly overflowPages: bigint;
  readonly entries: bigint;
  readonly root: bigint;
}

interface Meta {
  readonly pageBytes: number;
  readonly free: Tree;
  readonly main: Tree;
  readonly lastPage: number;
  readonly transaction: bigint;
}

/** What makes a file unreadable, said by the check to itself. */
class Damage extends Error {}

/** A sound file of somebody else. */
class Foreign extends Damage {}

function demand(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Damage(what);
}

function readTree(bytes: Buffer, at: number): Tree {
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

class PageCheck {
  readonly #file: number;
  readonly #meta: Meta;
  readonly #pages: number;
  readonly #seen: Uint8Array;
  readonly #names: readonly string[];
  #branches = 0n;
  #leaves = 0n;
  #overflows = 0n;
  #entries = 0n;

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
    this.#branches = 0n;
    this.#leaves = 0n;
    this.#overflows = 0n;
    this.#entries = 0n;
    const trees: { readonly name: string; readonly tree: Tree }[] = [];
    this.#page(tree.root, tree.depth, name, hasTrees ? trees : null);
    demand(
      this.#branches === tree.branchPages &&
        this.#leaves === tree.leafPages &&
        this.#overflows === tree.overflowPages &&
        this.#entries === tree.entries,
      `${name} does not have the pages and entries that it should`,
    );
    for (const inner of trees) this.#tree(inner.tree, inner.name, false);
  }

  /** Notes pages `[number, number + count)` as in use. */
  #take(number: bigint, count: number, name: string): number {
    const first = Number(number);
    demand(first >= META_PAGES && first + count <= this.#pages, `${name} has page ${number}, which is not in the file`);
    for (let page = first; page < first + count; page++) {
      const bit = 1 << (page & 7);
      demand(((this.#seen[page >>> 3] as number) & bit) === 0, `${name} has page ${page}, which is used twice`);
      this.#seen[page >>> 3] = (this.#seen[page >>> 3] as number) | bit;
    }
    return first;
  }

  #page(number: bigint, depth: number, name: string, trees: { name: string; tree: Tree }[] | null): void {
    const page = this.#take(number, 1, name);
    const { pageBytes } = this.#meta;
    const bytes = Buffer.alloc(pageBytes);
    const read = readSync(this.#file, bytes, 0, pageBytes, page * pageBytes);
    demand(read === pageBytes && bytes.readBigUInt64LE(0) === number, `page ${page} of ${name} is another page`);
    const kind = bytes.readUInt16LE(18) & PAGE_KINDS;
    demand(kind === (depth > 1 ? PAGE.branch : PAGE.leaf), `page ${page} of ${name} is of the wrong kind`);
    const room = pageBytes - HEADER_BYTES;
    const lower = bytes.readUInt16LE(20);
    const upper = bytes.readUInt16LE(22);
    const nodes = lower >>> 1;
    demand((lower & 1) === 0 && nodes > 0 && lower <= upper && upper <= room, `page ${page} of ${name} is malformed`);
    if (depth > 1) this.#branches++;
    else {
      this.#leaves++;
      this.#entries += BigInt(nodes);
    }
    for (let i = 0; i < nodes; i++) {
      const offset = bytes.readUInt16LE(HEADER_BYTES + 2 * i);
      const at = HEADER_BYTES + offset;
      demand(offset >= upper && offset + NODE_BYTES <= room, `page ${page} of ${name} has a node outside it`);
      const keyEnd = at + NODE_BYTES + bytes.readUInt16LE(at + 6);
      demand(keyEnd <= pageBytes, `page ${page} of ${name} has a key that is too long`);
      if (depth > 1) this.#page(childOf(bytes, at), depth - 1, name, trees);
      else this.#leafNode(bytes, at, keyEnd, `page ${page} of ${name}`, trees);
    }
  }

  #leafNode(
    bytes: Buffer,
    at: number,
    dataAt: number,
    name: string,
    trees: { name: string; tree: Tree }[] | null,
  ): void {
    const length = bytes.readUInt32LE(at);
    const flags = bytes.readUInt16LE(at + 4);
    const { pageBytes } = this.#meta;
    if (flags === NODE.overflow) {
      demand(dataAt + OVERFLOW_RECORD_BYTES <= pageBytes, `${name} has a value that ends outside it`);
      const pages = Math.floor((HEADER_BYTES - 1 + length) / pageBytes) + 1;
      demand(bytes.readBigUInt64LE(dataAt + 16) === BigInt(pages), `${name} has a value of the wrong length`);
      this.#take(bytes.readBigUInt64LE(dataAt), pages, name);
      this.#overflows += BigInt(pages);
      return;
    }
    demand(dataAt + length <= pageBytes, `${name} has a value that ends outside it`);
    if (trees === null) {
      demand(flags === 0, `${name} has a value of an unknown kind`);
      return;
    }
    const key = bytes.toString('latin1', at + NODE_BYTES, dataAt).replace(/\0$/, '');
    if (flags !== NODE.tree || length !== TREE_BYTES || !this.#names.includes(key))
      throw new Foreign(`it has a part named ${JSON.stringify(key)}`);
    const tree = readTree(bytes, dataAt);
    demand((tree.flags & ~TREE_FLAGS) === 0, `the part named ${key} is of an unknown kind`);
    trees.push({ name: key, tree });
  }
}

function childOf(bytes: Buffer, at: number): bigint {
  return BigInt(bytes.readUInt32LE(at)) | (BigInt(bytes.readUInt16LE(at + 4)) << 32n);
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
function newestMeta(file: number): Meta {
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
      const fileBytes = fstatSync(file).size;
      const meta = newestMeta(file);
      before = meta.transaction;
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
