/**
 * Stored labels of blank nodes: the scope of their document and the label written there.
 *
 * 1. The scope text S is `snapshot:<key>` where a snapshot key is given, else `sha256:` and the hex
 *    SHA-256 of the document's bytes after decompression. h = first 16 hex digits of SHA-256(S).
 * 2. A written label x is stored as `d<h>-x`, the k-th anonymous node (from 0) as `d<h>a<k>`.
 * 3. Scope `store` keeps written labels verbatim; anonymous nodes are named as in 2.
 * 4. Several documents under one snapshot key have a scope each (the key and the document's name),
 *    since equal labels in two documents are two nodes.
 *
 * So the same bytes give the same nodes whenever they are loaded, and two documents share none by
 * accident. The hash is known only after the last byte; until then a node has a provisional label
 * (`-x`, `a0`), which `resolve` completes.
 */

import { createHash, type Hash } from 'node:crypto';
import { type BlankNode, terms } from './terms.js';

export type BlankNodeScope = 'document' | 'store';

const SCOPE_DIGITS = 16;
const WRITTEN = '-';
const ANONYMOUS = 'a';

/** The scope text of a document of a load. */
export function scopeText(document: {
  readonly snapshotKey?: string | undefined;
  /** Hex SHA-256 of the decompressed bytes. */
  readonly sha256: string;
  /** Absent when the load has one document. */
  readonly name?: string | undefined;
}): string {
  if (document.snapshotKey === undefined) return `sha256:${document.sha256}`;
  return `snapshot:${document.snapshotKey}${document.name === undefined ? '' : `\n${document.name}`}`;
}

/** h of a scope text. */
export function scopeDigits(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SCOPE_DIGITS);
}

/** Makes the nodes of one document. */
export class DocumentBlankNodes {
  #anonymous: number;

  /** `anonymous`: how many anonymous nodes were made before, where another reader has begun. */
  constructor(anonymous = 0) {
    this.#anonymous = anonymous;
  }

  /** For a reader: a written label, or null for an anonymous node, in the order of the document. */
  readonly make = (label: string | null): BlankNode =>
    terms.blankNode(label === null ? `${ANONYMOUS}${this.#anonymous++}` : `${WRITTEN}${label}`);
}

/** The stored label of a provisional one. */
export function resolveLabel(provisional: string, digits: string, scope: BlankNodeScope): string {
  if (scope === 'store' && provisional.startsWith(WRITTEN)) return provisional.slice(WRITTEN.length);
  return `d${digits}${provisional}`;
}

/** Hashes bytes as they pass. */
export class PayloadHash {
  readonly #hash: Hash = createHash('sha256');
  bytes = 0;

  async *observe(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of input) {
      this.update(chunk);
      yield chunk;
    }
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
