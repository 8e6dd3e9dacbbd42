/** Requests that a server works on now: what they ask, since when, and a way to end one. */

import { SvcError } from '../../../base/errors.js';

/** Of the text of a query that lists and logs show. */
export const TEXT_CHARACTERS_MAX = 300;

export interface RunningRequest {
  readonly id: number;
  readonly operation: string;
  /** Of the query or update, cut; null for requests that have none. */
  readonly text: string | null;
  readonly client: string;
  /** Milliseconds since it began, and how many of them it waited. */
  readonly elapsedMs: number;
  readonly waitedMs: number;
}

/** One of them, as it is registered. */
export interface RunningEntry {
  describe(): RunningRequest;
  /** Cancels its work; whoever asked gets the error. */
  stop(error: SvcError): void;
}

export class RunningRequests {
  readonly #entries = new Map<number, RunningEntry>();

  add(id: number, entry: RunningEntry): void {
    this.#entries.set(id, entry);
  }

  remove(id: number): void {
    this.#entries.delete(id);
  }

  /** Those that run, the oldest first. */
  list(): RunningRequest[] {
    return [...this.#entries.values()].map((entry) => entry.describe());
  }

  /** False when there is none of that number. */
  cancel(id: number): boolean {
    const entry = this.#entries.get(id);
    entry?.stop(new SvcError('aborted', 'the request was ended by an operator'));
    return entry !== undefined;
  }
}

/** The text that a request asks, cut; null where it asks by other means. */
export function textOfRequest(request: unknown): string | null {
  if (typeof request !== 'object' || request === null) return null;
  const { query, update, construct } = request as Readonly<Record<string, unknown>>;
  const text = [query, update, construct].find((one) => typeof one === 'string') as string | undefined;
  if (text === undefined || text.length <= TEXT_CHARACTERS_MAX) return text ?? null;
  // Half of a surrogate pair is no character.
  return `${text.slice(0, TEXT_CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, '')}...`;
}
