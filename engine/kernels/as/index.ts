/** What the kernels export. */

export * from './tokenise-lines';
export * from './tokenise-turtle';
export { checksum, hashTerm } from './hash';
export { hashRecords, probeRecords, regrowTable, zero } from './term-table';
export { inlineId, inlineTerms } from './inline';
export { sortKeys, sortPairs } from './radix-sort';
export { sortTerms } from './string-sort';
export { decodeSymbols, encodeSymbols, prepareSymbols } from './symbols';
export { decodeTerms, encodeTermBlock } from './front-code';
export { checkBlock, constantOf, decodeColumn, encodeBlock, isConstant, lowerBound, valueAt } from './block';
export {
  assignRanks,
  composeKeys,
  countDistinctFirst,
  countGraphs,
  countObjects,
  countRanks,
  countSubjects,
  dedupeKeys,
  dropMarkedKeys,
  fillColumn,
  keyColumn,
  markColumn,
  relayoutKeys,
  sumRows,
} from './row-keys';
export { findRow, gatherRows, lowerBoundRows, mergePermutation, sortPermutation } from './permutation';
export { extremes, firstDisorder, markPresent, mergeRowsOf } from './merge-rows';
export { dropPresent, overridePresent } from './present-rows';
export { closeAsOf, selectAsOf, selectAsOfValidAt } from './row-times';
export { countDead, selectAlive } from './dead-rows';
export { decodeRows, selectKnownEnd, selectPacked } from './packed-rows';
export { gatherColumn, selectDistinct, selectDistinctRows, selectEqual, selectRange, selectRanges } from './select-rows';
export { encodeHashBlock, findInHashBlock, hashBlock, listHashBlock, probeHashBlock } from './hash-index';
export { collectIds, partitionByKind, resolveDictionaryIds } from './term-ids';
export { findAnswers, giveAnswers } from './id-answers';
export { findValues, giveValues } from './id-values';
export { compareIds } from './compare-ids';
export { countLines } from './lines';
export {
  castNumbersToDouble,
  combineNumbers,
  compareNumbers,
  fillNumbers,
  negateNumbers,
  numberIds,
  readNumbers,
} from './number-columns';
export { castNumbersToExact, roundNumbers } from './round-numbers';
export { countRows, extremeGroups, integerIds, sampleGroups, sumGroups } from './aggregates';
export { lookupRows } from './lookup-rows';
export { dropDeadRows, keepKeys, numberRows, probeCounts, probePermutation, probeRows } from './probe-rows';
export { listScopes, patchScopes } from './scopes';
export { assignIds, assignRuns, filterIds, findIds, findRun, moveIds } from './id-table';
export { assignDirect, countNumbers, findDirect, placeRows, sumCounts, widenRange } from './row-groups';
export {
  completeIds,
  countPairs,
  gatherIds,
  gatherIdsOrUnbound,
  isSequence,
  keepPairs,
  listNumbered,
  listUnmarked,
  markRows,
  pairFound,
  pairNumbers,
  repeatFound,
} from './row-pairs';
export { appendObjects, crossKeys, starRows } from './star-rows';
export { orderKeys } from './key-order';
export { intersectLists } from './intersect-lists';
export { findEntries, placeEntries, writeInlinedTerms, writeStoredTerms } from './answer-terms';
export { writeAnswerRows } from './answer-rows';
export { writeInlineText } from './inline-text';
export { readDateParts } from './date-parts';
export { textLengths } from './text-lengths';
export { mergePairs } from './merge-pairs';
