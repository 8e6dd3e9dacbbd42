/** Joins, groups and sorts as operators by themselves, over ids that are in the memory already. */
import type { Aggregate, SortKey } from '../../engine/query/algebra/algebra.js';
import { variableOf } from '../../engine/query/algebra/expression.js';
import { AggregateOperator } from '../../engine/query/execute/group/aggregate.js';
import { DistinctOperator } from '../../engine/query/execute/group/distinct.js';
import { HashJoinOperator } from '../../engine/query/execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../../engine/query/execute/join/hash-left-join.js';
import { HashSemiJoinOperator } from '../../engine/query/execute/join/hash-semi-join.js';
import { SortOperator } from '../../engine/query/execute/sort/sort.js';
import { UNORDERED_JOIN, WHOLE_JOIN } from '../../engine/query/execute/tables/join-run.js';
import type { MemoryBudget } from '../../engine/query/runtime/memory.js';
import type { Operator } from '../../engine/query/runtime/operator.js';
import type { QueryTerms } from '../../engine/query/terms/terms.js';
import type { IdColumn } from '../../engine/storage/seam/scan.js';
import { ColumnsInput, drawn, idColumn, integerColumn, type Spread, shuffled } from './inputs.js';

/** Rows of the probe side for each of the build side, and how many of them are different ones. */
const PROBES_PER_ROW = 4;

export interface JoinSortCase {
  readonly name: string;
  /** Made once; then an operator over it for each run. */
  readonly prepare: (rows: number) => (budget: MemoryBudget, terms: QueryTerms) => Operator;
  /** Rows that go in, by the number of keys. */
  readonly rowsOf: (keys: number) => number;
}

const KEYS = { certain: ['k'], loose: [] };
const both = (keys: number): number => keys * (1 + PROBES_PER_ROW);

interface Sides {
  readonly build: () => Operator;
  readonly probe: () => Operator;
}

/** Build rows with a key of their own (or `rowsPerKey` with one), and probe rows of which a share finds them. */
function sides(rows: number, spread: Spread, { rowsPerKey = 1, found = 1, width = 1 } = {}): Sides {
  const numbers = shuffled(rows);
  const keys = idColumn(rows, spread, (row) => Math.floor((numbers[row] as number) / rowsPerKey));
  const values = idColumn(rows, 'dense', (row) => row);
  const asked = idColumn(rows, spread, drawn(Math.floor(rows / rowsPerKey / found)));
  const names = ['k', ...(width === 2 ? ['l'] : [])];
  const pair = (column: IdColumn): readonly IdColumn[] => (width === 2 ? [column, column] : [column]);
  return {
    build: () => new ColumnsInput([...names, 'v'], [...pair(keys), values], rows),
    probe: () => new ColumnsInput([...names, 'w'], [...pair(asked), values], PROBES_PER_ROW * rows),
  };
}

function join(
  name: string,
  spread: Spread,
  shown: readonly string[],
  options: {
    readonly rowsPerKey?: number;
    readonly found?: number;
    readonly width?: number;
    readonly ordered?: boolean;
  } = {},
): JoinSortCase {
  return {
    name,
    rowsOf: both,
    prepare: (rows) => {
      const { probe, build } = sides(rows, spread, options);
      const keys = options.width === 2 ? { certain: ['k', 'l'], loose: [] } : KEYS;
      const run = options.ordered === true ? WHOLE_JOIN : UNORDERED_JOIN;
      return (budget) => new HashJoinOperator(probe(), build(), keys, budget, run, shown);
    },
  };
}

const counted: Aggregate = {
  variable: 'n',
  function: 'count',
  distinct: false,
  expression: null,
  separator: null,
};

function sorted(name: string, column: (rows: number) => IdColumn): JoinSortCase {
  return {
    name,
    rowsOf: (rows) => rows,
    prepare: (rows) => {
      const ids = column(rows);
      const keys: SortKey[] = [{ expression: variableOf('k'), descending: false }];
      return (budget, terms) => new SortOperator(new ColumnsInput(['k'], [ids], rows), keys, null, terms, budget);
    },
  };
}

export const JOIN_SORT_CASES: readonly JoinSortCase[] = [
  join('join, sparse ids, counted', 'sparse', []),
  join('join, sparse ids, a column of each side', 'sparse', ['v', 'w']),
  join('join, sparse ids, in order', 'sparse', ['v', 'w'], { ordered: true }),
  join('join, dense ids, counted', 'dense', []),
  join('join, dense ids, a column of each side', 'dense', ['v', 'w']),
  join('join, dense ids, in order', 'dense', ['v', 'w'], { ordered: true }),
  join('join, two keys, a column of each side', 'sparse', ['v', 'w'], { width: 2 }),
  join('join, four rows a key', 'sparse', ['v', 'w'], { rowsPerKey: 4 }),
  join('join, one row of ten found', 'sparse', ['v', 'w'], { found: 0.1 }),
  {
    name: 'OPTIONAL, half found',
    rowsOf: both,
    prepare: (rows) => {
      const { probe, build } = sides(rows, 'sparse', { found: 0.5 });
      return (budget, terms) =>
        new HashLeftJoinOperator(probe(), build(), KEYS, null, terms, budget, UNORDERED_JOIN, ['v', 'w']);
    },
  },
  {
    name: 'MINUS, half found',
    rowsOf: both,
    prepare: (rows) => {
      const { probe, build } = sides(rows, 'sparse', { found: 0.5 });
      return (budget) => new HashSemiJoinOperator(probe(), build(), KEYS, true, budget, UNORDERED_JOIN, ['w']);
    },
  },
  {
    name: 'DISTINCT, four rows a key',
    rowsOf: (rows) => PROBES_PER_ROW * rows,
    prepare: (rows) => {
      const ids = idColumn(PROBES_PER_ROW * rows, 'sparse', drawn(rows));
      return (budget) => new DistinctOperator(new ColumnsInput(['k'], [ids], PROBES_PER_ROW * rows), budget);
    },
  },
  {
    name: 'GROUP BY with COUNT, four rows a key',
    rowsOf: (rows) => PROBES_PER_ROW * rows,
    prepare: (rows) => {
      const ids = idColumn(PROBES_PER_ROW * rows, 'sparse', drawn(rows));
      const spec = { keys: ['k'], aggregates: [counted], sorted: false };
      return (budget, terms) =>
        new AggregateOperator(new ColumnsInput(['k'], [ids], PROBES_PER_ROW * rows), spec, terms, budget);
    },
  },
  sorted('ORDER BY integers', (rows) => integerColumn(rows, 2 ** 30)),
  sorted('ORDER BY few integers', (rows) => integerColumn(rows, 1000)),
];
