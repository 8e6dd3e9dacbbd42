/**
 * Reads single values of a store file as plain bytes: without LMDB, so without its lock file and without a place
 * among its readers. Nothing is written anywhere.
 *
 * A state of the file stays whole until the second commit after it, since a commit only takes pages that were free
 * in the state before. So what was read counts when the newest state is still the same afterwards; otherwise it is
 * read again. The caller checks the seals of the values.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { fromSystemError, SvcError } from '../../base/errors.js';
import {
  childOf,
  Damage,
  DEPTH_MAX,
  HEADER_BYTES,
  type Meta,
  NO_PAGE,
  NODE,
  NODE_BYTES,
  newestMeta,
  readTree,
  TRIES_MAX,
  type Tree,
  u64,
} from './page-check.js';

/** No value that is read like this is longer; a longer one is damage. */
const VALUE_BYTES_MAX = 256 * 1024 * 1024;

export interface PlainEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface PlainDatabase {
  /** The value of a key of text. */
  get(key: string): Buffer | undefined;
  /** The entry of the greatest key. */
  last(): PlainEntry | undefined;
  /** The entries of the page that holds the greatest key. */
  lastPage(): PlainEntry[];
}

interface Leaf {
  readonly view: DataView;
  /** Where its node begins. */
  readonly at: number;
}

class PlainState {
  constructor(
    private readonly file: number,
    private readonly meta: Meta,
  ) {}

  database(name: string): PlainDatabase {
    const leaf = this.#find(this.meta.main, Buffer.from(name)) ?? this.#find(this.meta.main, Buffer.from(`${name}\0`));
    if (leaf === null) return { get: () => undefined, last: () => undefined, lastPage: () => [] };
    const tree = readTree(this.#value(leaf), 0);
    return {
      get: (key) => {
        const found = this.#find(tree, Buffer.from(key));
        return found === null ? undefined : this.#value(found);
      },
      last: () => {
        const found = this.#last(tree);
        return found === null ? undefined : { key: keyOf(found), value: this.#value(found) };
      },
      lastPage: () => {
        const nodes = this.#leafPage(tree, (branches) => branches.length - 1);
        return nodes.map((node) => ({ key: keyOf(node), value: this.#value(node) }));
      },
    };
  }

  /** The leaf of a key, by the order of bytes. */
  #find(tree: Tree, wanted: Buffer): Leaf | null {
    const nodes = this.#leafPage(tree, (branches) => {
      // The first key of a branch page is empty: whatever is less stands below it.
      const next = branches.findIndex((node, i) => i > 0 && keyOf(node).compare(wanted) > 0);
      return next < 0 ? branches.length - 1 : next - 1;
    });
    return nodes.find((node) => keyOf(node).equals(wanted)) ?? null;
  }

  #last(tree: Tree): Leaf | null {
    return this.#leafPage(tree, (branches) => branches.length - 1).at(-1) ?? null;
  }

  #leafPage(tree: Tree, choose: (branches: readonly Leaf[]) => number): Leaf[] {
    if (tree.root === NO_PAGE) return [];
    if (tree.depth > DEPTH_MAX) throw new Damage(`a tree has depth ${tree.depth}`);
    let page = Number(tree.root);
    for (let depth = tree.depth; depth > 1; depth--) {
      const nodes = this.#nodes(page);
      const child = nodes[choose(nodes)];
      if (child === undefined) throw new Damage(`page ${page} is empty`);
      page = childOf(child.view, child.at);
    }
    return this.#nodes(page);
  }

  #nodes(page: number): Leaf[] {
    const view = this.#bytes(page * this.meta.pageBytes, this.meta.pageBytes);
    const count = view.getUint16(20, true) >>> 1;
    if (HEADER_BYTES + 2 * count > this.meta.pageBytes) throw new Damage(`page ${page} is malformed`);
    return Array.from({ length: count }, (_, i) => {
      const at = HEADER_BYTES + view.getUint16(HEADER_BYTES + 2 * i, true);
      const keyAt = at + NODE_BYTES;
      if (keyAt > view.byteLength || keyAt + view.getUint16(at + 6, true) > view.byteLength) {
        throw new Damage(`page ${page} has a node outside it`);
      }
      return { view, at };
    });
  }

  #value({ view, at }: Leaf): Buffer {
    const length = view.getUint32(at, true);
    const dataAt = at + NODE_BYTES + view.getUint16(at + 6, true);
    if (length > VALUE_BYTES_MAX) throw new Damage('a value is too long');
    if (view.getUint16(at + 4, true) === NODE.overflow) {
      if (dataAt + 8 > view.byteLength) throw new Damage('a value ends outside its page');
      const bytes = this.#bytes(u64(view, dataAt) * this.meta.pageBytes + HEADER_BYTES, length);
      return Buffer.from(bytes.buffer);
    }
    if (dataAt + length > view.byteLength) throw new Damage('a value ends outside its page');
    return Buffer.from(view.buffer, dataAt, length);
  }

  #bytes(at: number, length: number): DataView {
    const view = new DataView(new ArrayBuffer(length));
    if (readSync(this.file, view, 0, length, at) !== length) throw new Damage('it ends before its pages do');
    return view;
  }
}

function keyOf({ view, at }: Leaf): Buffer {
  return Buffer.from(view.buffer, at + NODE_BYTES, view.getUint16(at + 6, true));
}

/** What `read` makes of the values of one state of the file. It may be called several times. */
export function readPlainly<Result>(path: string, read: (open: (name: string) => PlainDatabase) => Result): Result {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    for (let tries = 1; ; tries++) {
      const meta = newestMeta(file);
      const hasMovedOn = (opened: number) => newestMeta(opened).transaction !== meta.transaction;
      try {
        const state = new PlainState(file, meta);
        const result = read((name) => state.database(name));
        if (tries === TRIES_MAX || !hasMovedOn(file)) return result;
      } catch (error) {
        if (tries === TRIES_MAX || !hasMovedOn(file)) throw error;
      }
    }
  } catch (error) {
    if (!(error instanceof Damage)) throw fromSystemError(error, `reading ${path}`);
    throw new SvcError('store_corrupt', `${path} is damaged: ${error.message}`, {
      cause: error,
      hint: 'restore it from a backup; the file was left as it is',
    });
  } finally {
    if (file !== null) closeSync(file);
  }
}
