/** The kernels of query operators as JavaScript sees them; addresses are numbers. The sources in `as/` say what each does. */
export interface OperatorKernels {
  assignIds(table: number, columns: number, row: number, rows: number, numbers: number): number;
  assignRuns(table: number, columns: number, row: number, rows: number, numbers: number): number;
  findIds(table: number, columns: number, rows: number, numbers: number, filter: number, shift: number): number;
  filterIds(table: number, filter: number, shift: number): void;
  findRun(table: number, columns: number, rows: number, numbers: number): void;
  moveIds(table: number, slots: number, count: number, counting: number): void;
  widenRange(column: number, from: number, to: number, range: number): void;
  assignDirect(
    column: number,
    from: number,
    to: number,
    least: number,
    slots: number,
    count: number,
    numbers: number,
  ): number;
  findDirect(column: number, rows: number, least: number, slots: number, span: number, numbers: number): void;
  countNumbers(numbers: number, from: number, to: number, starts: number): void;
  sumCounts(starts: number, count: number): void;
  placeRows(numbers: number, from: number, to: number, starts: number, rowsOf: number): void;
  pairNumbers(
    numbers: number,
    rows: number,
    cursor: number,
    starts: number,
    rowsOf: number,
    all: number,
    outer: number,
    limit: number,
    first: number,
    second: number,
  ): number;
  countPairs(numbers: number, from: number, rows: number, starts: number, all: number): number;
  listNumbered(numbers: number, rows: number, wanted: number, out: number): number;
  keepPairs(
    a: number,
    rowsOfA: number,
    b: number,
    rowsOfB: number,
    loose: number,
    count: number,
    first: number,
    second: number,
  ): number;
  markRows(rows: number, count: number, marks: number): void;
  listUnmarked(marks: number, rows: number, cursor: number, limit: number, out: number): number;
  isSequence(rows: number, count: number): number;
  gatherIds(from: number, rows: number, count: number, to: number): void;
  gatherIdsOrUnbound(from: number, rows: number, count: number, to: number): void;
  completeIds(to: number, from: number, rows: number, count: number): void;
  crossKeys(
    subjects: number,
    from: number,
    count: number,
    predicates: number,
    width: number,
    toSubjects: number,
    toPredicates: number,
  ): void;
  appendObjects(
    keys: number,
    rows: number,
    objects: number,
    tests: number,
    width: number,
    list: number,
    starts: number,
    state: number,
    end: number,
  ): void;
  starRows(star: number, limit: number): number;
  pairFound(
    keys: number,
    rows: number,
    cursor: number,
    starts: number,
    order: number,
    limit: number,
    first: number,
    second: number,
  ): number;
  repeatFound(
    keys: number,
    counts: number,
    rows: number,
    cursor: number,
    starts: number,
    order: number,
    limit: number,
    first: number,
  ): number;
  orderKeys(
    columns: number,
    width: number,
    rows: number,
    order: number,
    starts: number,
    out: number,
    scratch: number,
  ): number;
  intersectLists(state: number, steps: number, limit: number, first: number, second: number): number;
  mergePairs(
    left: number,
    leftRows: number,
    right: number,
    rightRows: number,
    cursor: number,
    limit: number,
    first: number,
    second: number,
  ): number;
}
