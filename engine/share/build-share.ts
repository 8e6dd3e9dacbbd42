/**
 * Makes a share of a scope's current triples: collects and sorts them, then writes `export.nt` once while its bytes are
 * hashed and counted, and says what the manifest is for a given parent. Memory is bounded by the sorter, but for triples
 * with blank nodes, whose labels need them all.
 */

import { createHash } from 'node:crypto';
import { type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { compareCodePoints } from '../base/text.js';
import type { LineBatch } from './ground-lines.js';
import type { IdentifierPolicy } from './identifier-policy.js';
import { IdentifierScan } from './identifier-scan.js';
import { LineSorter } from './line-sorter.js';
import {
  CANONICALIZATION,
  finishManifest,
  GENERATOR,
  MANIFEST_VERSION,
  type ShareManifest,
  type ShareScope,
} from './manifest.js';
import { type SharedShapes, shapesDocument } from './shapes-document.js';
import { TripleCollector } from './triple-collector.js';

/** What is shared; read once. */
export interface ShareInput {
  readonly scope: ShareScope;
  readonly triples: AsyncIterable<LineBatch>;
  /** No triple comes twice. */
  readonly distinct: boolean;
  /** Null for a construct. */
  readonly anchorTx: number | null;
  readonly shapes: readonly SharedShapes[];
  /** `urn:svc:store:<uuid>` */
  readonly store: string;
}

export interface ShareOptions extends Control {
  readonly policy?: IdentifierPolicy | undefined;
  /** Bytes of all files together; absent = any. */
  readonly bytesMax?: number | undefined;
  readonly hashCallsMax?: number | undefined;
  /** Of the sorter, before it writes to the disk. */
  readonly sortBytes?: number | undefined;
}

/** `export.nt` as it was written. */
interface Exported {
  readonly sha256: string;
  readonly bytes: number;
  readonly triples: number;
}

const STEP_TRIPLES = 100_000;

/** Sorted and labelled triples of a scope. Whoever has it closes it. */
export class CollectedShare {
  readonly #input: ShareInput;
  readonly #sorter: LineSorter;
  readonly #blankNodes: number;
  readonly shapesTurtle: string;
  /** Entries of tier `warn` that matched, with how many texts. */
  readonly warnings: ReadonlyMap<string, number>;

  /** @internal Made by `collectShare`. */
  constructor(input: ShareInput, sorter: LineSorter, blankNodes: number, scan: IdentifierScan | null) {
    this.#input = input;
    this.#sorter = sorter;
    this.#blankNodes = blankNodes;
    this.shapesTurtle = shapesDocument(input.shapes);
    this.warnings = scan?.warnings ?? new Map();
  }

  get scope(): ShareScope {
    return this.#input.scope;
  }

  get store(): string {
    return this.#input.store;
  }

  /** Hands on the bytes of `export.nt`, in order. */
  async write(take: (bytes: Uint8Array) => Promise<void> | void): Promise<Exported> {
    const hash = createHash('sha256');
    let [bytes, triples] = [0, 0];
    for await (const some of this.#sorter.sorted()) {
      hash.update(some.bytes);
      bytes += some.bytes.length;
      triples += some.lines;
      await take(some.bytes);
    }
    return { sha256: hash.digest('hex'), bytes, triples };
  }

  manifest({ sha256, bytes, triples }: Exported, parent: string | null): ShareManifest {
    const { scope, shapes, store, anchorTx } = this.#input;
    const turtle = Buffer.from(this.shapesTurtle);
    return finishManifest({
      version: MANIFEST_VERSION,
      scope,
      files: {
        'export.nt': { sha256, bytes },
        'shapes.ttl': { sha256: createHash('sha256').update(turtle).digest('hex'), bytes: turtle.length },
      },
      counts: { triples, blank_nodes: this.#blankNodes, shapes: shapes.length },
      shapes: shapes.map(({ name }) => name).sort(compareCodePoints),
      lineage: { store, anchor_tx: anchorTx, parent_share: parent },
      canonicalization: CANONICALIZATION,
      generator: GENERATOR,
    });
  }

  close(): Promise<void> {
    return this.#sorter.close();
  }
}

/** Throws `identifier_blocked` where the policy forbids something in it. */
export async function collectShare(input: ShareInput, options: ShareOptions = {}): Promise<CollectedShare> {
  const { policy, bytesMax, hashCallsMax, sortBytes, ...control } = options;
  const sorter = new LineSorter(control, sortBytes);
  const scan = policy === undefined ? null : new IdentifierScan(policy);
  try {
    const collector = new TripleCollector(sorter, { watch: scan ?? undefined, hashCallsMax }, control);
    await collectTriples(input, collector, sorter, bytesMax, control);
    const blankNodes = await collector.finish();
    const share = new CollectedShare(input, sorter, blankNodes, scan);
    if (scan !== null) {
      scan.seeDocument('shapes.ttl', share.shapesTurtle);
      scan.seeScope(input.scope);
      for (const { name } of input.shapes) scan.seeName(name);
      scan.finish();
      if (scan.blocked) throw await scan.refusal(sorter.sorted());
    }
    return share;
  } catch (error) {
    await sorter.close();
    throw error;
  }
}

async function collectTriples(
  { triples, distinct }: ShareInput,
  collector: TripleCollector,
  sorter: LineSorter,
  bytesMax: number | undefined,
  control: Control,
): Promise<void> {
  const began = performance.now();
  let told = 0;
  for await (const batch of triples) {
    await collector.add(batch);
    const { triples: done } = collector;
    throwIfStopped(control, 'the share');
    // Where no line can come twice, what was sorted so far is a part of the file.
    if (bytesMax !== undefined && distinct && sorter.bytes > bytesMax)
      throw tooLarge(`more than ${sorter.bytes}`, bytesMax);
    if (done - told < STEP_TRIPLES) continue;
    told = done;
    control.onProgress?.({ phase: 'read', done, elapsedMs: performance.now() - began });
  }
}

export function tooLarge(bytes: string, bytesMax: number): SvcError {
  return new SvcError('too_large', `the share has ${bytes} bytes; at most ${bytesMax} are answered (max_bytes)`, {
    hint: 'share a smaller scope, leave shapes out, or use svc share --output DIR, which has no bound',
  });
}
