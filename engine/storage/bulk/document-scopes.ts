/**
 * Scopes of the blank nodes of a load's documents (semantics text 8.2). A scope is known at once where
 * a snapshot key is given; else it is the hash of the document's bytes, which is known at its end.
 * Until then the labels of its nodes hold a placeholder, and `settle` puts the digits in when an epoch is closed.
 *
 * Hashing costs as much as loading, so a plain file is hashed only when it turns out to have blank
 * nodes, by reading it again. What cannot be read again is hashed as it passes.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { LoadOptions } from '../seam/engine.js';
import { type ByteInput, StreamInput } from './byte-input.js';
import {
  distinctNames,
  finalDigits,
  type LoadDocument,
  openDocument,
  placeholderScope,
  SCOPE_BYTES,
} from './documents.js';
import type { Epoch } from './epoch.js';

const SCOPE_DIGITS = 16;

interface Scope {
  /** Address of `d` and 16 digits, or of the placeholder. */
  readonly area: number;
  digits: string | null;
}

/** The addresses that `hashRecords` takes. */
export interface ScopeAreas {
  /** For written labels; 0 keeps them verbatim. */
  readonly written: number;
  readonly anonymous: number;
}

export class DocumentScopes {
  readonly #memory: ThreadMemory;
  readonly #seed: readonly [bigint, bigint];
  readonly #options: LoadOptions;
  readonly #documents: readonly LoadDocument[];
  readonly #names: readonly (string | undefined)[];
  readonly #scopes: Scope[] = [];
  /** Hashes of documents that cannot be read again. */
  readonly #hashes = new Map<number, string>();
  #current = -1;
  #currentHash: (() => Promise<string>) | null = null;

  constructor(
    memory: ThreadMemory,
    seed: readonly [bigint, bigint],
    options: LoadOptions,
    documents: readonly LoadDocument[],
  ) {
    this.#memory = memory;
    this.#seed = seed;
    this.#options = options;
    this.#documents = documents;
    this.#names = distinctNames(documents);
  }

  /** Begins document `index`; documents are read one after the other. */
  begin(index: number): void {
    const digits = this.#options.snapshotKey === undefined ? null : finalDigits(this.#options, '', this.#names[index]);
    const area = this.#memory.allocate(SCOPE_BYTES);
    this.#memory.bytes.set(digits === null ? placeholderScope(index) : Buffer.from(`d${digits}`, 'latin1'), area);
    this.#scopes[index] = { area, digits };
    this.#current = index;
    this.#currentHash = null;
  }

  /** How to hash the current document if an epoch is closed before its end. */
  hashCurrentWith(hash: () => Promise<string>): void {
    this.#currentHash = hash;
  }

  /** Ends the current document. */
  async end(input: ByteInput | null): Promise<void> {
    if (this.#currentHash && (input === null || input instanceof StreamInput)) {
      this.#hashes.set(this.#current, await this.#currentHash());
    }
    this.#currentHash = null;
    this.#current = -1;
  }

  /** Areas of the current document. */
  areas(): ScopeAreas {
    const { area } = this.#scopes[this.#current] as Scope;
    return { written: this.#options.blankNodeScope === 'store' ? 0 : area, anonymous: area };
  }

  /** Puts the digits into the labels of an epoch's blank nodes; true when there were any. */
  async settle(epoch: Epoch): Promise<boolean> {
    const memory = this.#memory;
    const documents = this.#scopes.length;
    const used = memory.allocate(documents);
    memory.kernels.zero(used, documents);
    const waiting = memory.kernels.listScopes(epoch.arena, epoch.offsets, epoch.terms, used);
    const wanted = Uint8Array.from(memory.bytesAt(used, documents));
    memory.free(used, documents);
    if (waiting === 0) return false;
    const table = memory.allocate(SCOPE_DIGITS * documents);
    for (let i = 0; i < documents; i++) {
      if (wanted[i] === 0) continue;
      const digits = await this.#digitsOf(i);
      memory.bytes.set(Buffer.from(digits, 'latin1'), table + SCOPE_DIGITS * i);
    }
    const scratch = memory.allocate(16);
    memory.kernels.patchScopes(
      epoch.arena,
      epoch.offsets,
      epoch.terms,
      epoch.hashes,
      table,
      this.#seed[0],
      this.#seed[1],
      scratch,
    );
    memory.free(scratch, 16);
    memory.free(table, SCOPE_DIGITS * documents);
    return true;
  }

  async #digitsOf(index: number): Promise<string> {
    const scope = this.#scopes[index] as Scope;
    scope.digits ??= finalDigits(this.#options, await this.#sha256Of(index), this.#names[index]);
    return scope.digits;
  }

  async #sha256Of(index: number): Promise<string> {
    if (index === this.#current && this.#currentHash) return this.#currentHash();
    const known = this.#hashes.get(index);
    if (known !== undefined) return known;
    const input = openDocument(this.#documents[index] as LoadDocument, this.#options);
    try {
      return await input.sha256();
    } finally {
      input.close();
    }
  }
}
