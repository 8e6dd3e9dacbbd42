/**
 * Quads that a program hands over for a transaction. What comes asynchronously is read to its end before
 * the write takes its turn, so that a slow source holds nobody up; the rest is taken in batches, between
 * which the event loop turns and the signal is looked at.
 */

import { breathe, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { interruptible } from '../../base/interruptible.js';
import type { Quad, RDF } from '../../rdf/terms.js';

/** Any iterable, or an RDF/JS stream. */
export type Quads = Iterable<Quad> | AsyncIterable<Quad> | RDF.Stream<Quad>;

const BATCH_QUADS = 4096;
const WHAT = 'the transaction';

export function isQuad(value: unknown): value is Quad {
  return typeof value === 'object' && value !== null && 'subject' in value && 'predicate' in value;
}

/** The same quads, with nothing left to wait for; at once when that is so already. */
export function gatherQuads(
  quads: Quads,
  name: string,
  signal: AbortSignal | undefined,
): Iterable<Quad> | Promise<Iterable<Quad>> {
  if (typeof quads !== 'object' || quads === null) throw notQuads(name);
  if (Symbol.iterator in quads) return quads;
  if (Symbol.asyncIterator in quads) return collect(quads[Symbol.asyncIterator](), signal);
  if (typeof quads.on === 'function') return collectEvents(quads, signal);
  throw notQuads(name);
}

function notQuads(name: string): SvcError {
  return new SvcError('invalid_request', `${name}: quads are given as an iterable or a stream`);
}

async function collect(source: AsyncIterator<Quad>, signal: AbortSignal | undefined): Promise<Quad[]> {
  const quads: Quad[] = [];
  const items = interruptible(source, signal, WHAT);
  for await (const quad of { [Symbol.asyncIterator]: () => items }) quads.push(quad);
  return quads;
}

/** RDF/JS streams need not be iterable: they emit `data`, and in the end `end` or `error`. */
function collectEvents(stream: RDF.Stream<Quad>, signal: AbortSignal | undefined): Promise<Quad[]> {
  return new Promise((resolve, reject) => {
    const quads: Quad[] = [];
    const onAbort = () => reject(new SvcError('aborted', `${WHAT} was cancelled`, { cause: signal?.reason }));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const over = () => signal?.removeEventListener('abort', onAbort);
    stream.on('error', (error: unknown) => {
      over();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
    stream.on('end', () => {
      over();
      resolve(quads);
    });
    // After the end this says nothing new.
    stream.on('close', () => {
      over();
      reject(new SvcError('source_unreadable', 'the stream of quads was closed before its end'));
    });
    stream.on('data', (quad: Quad) => {
      quads.push(quad);
    });
  });
}

/** Hands quads over in batches; gives the sum of what `take` gives. */
export async function takeQuads(
  quads: Iterable<Quad>,
  take: (batch: readonly Quad[]) => number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let batch: Quad[] = [];
  let taken = 0;
  for (const quad of quads) {
    batch.push(quad);
    if (batch.length < BATCH_QUADS) continue;
    taken += take(batch);
    batch = [];
    await breathe();
    throwIfAborted(signal, WHAT);
  }
  return taken + take(batch);
}
