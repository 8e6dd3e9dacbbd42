/**
 * Names by how they begin. They are found in lists that are sorted by name, so a key costs the same with ten thousand names as with
 * ten.
 */

import { curieOf, type Prefixes } from '../../parts/prefixes.js';

/** So many of those that begin with the letters are looked at for the most frequent ones. */
const LOOKED_AT_MAX = 2_000;

export interface Name {
  readonly iri: string;
  readonly local: string;
  readonly count: number;
}

export class NameIndex {
  readonly names: readonly Name[];
  readonly #byLocal: readonly (readonly [string, Name])[];
  readonly #byIri: readonly (readonly [string, Name])[];

  constructor(names: readonly Name[]) {
    this.names = names;
    this.#byLocal = sorted(names, ({ local }) => local.toLowerCase());
    this.#byIri = sorted(names, ({ iri }) => iri);
  }

  /** Names whose last part begins so, the most frequent first. */
  byLocal(begin: string, max: number): readonly Name[] {
    return most(this.#byLocal, begin.toLowerCase(), max);
  }

  byIri(begin: string, max: number): readonly Name[] {
    return most(this.#byIri, begin, max);
  }
}

/** The part that people read. */
export function localOf(iri: string): string {
  const at = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/'), iri.lastIndexOf(':'));
  return iri.slice(at + 1) || iri;
}

/** By the prefixes of the text first, then by those of the store. */
export function writtenName(
  iri: string,
  declared: Prefixes,
  known: Prefixes,
): { readonly text: string; readonly missing: string | null } {
  const short = curieOf(iri, declared);
  if (short !== null) return { text: short, missing: null };
  const offered = curieOf(iri, known);
  if (offered === null) return { text: `<${iri}>`, missing: null };
  const prefix = offered.slice(0, offered.indexOf(':'));
  // The text means something else by that prefix.
  if (declared[prefix] !== undefined) return { text: `<${iri}>`, missing: null };
  return { text: offered, missing: `PREFIX ${prefix}: <${known[prefix]}>\n` };
}

function sorted(names: readonly Name[], keyOf: (name: Name) => string): readonly (readonly [string, Name])[] {
  return names.map((name) => [keyOf(name), name] as const).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function most(list: readonly (readonly [string, Name])[], begin: string, max: number): readonly Name[] {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as readonly [string, Name])[0] < begin) low = middle + 1;
    else high = middle;
  }
  const found: Name[] = [];
  for (let at = low; at < list.length && found.length < LOOKED_AT_MAX; at++) {
    const [key, name] = list[at] as readonly [string, Name];
    if (!key.startsWith(begin)) break;
    found.push(name);
  }
  return found.sort((a, b) => b.count - a.count).slice(0, max);
}
