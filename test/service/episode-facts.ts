/** The facts of the plain account of episodes: each once, found by subject, by object and by owner, with every change in a list. */

export interface Statement {
  readonly s: string;
  readonly p: string;
  readonly o: string;
}

export interface OwnedFact extends Statement {
  readonly owner: string;
}

export interface FactChange {
  readonly line: string;
  readonly isAdded: boolean;
}

export const keyOf = ({ s, p, o }: Statement): string => `${s} ${p} ${o}`;

type Index = Map<string, Map<string, OwnedFact>>;

function found(index: Index, key: string): OwnedFact[] {
  return [...(index.get(key)?.values() ?? [])];
}

export class EpisodeFacts {
  readonly #all = new Map<string, OwnedFact>();
  readonly #bySubject: Index = new Map();
  readonly #byObject: Index = new Map();
  readonly #byOwner: Index = new Map();
  /** What came and went, from the first to the last. */
  readonly changes: FactChange[] = [];

  of(subject: string): OwnedFact[] {
    return found(this.#bySubject, subject);
  }

  with(object: string): OwnedFact[] {
    return found(this.#byObject, object);
  }

  ownedBy(owner: string): OwnedFact[] {
    return found(this.#byOwner, owner);
  }

  has(subject: string, predicate: string): boolean {
    return this.of(subject).some(({ p }) => p === predicate);
  }

  all(): Iterable<OwnedFact> {
    return this.#all.values();
  }

  /** Who stated it first keeps it. */
  add(fact: OwnedFact): void {
    const line = keyOf(fact);
    if (this.#all.has(line)) return;
    this.#all.set(line, fact);
    for (const [index, key] of this.#entriesOf(fact)) {
      const known = index.get(key);
      if (known === undefined) index.set(key, new Map([[line, fact]]));
      else known.set(line, fact);
    }
    this.changes.push({ line, isAdded: true });
  }

  remove(facts: readonly OwnedFact[]): void {
    for (const fact of facts) {
      const line = keyOf(fact);
      if (!this.#all.delete(line)) continue;
      for (const [index, key] of this.#entriesOf(fact)) index.get(key)?.delete(line);
      this.changes.push({ line, isAdded: false });
    }
  }

  #entriesOf({ s, o, owner }: OwnedFact): [Index, string][] {
    return [
      [this.#bySubject, s],
      [this.#byObject, o],
      [this.#byOwner, owner],
    ];
  }
}
