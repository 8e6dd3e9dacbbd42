/**
 * Assertions of triples of ROOT that stand already. One that stands as derived becomes the caller's (ruling R63): its row is
 * closed, and one of the caller's transaction opens. Such a repetition changes nothing on a stage, so that it is noted where
 * the change asserts: a call that opens all it is given repeats nothing, unless something was retracted before it.
 */

import { type Quad, ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import { type Instant, ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';
import { columnOf, compareRows, idIn, pickedQuads, pickedRows, rowsWrittenBy } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { stageWith } from './stage-with.js';

const TRIPLE = ['s', 'p', 'o'] as const;

/** What one call has asserted. */
interface Asserted {
  readonly quads: readonly Quad[] | QuadColumns;
  readonly validFrom: Instant | IdColumn | undefined;
}

/** Quads that are to become the caller's. */
export interface Repeated {
  readonly quads: QuadColumns;
  readonly validFrom: Instant | IdColumn | undefined;
}

export class RepeatedAsserts {
  readonly #asserted: Asserted[] = [];
  #retracts = false;

  /** The stage, whose assertions are noted. */
  watch(stage: Stage): Stage {
    return stageWith(stage, {
      assert: (given, validFrom, validTo) => {
        const quads = [...given];
        const opened = stage.assert(quads, validFrom, validTo);
        if (validTo === undefined && (this.#retracts || opened < quads.length)) {
          const inRoot = quads.filter(
            ({ graph }) => graph.termType === 'DefaultGraph' || graph.value === ROOT_GRAPH_IRI,
          );
          if (inRoot.length > 0) this.#asserted.push({ quads: inRoot, validFrom });
        }
        return opened;
      },
      assertIds: (quads, validFrom) => {
        const opened = stage.assertIds(quads, validFrom);
        if (this.#retracts || opened < quads.rows) this.#asserted.push({ quads, validFrom });
        return opened;
      },
      retract: (...given) => {
        this.#retracts = true;
        return stage.retract(...given);
      },
      retractIds: (...given) => {
        this.#retracts = true;
        return stage.retractIds(...given);
      },
    });
  }

  addIds(quads: QuadColumns): void {
    if (quads.rows > 0) this.#asserted.push({ quads, validFrom: undefined });
  }

  get isEmpty(): boolean {
    return this.#asserted.length === 0;
  }

  /** Those that stand in rows of derived facts, each once. */
  standing(snapshot: StorageSnapshot, isDerived: (tx: TxId) => boolean): Repeated[] {
    const seen = new Set<string>();
    const found: Repeated[] = [];
    for (const { quads, validFrom } of this.#asserted) {
      const columns = Array.isArray(quads) ? idsOf(snapshot, quads) : (quads as QuadColumns);
      const rows = derivedRows(snapshot, columns, isDerived).filter((row) => {
        const key = `${idIn(columns.s, row)} ${idIn(columns.p, row)} ${idIn(columns.o, row)}`;
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      });
      if (rows.length === 0) continue;
      const begins = typeof validFrom === 'object' ? pickedRows(validFrom, rows) : validFrom;
      found.push({ quads: pickedQuads(columns, rows), validFrom: begins });
    }
    return found;
  }
}

/** The ids of quads whose terms a snapshot knows. */
function idsOf(snapshot: StorageSnapshot, quads: readonly Quad[]): QuadColumns {
  const ids: [TermId, TermId, TermId][] = [];
  for (const { subject, predicate, object } of quads) {
    const [s, p, o] = [snapshot.encode(subject), snapshot.encode(predicate), snapshot.encode(object)];
    if (s !== null && p !== null && o !== null) ids.push([s, p, o]);
  }
  const column = (at: 0 | 1 | 2): IdColumn => columnOf(ids.map((one) => one[at]));
  return { rows: ids.length, s: column(0), p: column(1), o: column(2), g: columnOf(ids.map(() => ROOT_ID)) };
}

/** Rows of ROOT whose open row was written by a transaction that derives. */
function derivedRows(snapshot: StorageSnapshot, quads: QuadColumns, isDerived: (tx: TxId) => boolean): number[] {
  const compare = (a: number, b: number): number => compareRows(quads, TRIPLE, a, b);
  const places = Array.from({ length: quads.rows }, (_, row) => row)
    .filter((row) => idIn(quads.g, row) === ROOT_ID)
    .sort(compare);
  const keys = places.filter((row, at) => at === 0 || compare(places[at - 1] as number, row) !== 0);
  if (keys.length === 0) return [];
  return rowsWrittenBy(snapshot, ROOT_ID, pickedQuads(quads, keys), isDerived).map((at) => keys[at] as number);
}
