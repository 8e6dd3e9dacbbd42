/**
 * Mentions of entities in a text (semantics of reasoning, 8.3): whole words that are a label (0.95) or the last part of an
 * IRI (0.85), whatever the case. The text is gone through once.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { getOrInsert } from '../base/maps.js';
import { compareCodePoints, localPart } from '../base/text.js';
import { RDF_NS, type Term, terms } from '../rdf/terms.js';
import { idOfHalves } from '../storage/ids/halves.js';
import { decodeIds, exactly, patternOf, ROOT_ONLY, readIds } from '../storage/seam/rows.js';
import { CURRENT, type ScanPattern, type StorageSnapshot } from '../storage/seam/scan.js';
import { isLabel } from './labels/label-predicates.js';
import type { NameTable } from './names/name-table.js';
import type { Names } from './names/names.js';
import { FoldedText } from './text/fold-text.js';

const LABEL_CONFIDENCE = 0.95;
const LOCAL_CONFIDENCE = 0.85;
export const ANNOTATIONS_MAX = 1000;
const STARTS_PER_BREATH = 16_384;
export const RDF_TYPE = terms.namedNode(`${RDF_NS}type`);

export interface Annotation {
  /** As the text has it. */
  readonly surface: string;
  readonly iri: string;
  /** The last part of a type's IRI, of several the smallest; `Thing` where there is none. */
  readonly type: string;
  readonly confidence: number;
  /** In code points. */
  readonly offset: number;
}

export interface Spotlight {
  readonly annotations: readonly Annotation[];
  /** There are more. */
  readonly truncated: boolean;
}

interface Mention {
  readonly iri: string;
  readonly confidence: number;
  readonly end: number;
}

/** The names come in tables, each entity's in one of them as far as they are kept. */
export async function findMentions(
  snapshot: StorageSnapshot,
  names: Names,
  text: string,
  confidence: number,
  control: Control,
): Promise<Spotlight> {
  const folded = new FoldedText(text);
  const characters = Array.from(text);
  const types = new Map<string, string>();
  let whole: Spotlight | null = null;
  for await (const table of names.tables(snapshot, control)) {
    const search = new MentionSearch(snapshot, table, names.predicates, folded, confidence);
    const part = await mentionsIn(search, folded, control, ({ iri, confidence: sure, end }, offset) => {
      const type = getOrInsert(types, iri, () => typeOf(snapshot, iri));
      return { surface: characters.slice(offset, folded.origins[end]).join(''), iri, type, confidence: sure, offset };
    });
    whole = whole === null ? part : merged(whole, part);
  }
  return whole ?? { annotations: [], truncated: false };
}

async function mentionsIn(
  search: MentionSearch,
  folded: FoldedText,
  control: Control,
  annotation: (mention: Mention, offset: number) => Annotation,
): Promise<Spotlight> {
  const annotations: Annotation[] = [];
  for (let at = 0; at < folded.points.length; at++) {
    if (at % STARTS_PER_BREATH === 0) {
      throwIfStopped(control, 'the search for names');
      await breathe();
    }
    if (!folded.isBound(at)) continue;
    const offset = folded.origins[at] as number;
    for (const mention of search.from(at)) {
      if (annotations.length === ANNOTATIONS_MAX) return { annotations, truncated: true };
      annotations.push(annotation(mention, offset));
    }
  }
  return { annotations, truncated: false };
}

/** The first of both in the order of an answer; of one entity at one place the surest, and the longest of those. */
function merged(one: Spotlight, other: Spotlight): Spotlight {
  const sorted = [...one.annotations, ...other.annotations].sort(
    (a, b) =>
      a.offset - b.offset ||
      b.confidence - a.confidence ||
      compareCodePoints(a.iri, b.iri) ||
      b.surface.length - a.surface.length,
  );
  const seen = new Set<string>();
  const annotations = sorted.filter(({ offset, iri }) => {
    const { size } = seen;
    return seen.add(`${offset} ${iri}`).size > size;
  });
  const truncated = one.truncated || other.truncated || annotations.length > ANNOTATIONS_MAX;
  return { annotations: annotations.slice(0, ANNOTATIONS_MAX), truncated };
}

