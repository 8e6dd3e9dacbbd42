/** Rows of composed sets of graphs (`seam/source.ts`), row by row: the plain form, which is the oracle of the others. */

import { OPEN } from '../ids/layout.js';
import type { Order, ScanRequest, TimeSlice } from '../seam/scan.js';
import { type ComposedGraphs, type GraphSet, graphTest, type IndexQuestion, isMerged } from '../seam/source.js';
import { asKnown, type Row, sortedRows, visibility } from './rows.js';
import { nameOf, type State } from './state.js';

/** A request over stored rows that gives what one over composed ones does, and the rows, sorted for it. */
export interface ComposedScan {
  readonly request: ScanRequest;
  readonly sorted: (order: Order) => readonly Row[];
}

/** The rows with which an index of the state answers. */
export type AnswerRows = (asked: IndexQuestion, time: TimeSlice) => Row[];

export function composedScan(
  state: State,
  request: ScanRequest & { readonly graphs: ComposedGraphs },
  answer: AnswerRows,
): ComposedScan {
  const { graphs, time } = request;
  const name = nameOf([graphs, time]);
  const rowsOf = (set: GraphSet, at: TimeSlice): Row[] => rowsOfSet({ state, answer, rowsOf }, set, at);
  const found = state.derived(`rows of ${name}`, () => ({ rows: rowsOf(graphs, time) }));
  const rows: GraphSet = isMerged(graphs)
    ? { kind: 'some', graphs: [...new Set(found.rows.map(({ g }) => g))], merged: true }
    : { kind: 'all' };
  return {
    request: { ...request, graphs: rows, time: { kind: 'all' } },
    sorted: (order) => state.derived(`rows of ${name} in ${order}`, () => sortedRows(found.rows, order)),
  };
}

const tripleOf = ({ s, p, o }: Row): string => `${s} ${p} ${o}`;

function rowsInStore(
  composing: Composing,
  graphs: ComposedGraphs & { readonly kind: 'store' },
  time: TimeSlice,
): Row[] {
  const { archive } = composing.state;
  const state = { rows: archive(graphs.store), archive };
  const rowsOf = (set: GraphSet, at: TimeSlice): Row[] => rowsOfSet({ ...composing, state, rowsOf }, set, at);
  return rowsOf(graphs.graphs, time);
}

interface Composing {
  readonly state: Pick<State, 'rows' | 'archive'>;
  readonly answer: AnswerRows;
  readonly rowsOf: (graphs: GraphSet, time: TimeSlice) => Row[];
}

function rowsOfSet(composing: Composing, graphs: GraphSet, time: TimeSlice): Row[] {
  const { state, answer, rowsOf } = composing;
  switch (graphs.kind) {
    case 'layers':
      return graphs.layers.flatMap((layer) => rowsOf(layer, time));
    case 'overlay': {
      const removed = new Set(rowsOf(graphs.removals, time).map(tripleOf));
      const base = rowsOf(graphs.base, time).filter((row) => !removed.has(tripleOf(row)));
      return base.concat(rowsOf(graphs.additions, time));
    }
    case 'changes': {
      const holds = graphTest(graphs.graphs);
      const end = graphs.op === 'assert' ? 'txFrom' : 'txTo';
      return state.rows.filter((row) => row[end] === BigInt(graphs.tx) && holds(row.g));
    }
    case 'timed':
      return rowsOf(graphs.graphs, graphs.time);
    case 'index':
      return answer(graphs, time);
    case 'store':
      return rowsInStore(composing, graphs, time);
    default: {
      const [holds, isVisible] = [graphTest(graphs), visibility(time)];
      const tx = 'tx' in time ? BigInt(time.tx) : OPEN;
      return state.rows.filter((row) => holds(row.g) && isVisible(row)).map((row) => asKnown(row, tx));
    }
  }
}
