/** Rows of composed sets of graphs (`seam/source.ts`), row by row: the plain form, which is the oracle of the others. */

import { OPEN } from '../ids/layout.js';
import type { Order, ScanRequest, TimeSlice } from '../seam/scan.js';
import { type ComposedGraphs, type GraphSet, graphTest, isMerged } from '../seam/source.js';
import { asKnown, type Row, sortedRows, visibility } from './rows.js';
import { nameOf, type State } from './state.js';

/** A request over stored rows that gives what one over composed ones does, and the rows, sorted for it. */
export interface ComposedScan {
  readonly request: ScanRequest;
  readonly sorted: (order: Order) => readonly Row[];
}

export function composedScan(state: State, request: ScanRequest & { readonly graphs: ComposedGraphs }): ComposedScan {
  const { graphs, time } = request;
  const name = nameOf([graphs, time]);
  const found = state.derived(`rows of ${name}`, () => ({ rows: rowsOf(state, graphs, time) }));
  const rows: GraphSet = isMerged(graphs)
    ? { kind: 'some', graphs: [...new Set(found.rows.map(({ g }) => g))], merged: true }
    : { kind: 'all' };
  return {
    request: { ...request, graphs: rows, time: { kind: 'all' } },
    sorted: (order) => state.derived(`rows of ${name} in ${order}`, () => sortedRows(found.rows, order)),
  };
}

const tripleOf = ({ s, p, o }: Row): string => `${s} ${p} ${o}`;

function rowsOf(state: Pick<State, 'rows' | 'archive'>, graphs: GraphSet, time: TimeSlice): Row[] {
  switch (graphs.kind) {
    case 'layers':
      return graphs.layers.flatMap((layer) => rowsOf(state, layer, time));
    case 'overlay': {
      const removed = new Set(rowsOf(state, graphs.removals, time).map(tripleOf));
      const base = rowsOf(state, graphs.base, time).filter((row) => !removed.has(tripleOf(row)));
      return base.concat(rowsOf(state, graphs.additions, time));
    }
    case 'changes': {
      const holds = graphTest(graphs.graphs);
      const end = graphs.op === 'assert' ? 'txFrom' : 'txTo';
      return state.rows.filter((row) => row[end] === BigInt(graphs.tx) && holds(row.g));
    }
    case 'timed':
      return rowsOf(state, graphs.graphs, graphs.time);
    case 'store':
      return rowsOf({ rows: state.archive(graphs.store), archive: state.archive }, graphs.graphs, time);
    default: {
      const [holds, isVisible] = [graphTest(graphs), visibility(time)];
      const tx = 'tx' in time ? BigInt(time.tx) : OPEN;
      return state.rows.filter((row) => holds(row.g) && isVisible(row)).map((row) => asKnown(row, tx));
    }
  }
}
