/**
 * What travels between the caller's thread and a thread of the store: readers, the writer, the helper of a load.
 *
 * A *call* is one job with a number. It answers with at most one head, any number of chunks and then
 * `done` or `error`. A chunk is bytes, which are transferred and never copied, or a small value that names bytes in
 * memory which both threads share. Chunks are held back by the window: a job that waits for room
 * sends at most `WINDOW_CHUNKS` that the caller has not acknowledged. A call may read streams of the
 * caller, one chunk per `want`. It is cancelled by its flag in shared memory; the message beside it
 * wakes a call that waits for the caller.
 */

import type { Progress } from '../control.js';
import type { SentError } from './error-serialisation.js';

/** Chunks that may be under way unread. Of 64 KB or a batch of rows each, so a call holds little. */
export const WINDOW_CHUNKS = 4;
/** Calls that a thread works on at once; each has a word of the shared flags. */
export const CALLS_MAX = 64;

export interface ThreadData {
  /** Flags and words of waiting. */
  readonly flags: SharedArrayBuffer;
  readonly setup: unknown;
}

/** Bytes over a buffer of their own: they are transferred. */
export type SentBytes = Uint8Array<ArrayBuffer>;

export type ToThread =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly flag: number;
      readonly job: string;
      readonly input: unknown;
      /** When the work was asked for, by the clock that threads share. */
      readonly askedMs: number;
    }
  | { readonly kind: 'ack'; readonly id: number }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'input'; readonly id: number; readonly stream: number; readonly bytes: SentBytes | null }
  | { readonly kind: 'input-error'; readonly id: number; readonly stream: number; readonly error: SentError }
  | { readonly kind: 'close' };

export type FromThread =
  | { readonly kind: 'ready'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: SentError }
  | { readonly kind: 'head'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'chunk'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'want'; readonly id: number; readonly stream: number }
  | { readonly kind: 'unwanted'; readonly id: number; readonly stream: number }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: SentError }
  /** What would have been messages one behind the other; a small answer is one of these. */
  | { readonly kind: 'several'; readonly messages: readonly CallMessage[] };

/** A message about one call. */
export type CallMessage = Extract<FromThread, { readonly id: number }>;

/** The bytes over a buffer of exactly their size that nobody else holds; a copy where need be. */
export function ownBytes(bytes: Uint8Array, fresh: boolean): SentBytes {
  const { buffer, byteOffset, byteLength } = bytes;
  const whole = byteOffset === 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer;
  return fresh && whole ? (bytes as SentBytes) : new Uint8Array(bytes);
}
