/**
 * Templates of an operation, filled batch by batch as columns of ids. A quad of a solution is left out
 * when one of its variables is unbound or holds a term that can't stand there; the other quads of the
 * solution stay. Blank nodes of a template are new ones for each solution, and the same within it.
 */

import { getOrInsert } from '../../base/maps.js';
import type { Term } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { TAG, type TermId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { PatternTerm, QuadPattern } from '../algebra/algebra.js';
import { fillId, gather, newColumn, type QueryBatch } from '../runtime/batch.js';
import type { StageTerms } from './stage-terms.js';
import { graphNode } from './targets.js';

const PLACES = ['s', 'p', 'o', 'g'] as const;
type Place = (typeof PLACES)[number];

type Slot =
  | { readonly kind: 'constant'; readonly low: number; readonly high: number }
  | { readonly kind: 'variable'; readonly column: number }
  | { readonly kind: 'blank'; readonly label: string };

type QuadTemplate = Readonly<Record<Place, Slot>>;

/** How constants become ids; null = nothing can match, so that the quad is left out. */
export type EncodeConstant = (term: Term) => TermId | null;

export interface TemplateScope {
  /** Names of the columns of the solutions. */
  readonly variables: readonly string[];
  /** The graph of quads that name none; null = ROOT. */
  readonly graph: string | null;
  readonly encode: EncodeConstant;
}

/** Quads that a solution makes, and where their parts come from. */
export class Template {
  readonly #quads: readonly QuadTemplate[];

  constructor(patterns: readonly QuadPattern[], scope: TemplateScope) {
    this.#quads = patterns.flatMap((pattern) => {
      const quad = compile(pattern, scope);
      return quad === null ? [] : [quad];
    });
  }

  /** Hands the quads of a batch of solutions to `take`, a template quad at a time. */
  fill(batch: QueryBatch, terms: StageTerms, take: (quads: QuadColumns) => void): void {
    const nodes = new SolutionNodes(batch.rows, terms);
    const kept = new Uint32Array(batch.rows);
    for (const quad of this.#quads) {
      const rows = keepValid(quad, batch, kept);
      if (rows === 0) continue;
      const [s, p, o, g] = PLACES.map((place) => columnOf(quad[place], batch, kept, rows, nodes)) as [
        IdColumn,
        IdColumn,
        IdColumn,
        IdColumn,
      ];
      take({ rows, s, p, o, g });
    }
  }
}

export function hasBlankNodes(patterns: readonly QuadPattern[]): boolean {
  return patterns.some((pattern) =>
    PLACES.some((place) => {
      const term = pattern[place];
      return term?.kind === 'term' && term.term.termType === 'BlankNode';
    }),
  );
}

/** Variables at some of the places of quads. */
export function templateVariables(patterns: readonly QuadPattern[], places: readonly Place[] = PLACES): Set<string> {
  const names = new Set<string>();
  for (const pattern of patterns) {
    for (const place of places) {
      const term = pattern[place];
      if (term?.kind === 'variable') names.add(term.name);
    }
  }
  return names;
}

/** The blank nodes of a batch of solutions, made when a quad needs them. */
class SolutionNodes {
  private readonly columns = new Map<string, IdColumn>();

  constructor(
    private readonly rows: number,
    private readonly terms: StageTerms,
  ) {}

  column(label: string, kept: Uint32Array, count: number): IdColumn {
    const column = getOrInsert(this.columns, label, () => newColumn(this.rows));
    for (let at = 0; at < count; at++) {
      const row = kept[at] as number;
      if (column[2 * row + 1] === 0) this.terms.writeFresh(column, row);
    }
    return column;
  }
}

function compile(pattern: QuadPattern, scope: TemplateScope): QuadTemplate | null {
  const graph: PatternTerm = pattern.g ?? { kind: 'term', term: graphNode(scope.graph) };
  const [s, p, o, g] = [pattern.s, pattern.p, pattern.o, graph].map((term, at) =>
    slotOf(term, PLACES[at] as Place, scope),
  );
  return s && p && o && g ? { s, p, o, g } : null;
}

function slotOf(term: PatternTerm, place: Place, { variables, encode }: TemplateScope): Slot | null {
  if (term.kind === 'variable') {
    const column = variables.indexOf(term.name);
    return column < 0 ? null : { kind: 'variable', column };
  }
  if (term.term.termType === 'BlankNode') return { kind: 'blank', label: term.term.value };
  const id = encode(term.term);
  if (id === null || !suits(highOf(id), place)) return null;
  return { kind: 'constant', low: lowOf(id), high: highOf(id) };
}

/** Lists the rows whose variables may stand where the quad has them; gives their number. */
function keepValid(quad: QuadTemplate, batch: QueryBatch, kept: Uint32Array): number {
  let count = batch.rows;
  for (let row = 0; row < count; row++) kept[row] = row;
  for (const place of PLACES) {
    const slot = quad[place];
    if (slot.kind !== 'variable') continue;
    const column = batch.columns[slot.column] as IdColumn;
    let left = 0;
    for (let at = 0; at < count; at++) {
      const row = kept[at] as number;
      if (suits(column[2 * row + 1] as number, place)) kept[left++] = row;
    }
    count = left;
  }
  return count;
}

/**
 * Whether a term with this upper half of its id may stand there; that of an unbound variable is 0. What
 * has a local id still is in no store, so that there is nothing to delete.
 */
function suits(high: number, place: Place): boolean {
  const tag = high >>> 24;
  if (place === 'o') return high !== 0 && tag !== TAG.local;
  return tag === TAG.iri || (tag === TAG.blank && place !== 'p');
}

function columnOf(slot: Slot, batch: QueryBatch, kept: Uint32Array, rows: number, nodes: SolutionNodes): IdColumn {
  const column = newColumn(rows);
  switch (slot.kind) {
    case 'constant':
      fillId(column, rows, slot.low, slot.high);
      return column;
    case 'variable':
      gather(batch.columns[slot.column] as IdColumn, kept, rows, column);
      return column;
    case 'blank':
      gather(nodes.column(slot.label, kept, rows), kept, rows, column);
      return column;
  }
}