class MentionSearch {
  /** By row: what it names, and the name; null when that does not hold any more. */
  readonly #seen = new Map<number, { readonly iri: string; readonly name: Uint32Array } | null>();

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly names: NameTable,
    private readonly predicates: readonly string[],
    private readonly text: FoldedText,
    private readonly confidence: number,
  ) {}

  /** One of each entity, the surest, of those the longest. */
  from(at: number): Mention[] {
    const byIri = new Map<string, Mention>();
    for (const [row, end] of this.names.at(this.text, at)) {
      const [, , low, high] = this.names.idsOf(row);
      const confidence = low === 0 && high === 0 ? LOCAL_CONFIDENCE : LABEL_CONFIDENCE;
      if (confidence < this.confidence) continue;
      const seen = this.#look(row);
      if (seen === null || !this.#equals(seen.name, at, end)) continue;
      const known = byIri.get(seen.iri);
      if (
        known !== undefined &&
        (known.confidence > confidence || (known.confidence === confidence && known.end > end))
      ) {
        continue;
      }
      byIri.set(seen.iri, { iri: seen.iri, confidence, end });
    }
    return [...byIri.values()].sort((a, b) => b.confidence - a.confidence || compareCodePoints(a.iri, b.iri));
  }

  #equals(name: Uint32Array, from: number, to: number): boolean {
    if (name.length !== to - from) return false;
    return name.every((point, i) => this.text.points[from + i] === point);
  }

  #look(row: number) {
    return getOrInsert(this.#seen, row, () => this.#read(row));
  }

  #read(row: number) {
    const [sLow = 0, sHigh = 0, oLow = 0, oHigh = 0] = this.names.idsOf(row);
    const [s, o] = [idOfHalves(sLow, sHigh), idOfHalves(oLow, oHigh)];
    const isLocal = o === 0n;
    const p = isLabel(this.snapshot, this.predicates);
    const pattern: ScanPattern = isLocal || p === null ? { s: exactly(s) } : { ...patternOf({ s, o }), p };
    const holds = this.snapshot.count({ graphs: ROOT_ONLY, pattern, time: CURRENT }) > 0;
    if (!holds) this.names.stale++;
    const [entity, name] = this.snapshot.decode(
      Uint32Array.of(sLow, sHigh, isLocal ? sLow : oLow, isLocal ? sHigh : oHigh),
      2,
    );
    const isIri = entity?.termType === 'NamedNode';
    return holds && isIri ? { iri: entity.value, name: foldedName(name as Term, isLocal) } : null;
  }
}

function foldedName({ value }: Term, isLocal: boolean): Uint32Array {
  return new FoldedText(isLocal ? localPart(value) : value).points;
}

/** The types of an entity in ROOT, by their IRIs. */
export function typesOf(snapshot: StorageSnapshot, iri: string): string[] {
  return valuesOf(snapshot, iri, RDF_TYPE)
    .filter(({ termType }) => termType === 'NamedNode')
    .map(({ value }) => value)
    .sort(compareCodePoints);
}

/** What ROOT says of an entity by a predicate. */
export function valuesOf(snapshot: StorageSnapshot, iri: string, predicate: Term): Term[] {
  const [s, p] = [snapshot.encode(terms.namedNode(iri)), snapshot.encode(predicate)];
  if (s === null || p === null) return [];
  const ids = readIds(snapshot, { graphs: ROOT_ONLY, pattern: patternOf({ s, p }), time: CURRENT }, 'o');
  return decodeIds(snapshot, [...ids]);
}

function typeOf(snapshot: StorageSnapshot, iri: string): string {
  const [first] = typesOf(snapshot, iri);
  return first === undefined ? 'Thing' : localPart(first);
}
