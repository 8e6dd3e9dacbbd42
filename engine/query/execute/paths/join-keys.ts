/** The rows of a batch by the node that their walks begin at: each start once, with its rows. */

import type { IdColumn } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import type { MemoryCounter } from '../../runtime/memory.js';
import { IntList } from './int-list.js';
import type { NodeTable } from './node-table.js';

export class JoinKeys {
  /** In order of appearance; rows whose graph is not of the query have none. */
  readonly starts: IntList;
  /** node -> its place in `starts`; -1 between batches */
  private readonly places: IntList;
  /** row -> place of its start; -1 = none */
  private readonly ofRow: IntList;
  /** place -> the end of its rows in `rows` */
  private readonly ends: IntList;
  private readonly rows: IntList;

  constructor(budget: MemoryCounter) {
    this.starts = new IntList(budget);
    this.places = new IntList(budget, -1);
    this.ofRow = new IntList(budget);
    this.ends = new IntList(budget);
    this.rows = new IntList(budget);
  }

  /** `start` is the column of the starts, `graph` that of their graphs, -1 where graphs are not told apart. */
  group(batch: QueryBatch, graph: number, start: number, nodes: NodeTable): void {
    this.numberRows(batch, graph, start, nodes);
    const { starts, places, ofRow, ends, rows } = this;
    rows.reserve(batch.rows);
    // The end of a start's rows is where its next row goes, as they are dealt out.
    let sum = 0;
    for (let place = 0; place < starts.length; place++) {
      const count = ends.data[place] as number;
      ends.data[place] = sum;
      sum += count;
      places.data[starts.data[place] as number] = -1;
    }
    for (let row = 0; row < batch.rows; row++) {
      const place = ofRow.data[row] as number;
      if (place < 0) continue;
      const at = ends.data[place] as number;
      rows.data[at] = row;
      ends.data[place] = at + 1;
    }
  }

  /** The rows of a start, ascending. */
  rowsOf(place: number): Int32Array {
    const { ends, rows } = this;
    return rows.data.subarray(place === 0 ? 0 : (ends.data[place - 1] as number), ends.data[place] as number);
  }

  close(): void {
    for (const list of [this.starts, this.places, this.ofRow, this.ends, this.rows]) list.release();
  }

  private numberRows(batch: QueryBatch, graph: number, start: number, nodes: NodeTable): void {
    const { starts, places, ofRow, ends } = this;
    const ids = batch.columns[start] as IdColumn;
    const graphs = graph < 0 ? null : (batch.columns[graph] as IdColumn);
    starts.length = 0;
    ofRow.reserve(batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      ofRow.data[row] = -1;
      if (graphs !== null && !nodes.hasGraph(graphs[2 * row] as number, graphs[2 * row + 1] as number)) continue;
      const node = nodes.numberAt(ids, row, graphs, row);
      places.reserve(node + 1);
      let place = places.data[node] as number;
      if (place < 0) {
        place = starts.length;
        places.data[node] = place;
        starts.push(node);
        ends.reserve(place + 1);
        ends.data[place] = 0;
      }
      ends.data[place] = (ends.data[place] as number) + 1;
      ofRow.data[row] = place;
    }
  }
}
