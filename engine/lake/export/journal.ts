/**
 * What an export has done so far, so that one that was cut off goes on: the transaction that it exports, and the files that
 * are whole. The next export takes them as they are and sweeps whatever else it finds.
 */

import type { StoredFile } from '../lake-file.js';
import { type LakeTarget, putFile, type ReadFile } from '../target/target.js';

export const JOURNAL_FILE = 'export.json';

/** Files of a predicate, or the shared ones (null), of one part of the work. */
export interface JournalEntry {
  readonly part: string;
  readonly predicate: number | null;
  readonly files: readonly StoredFile[];
}

interface Begun {
  readonly store: string;
  /** What is exported. */
  readonly tx: number;
  /** The export that it builds on; 0 = none. */
  readonly base: number;
}

interface JournalContent extends Begun {
  readonly entries: readonly JournalEntry[];
}

export class Journal {
  readonly #target: LakeTarget;
  readonly begun: Begun;
  readonly #entries: JournalEntry[];

  private constructor(target: LakeTarget, begun: Begun, entries: readonly JournalEntry[]) {
    this.#target = target;
    this.begun = begun;
    this.#entries = [...entries];
  }

  /** What was left by an export of the store over the same base; null = nothing that can be gone on with. */
  static async left(target: LakeTarget, store: string, base: number, newest: number): Promise<Journal | null> {
    const content = contentOf(await target.read(JOURNAL_FILE));
    if (content === null || content.store !== store || content.base !== base || content.tx > newest) return null;
    const { entries, ...begun } = content;
    return new Journal(target, begun, entries);
  }

  static async begin(target: LakeTarget, begun: Begun): Promise<Journal> {
    const journal = new Journal(target, begun, []);
    await journal.#write();
    return journal;
  }

  get files(): readonly StoredFile[] {
    return this.#entries.flatMap(({ files }) => files);
  }

  filesOf(part: string): readonly StoredFile[] {
    return this.#entries.filter((entry) => entry.part === part).flatMap(({ files }) => files);
  }

  done(part: string): ReadonlySet<number | null> {
    return new Set(this.#entries.filter((entry) => entry.part === part).map(({ predicate }) => predicate));
  }

  async add(entry: JournalEntry): Promise<void> {
    this.#entries.push(entry);
    await this.#write();
  }

  async end(): Promise<void> {
    await this.#target.remove([JOURNAL_FILE]);
  }

  async #write(): Promise<void> {
    const content: JournalContent = { ...this.begun, entries: this.#entries };
    await putFile(this.#target, JOURNAL_FILE, Buffer.from(JSON.stringify(content)));
  }
}

/** Null for a journal that was cut off while it was written: what it told of is made again. */
function contentOf(read: ReadFile | null): JournalContent | null {
  if (read === null) return null;
  try {
    const content = JSON.parse(Buffer.from(read.bytes).toString('utf8')) as JournalContent;
    return Array.isArray(content.entries) && typeof content.tx === 'number' ? content : null;
  } catch {
    return null;
  }
}
