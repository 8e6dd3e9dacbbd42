/**
 * The changes of one transaction as lines, sorted by graph, entity, predicate, retractions before assertions,
 * value. Beyond the memory bound of the sorter they are on disk.
 *
 * A line has its parts between tabs, which no part holds: what the order goes by, then the rest.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { columnToInstant, type TermId } from '../../storage/ids/layout.js';
import { inGraphs } from '../../storage/seam/changes-by-graph.js';
import { idIn } from '../../storage/seam/rows.js';
import type { ChangedRows, IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';
import { LineSorter } from '../documents/line-sorter.js';
import { showInstant } from '../options/store-options.js';
import { termToJson, writeJson } from '../requests/json.js';
import { entityText } from './entity.js';

/** Sorted before each other as they are written. */
const OPS = { retract: '0', assert: '1' } as const;

/** One statement that a transaction asserted or retracted. */
export interface ChangeLine {
  /** Graph and entity, with a tab between. */
  readonly owner: string;
  readonly predicate: string;
  readonly op: 'assert' | 'retract';
  /** As JSON. */
  readonly value: string;
  readonly validFrom: string;
  /** Of a retraction: the end that it set; else empty. */
  readonly validTo: string;
  /** Ids of the graph and the entity as texts, with a tab between; empty unless they were asked for. */
  readonly ids: string;
}

/** Lines of a transaction; close them. */
export interface ChangeLines {
  readonly count: number;
  /** In batches; may be read again. */
  lines(): AsyncGenerator<ChangeLine[]>;
  close(): Promise<void>;
}

export interface LineOptions {
  readonly isWanted: (graph: TermId) => boolean;
  readonly withIds: boolean;
}

/** Of the graphs that are wanted. */
export async function sortChanges(
  snapshot: StorageSnapshot,
  changes: Iterable<ChangedRows>,
  { isWanted, withIds }: LineOptions,
  control: Control,
): Promise<ChangeLines> {
  const sorter = new LineSorter(control);
  try {
    for (const rows of changes) {
      await sorter.add(linesOf(snapshot, inGraphs(rows, isWanted), withIds));
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

function linesOf(snapshot: StorageSnapshot, { op, rows, columns }: ChangedRows, withIds: boolean): string[] {
  const decoded = (name: 's' | 'p' | 'o' | 'g'): Term[] => snapshot.decode(columns[name], rows);
  const [subjects, predicates, objects, graphs] = [decoded('s'), decoded('p'), decoded('o'), decoded('g')];
  const [begins, ends] = [new TimeTexts(columns.validFrom), new TimeTexts(columns.validTo)];
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const value = objects[row] as Term;
    lines.push(
      [
        (graphs[row] as Term).value,
        entityText(subjects[row] as Term),
        (predicates[row] as Term).value,
        OPS[op],
        termToString(value),
        writeJson(termToJson(value)),
        begins.at(row),
        op === 'assert' ? '' : ends.at(row),
        withIds ? `${idIn(columns.g, row)}\t${idIn(columns.s, row)}` : '',
      ].join('\t'),
    );
  }
  return lines;
}

/** Instants of a column as texts; neighbours mostly are the same. */
class TimeTexts {
  #last = -1;
  #text = '';

  constructor(private readonly column: IdColumn) {}

  at(row: number): string {
    const [column, last] = [this.column, this.#last];
    if (last >= 0 && column[2 * row] === column[2 * last] && column[2 * row + 1] === column[2 * last + 1])
      return this.#text;
    this.#last = row;
    this.#text = showInstant(columnToInstant(idIn(column, row)));
    return this.#text;
  }
}

async function* parsed(sorter: LineSorter): AsyncGenerator<ChangeLine[]> {
  for await (const batch of sorter.sorted()) yield batch.map(parse);
}

/** By hand: `split` would make strings of the parts that nobody reads. */
function parse(line: string): ChangeLine {
  const entityAt = line.indexOf('\t') + 1;
  const predicateAt = line.indexOf('\t', entityAt) + 1;
  const opAt = line.indexOf('\t', predicateAt) + 1;
  const valueAt = line.indexOf('\t', opAt + 2) + 1;
  const validFromAt = line.indexOf('\t', valueAt) + 1;
  const validToAt = line.indexOf('\t', validFromAt) + 1;
  const idsAt = line.indexOf('\t', validToAt) + 1;
  return {
    owner: line.slice(0, predicateAt - 1),
    predicate: line.slice(predicateAt, opAt - 1),
    op: line[opAt] === OPS.assert ? 'assert' : 'retract',
    value: line.slice(valueAt, validFromAt - 1),
    validFrom: line.slice(validFromAt, validToAt - 1),
    validTo: line.slice(validToAt, idsAt - 1),
    ids: line.slice(idsAt),
  };
}
