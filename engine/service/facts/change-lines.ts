/**
 * The changes of one transaction as lines, sorted by graph, entity, predicate, retractions before assertions,
 * value. Beyond the memory bound of the sorter they are on disk.
 *
 * A line has its parts between tabs, which no part holds: what the order goes by, then the rest.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import { columnToInstant, type TermId } from '../../storage/ids/layout.js';
import type { ChangedRows, IdColumn, StorageSnapshot } from '../../storage/scan.js';
import { LineSorter } from '../export/line-sorter.js';
import { RawNumber, termToJson, writeJson } from '../json.js';
import { showInstant } from '../store-options.js';
import { entityText } from './entity.js';

/** Sorted before each other as they are written. */
const OPS = { retract: '0', assert: '1' } as const;

/** One statement that a transaction asserted or retracted. */
export interface ChangeLine {
  readonly graph: string;
  readonly entity: string;
  readonly predicate: string;
  readonly op: 'assert' | 'retract';
  /** Ready to be written. */
  readonly value: RawNumber;
  readonly validFrom: string;
  /** Of a retraction: the end that it set. */
  readonly validTo: string | null;
  /** Ids as texts. */
  readonly graphId: string;
  readonly entityId: string;
}

/** Lines of a transaction; close them. */
export interface ChangeLines {
  readonly count: number;
  /** In batches; may be read again. */
  lines(): AsyncGenerator<ChangeLine[]>;
  close(): Promise<void>;
}

/** Of the graphs that are wanted. */
export async function sortChanges(
  snapshot: StorageSnapshot,
  changes: Iterable<ChangedRows>,
  isWanted: (graph: TermId) => boolean,
  control: Control,
): Promise<ChangeLines> {
  const sorter = new LineSorter(control);
  try {
    for (const rows of changes) {
      await sorter.add(linesOf(snapshot, rows, isWanted));
      throwIfStopped(control, 'the listing');
      await breathe();
    }
    const count = await sorter.count();
    return { count, lines: () => parsed(sorter), close: () => sorter.close() };
  } catch (error) {
    await sorter.close();
    throw error;
  }
}

function linesOf(
  snapshot: StorageSnapshot,
  { op, rows, columns }: ChangedRows,
  isWanted: (graph: TermId) => boolean,
): string[] {
  const decoded = (name: 's' | 'p' | 'o' | 'g'): Term[] => snapshot.decode(columns[name], rows);
  const [subjects, predicates, objects, graphs] = [decoded('s'), decoded('p'), decoded('o'), decoded('g')];
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const graphId = idAt(columns.g, row);
    if (!isWanted(graphId)) continue;
    const value = objects[row] as Term;
    lines.push(
      [
        (graphs[row] as Term).value,
        entityText(subjects[row] as Term),
        (predicates[row] as Term).value,
        OPS[op],
        termToString(value),
        writeJson(termToJson(value)),
        timeAt(columns.validFrom, row),
        op === 'assert' ? '' : timeAt(columns.validTo, row),
        graphId,
        idAt(columns.s, row),
      ].join('\t'),
    );
  }
  return lines;
}

function idAt(column: IdColumn, row: number): TermId {
  return idOfHalves(column[2 * row] as number, column[2 * row + 1] as number);
}

function timeAt(column: IdColumn, row: number): string {
  return showInstant(columnToInstant(idAt(column, row)));
}

async function* parsed(sorter: LineSorter): AsyncGenerator<ChangeLine[]> {
  for await (const batch of sorter.sorted()) yield batch.map(parse);
}

function parse(line: string): ChangeLine {
  const [graph, entity, predicate, op, , value, validFrom, validTo, graphId, entityId] = line.split('\t') as string[];
  return {
    graph: graph as string,
    entity: entity as string,
    predicate: predicate as string,
    op: op === OPS.assert ? 'assert' : 'retract',
    value: new RawNumber(value as string),
    validFrom: validFrom as string,
    validTo: validTo === '' ? null : (validTo as string),
    graphId: graphId as string,
    entityId: entityId as string,
  };
}
