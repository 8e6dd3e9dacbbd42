/**
 * The statements of earlier sessions, oldest first, in a file that only its owner may read: one a line, as
 * a JSON string, so that statements of several lines stay as they were. Lines that are none are passed over.
 * A session appends; the file is cut to the newest entries when it has grown to twice as many.
 */

import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ENTRIES_MAX = 1000;
/** Larger statements are data rather than something to ask again. */
const ENTRY_LENGTH_MAX = 100_000;
const OWNER_ONLY = 0o600;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the history is kept; null = nowhere. */
export function historyPath({ SVC_HISTORY, XDG_STATE_HOME, HOME, USERPROFILE }: Environment): string | null {
  if (SVC_HISTORY !== undefined) return SVC_HISTORY === '' ? null : SVC_HISTORY;
  const home = HOME ?? USERPROFILE;
  const states = XDG_STATE_HOME || (home === undefined ? undefined : join(home, '.local', 'state'));
  return states === undefined ? null : join(states, 'svc', 'history');
}

export class HistoryFile {
  readonly #path: string | null;
  readonly #entries: string[];
  /** Lines of the file. */
  #lines: number;

  /** A file that is not there yet, or can not be read, is an empty history. */
  constructor(path: string | null) {
    this.#path = path;
    const lines = path === null ? [] : readLines(path);
    this.#lines = lines.length;
    this.#entries = lines.flatMap(parseEntry).slice(-ENTRIES_MAX);
  }

  /** Oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** Keeps a statement, unless it is the one before once more. A file that can't be written is left alone. */
  add(statement: string): void {
    const text = statement.trim();
    if (text === '' || text.length > ENTRY_LENGTH_MAX || text === this.#entries.at(-1)) return;
    this.#entries.push(text);
    if (this.#entries.length > ENTRIES_MAX) this.#entries.shift();
    if (this.#path === null) return;
    try {
      this.#write(this.#path, text);
    } catch {
      // A history is a comfort; a read-only home is no reason to stop.
    }
  }

  #write(path: string, text: string): void {
    this.#lines++;
    if (this.#lines > 2 * ENTRIES_MAX) {
      const partial = `${path}.${process.pid}`;
      writeFileSync(partial, this.#entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: OWNER_ONLY });
      renameSync(partial, path);
      this.#lines = this.#entries.length;
      return;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, `${JSON.stringify(text)}\n`, { mode: OWNER_ONLY });
    // One that was there before may have been open to others.
    chmodSync(path, OWNER_ONLY);
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

function parseEntry(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'string' ? [entry] : [];
  } catch {
    return [];
  }
}
