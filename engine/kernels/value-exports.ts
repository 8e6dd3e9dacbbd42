/** The kernels of values - aggregates, numbers, answers - as JavaScript sees them; addresses are numbers. The sources in `as/` say what each does. */
export interface ValueKernels {
  countRows(ids: number, groups: number, rows: number, counts: number): void;
  sumGroups(ids: number, groups: number, row: number, rows: number, records: number): number;
  extremeGroups(ids: number, groups: number, row: number, rows: number, records: number, greatest: number): number;
  sampleGroups(ids: number, groups: number, rows: number, found: number): void;
  integerIds(values: number, stride: number, rows: number, out: number): number;
  readNumbers(ids: number, rows: number, column: number): number;
  textLengths(text: number, starts: number, ends: number, count: number, out: number): void;
  readDateParts(ids: number, rows: number, part: number, column: number): void;
  fillNumbers(column: number, rows: number, kind: number, scale: number, value: number): void;
  castNumbersToDouble(column: number, rows: number): void;
  castNumbersToExact(column: number, rows: number, isWhole: number): void;
  roundNumbers(column: number, rows: number, mode: number): void;
  negateNumbers(column: number, rows: number): void;
  combineNumbers(operator: number, a: number, b: number, rows: number): void;
  compareNumbers(a: number, b: number, rows: number, answers: number, out: number): number;
  numberIds(column: number, rows: number, out: number, left: number): number;
  findAnswers(
    table: number,
    asker: number,
    byTag: number,
    ids: number,
    rows: number,
    out: number,
    wanted: number,
    waiting: number,
    counts: number,
  ): number;
  giveAnswers(
    table: number,
    asker: number,
    wanted: number,
    asked: number,
    answers: number,
    waiting: number,
    waits: number,
    out: number,
  ): void;
  findValues(
    table: number,
    asker: number,
    ids: number,
    rows: number,
    out: number,
    wanted: number,
    waiting: number,
    waits: number,
  ): number;
  giveValues(
    table: number,
    asker: number,
    wanted: number,
    asked: number,
    values: number,
    waiting: number,
    waits: number,
    out: number,
  ): void;
  compareIds(a: number, b: number, step: number, rows: number, asked: number, answers: number, out: number): number;
}
