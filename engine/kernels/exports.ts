/** The kernels as JavaScript sees them; addresses are numbers, u64 values are BigInt. The sources in `as/` say what each does. */

import type { OperatorKernels } from './operator-exports.js';
import type { ValueKernels } from './value-exports.js';

export interface KernelExports extends OperatorKernels, ValueKernels {
  checksum(start: number, length: number): number;
  hashTerm(
    seedLow: bigint,
    seedHigh: bigint,
    kind: number,
    qualifier: number,
    qualifierLength: number,
    lexical: number,
    lexicalLength: number,
    out: number,
  ): void;
  hashRecords(
    state: number,
    cache: number,
    records: number,
    count: number,
    scope: number,
    anonymousScope: number,
    scratch: number,
    scratchEnd: number,
    hashes: number,
  ): number;
  probeRecords(
    state: number,
    records: number,
    hashes: number,
    count: number,
    defaultGraph: number,
    rows: number,
  ): number;
  regrowTable(state: number, slots: number, logSlots: number): void;
  countLines(start: number, length: number): number;
  listScopes(arena: number, offsets: number, count: number, used: number): number;
  patchScopes(
    arena: number,
    offsets: number,
    count: number,
    hashes: number,
    scopes: number,
    seedLow: bigint,
    seedHigh: bigint,
    scratch: number,
  ): number;
  zero(start: number, length: number): void;
  inlineId(code: number, at: number, length: number): bigint;
  inlineTerms(
    arena: number,
    offsets: number,
    count: number,
    types: number,
    ids: number,
    codes: number,
    list: number,
  ): number;
  resolveDictionaryIds(
    arena: number,
    offsets: number,
    list: number,
    count: number,
    first: bigint,
    codes: number,
    ids: number,
    unique: number,
    mayRepeat: number,
  ): number;
  partitionByKind(arena: number, offsets: number, list: number, count: number, kind: number): number;
  collectIds(ids: number, list: number, count: number, out: number): void;
  sortKeys(a: number, b: number, count: number, width: number, histogram: number): void;
  sortPairs(
    keys: number,
    values: number,
    keys2: number,
    values2: number,
    count: number,
    histogram: number,
    lowest: number,
  ): number;
  sortTerms(
    arena: number,
    offsets: number,
    list: number,
    count: number,
    keys: number,
    keys2: number,
    list2: number,
    stack: number,
    stackEnd: number,
    histogram: number,
  ): number;
  prepareSymbols(table: number, count: number): void;
  encodeSymbols(table: number, from: number, length: number, out: number): number;
  decodeSymbols(table: number, from: number, length: number, out: number): number;
  encodeTermBlock(
    arena: number,
    offsets: number,
    list: number,
    from: number,
    to: number,
    table: number,
    out: number,
    capacity: number,
    scratch: number,
    lengthAt: number,
  ): number;
  decodeTerms(
    block: number,
    blockLength: number,
    table: number,
    places: number,
    count: number,
    heads: number,
    out: number,
    outLength: number,
    ends: number,
  ): number;
  encodeBlock(columns: number, rows: number, out: number, scratch: number, extremes: number): number;
  checkBlock(block: number, length: number): number;
  valueAt(block: number, column: number, row: number): bigint;
  decodeColumn(block: number, column: number, from: number, to: number, out: number): void;
  isConstant(block: number, column: number): number;
  constantOf(block: number, column: number): bigint;
  lowerBound(block: number, columns: number, depth: number, key: number, from: number, to: number): number;
  composeKeys(
    rows: number,
    count: number,
    marks: number,
    wanted: number,
    ranks: number,
    layout: number,
    out: number,
  ): number;
  dedupeKeys(keys: number, count: number): number;
  dropMarkedKeys(keys: number, count: number, marks: number): number;
  relayoutKeys(keys: number, count: number, from: number, to: number, out: number): void;
  keyColumn(keys: number, count: number, layout: number, column: number, ids: number, out: number): void;
  fillColumn(out: number, count: number, value: bigint): void;
  countGraphs(rows: number, count: number, counts: number): void;
  markColumn(rows: number, count: number, column: number, marks: number): void;
  assignRanks(
    sortedIds: number,
    sortedNumbers: number,
    count: number,
    marks: number,
    ranks: number,
    ids: number,
  ): number;
  sumRows(columns: number, from: number, to: number, sum: number): void;
  countSubjects(keys: number, count: number, layout: number, figures: number): void;
  countObjects(keys: number, count: number, layout: number, figures: number): void;
  countRanks(keys: number, count: number, layout: number, column: number, counts: number): void;
  countDistinctFirst(keys: number, count: number, layout: number, column: number): number;
  lowerBoundRows(
    columns: number,
    permutation: number,
    count: number,
    order: bigint,
    depth: number,
    key: number,
    from: number,
  ): number;
  findRow(columns: number, permutation: number, count: number, order: bigint, depth: number, key: number): number;
  mergePermutation(
    columns: number,
    old: number,
    oldCount: number,
    added: number,
    addedCount: number,
    order: bigint,
    depth: number,
    out: number,
  ): void;
  sortPermutation(
    columns: number,
    permutation: number,
    count: number,
    order: bigint,
    depth: number,
    scratch: number,
  ): void;
  gatherRows(columns: number, permutation: number, from: number, to: number, wanted: number, out: number): void;
  mergeRowsOf(
    a: number,
    fromA: number,
    toA: number,
    b: number,
    fromB: number,
    toB: number,
    order: bigint,
    depth: number,
    wanted: number,
    out: number,
    room: number,
    positions: number,
  ): number;
  markPresent(
    a: number,
    fromA: number,
    toA: number,
    b: number,
    fromB: number,
    toB: number,
    order: bigint,
    depth: number,
    marks: number,
    positions: number,
  ): void;
  lookupRows(
    block: number,
    rows: number,
    order: bigint,
    depth: number,
    candidates: number,
    from: number,
    to: number,
    out: number,
  ): number;
  probeRows(
    block: number,
    probe: number,
    row: number,
    key: number,
    keyTo: number,
    room: number,
    outRows: number,
    outKeys: number,
    state: number,
  ): number;
  probeCounts(
    block: number,
    probe: number,
    row: number,
    key: number,
    keyTo: number,
    dead: number,
    deadCount: number,
    entries: number,
    room: number,
    outKeys: number,
    outCounts: number,
    state: number,
  ): number;
  probePermutation(
    columns: number,
    permutation: number,
    at: number,
    to: number,
    probe: number,
    key: number,
    keyTo: number,
    room: number,
    out: number,
    state: number,
  ): number;
  dropDeadRows(dead: number, deadCount: number, rows: number, keys: number, count: number): number;
  keepKeys(rows: number, keys: number, kept: number, count: number): void;
  numberRows(columns: number, rows: number, probe: number, key: number, out: number): number;
  firstDisorder(columns: number, rows: number, order: bigint, depth: number): number;
  extremes(values: number, rows: number, out: number): void;
  selectRange(values: number, from: number, count: number, low: bigint, high: bigint, to: number): number;
  selectEqual(values: number, from: number, count: number, wanted: bigint, to: number): number;
  selectRanges(values: number, from: number, count: number, bounds: number, ranges: number, to: number): number;
  gatherColumn(values: number, selection: number, count: number, out: number): void;
  selectDistinct(a: number, b: number, c: number, from: number, count: number, last: number, to: number): number;
  dropPresent(
    a: number,
    selection: number,
    count: number,
    b: number,
    fromB: number,
    toB: number,
    order: bigint,
    depth: number,
    outSelection: number,
  ): number;
  overridePresent(
    a: number,
    selection: number,
    count: number,
    b: number,
    fromB: number,
    toB: number,
    order: bigint,
    depth: number,
    mask: number,
  ): void;
  selectAsOf(
    txFrom: number,
    txTo: number,
    validTo: number,
    from: number,
    count: number,
    tx: bigint,
    to: number,
  ): number;
  selectAsOfValidAt(
    txFrom: number,
    txTo: number,
    validFrom: number,
    validTo: number,
    from: number,
    count: number,
    tx: bigint,
    at: bigint,
    to: number,
  ): number;
  closeAsOf(txTo: number, validTo: number, from: number, count: number, tx: bigint): void;
  countDead(dead: number, deadCount: number, below: number): number;
  selectAlive(dead: number, deadCount: number, from: number, to: number, out: number): number;
  selectPacked(
    block: number,
    column: number,
    low: bigint,
    high: bigint,
    first: number,
    from: number,
    count: number,
    to: number,
  ): number;
  selectKnownEnd(block: number, tx: bigint, at: bigint, first: number, from: number, count: number, to: number): number;
  decodeRows(block: number, column: number, first: number, selection: number, count: number, out: number): void;
  selectDistinctRows(
    columns: number,
    order: bigint,
    depth: number,
    from: number,
    count: number,
    last: number,
    to: number,
  ): number;
  encodeHashBlock(
    hashes: number,
    numbers: number,
    from: number,
    count: number,
    blocks: number,
    wanted: number,
    width: number,
    out: number,
    lengthAt: number,
  ): number;
  findInHashBlock(block: number, hash: bigint, blocks: number, out: number, room: number): number;
  hashBlock(hash: bigint, blocks: number): number;
  listHashBlock(block: number, out: number): number;
  probeHashBlock(
    block: number,
    blocks: number,
    hashes: number,
    list: number,
    from: number,
    to: number,
    out: number,
  ): number;
  tokeniseTurtle(state: number, base: number, length: number, flags: number): number;
  tokeniseLines(state: number, base: number, length: number, flags: number): number;
  findEntries(column: number, kept: number, ids: number, rows: number): void;
  placeEntries(column: number): void;
  writeStoredTerms(kept: number, places: number, text: number, starts: number, ends: number, count: number): void;
  writeInlinedTerms(kept: number, from: number): number;
  writeAnswerRows(
    columns: number,
    width: number,
    row: number,
    rows: number,
    layout: number,
    kept: number,
    limit: number,
  ): number;
  writeInlineText(id: bigint, at: number): number;
}
