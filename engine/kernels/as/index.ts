/** What the kernels export. */

export { countRows, extremeGroups, integerIds, sampleGroups, sumGroups } from './aggregates';
export { writeAnswerRows } from './answer-rows';
export { findEntries, placeEntries, writeInlinedTerms, writeStoredTerms } from './answer-terms';
export { checkBlock, constantOf, decodeColumn, encodeBlock, isConstant, lowerBound, valueAt } from './block';
export { dropCandidates, estimatePlanes, keepCandidates, splitCodes } from './code-planes';
export { compareIds } from './compare-ids';
export { readDateParts } from './date-parts';
export { countDead, selectAlive } from './dead-rows';
export { decodeTerms, encodeTermBlock } from './front-code';
export { checksum, hashTerm } from './hash';
export { encodeHashBlock, findInHashBlock, hashBlock, listHashBlock, probeHashBlock } from './hash-index';
export { findAnswers, findValues, giveAnswers } from './id-answers';
export { assignIds, assignRuns, filterIds, findIds, findRun, moveIds } from './id-table';
export { inlineId, inlineTerms } from './inline';
export { writeInlineText } from './inline-text';
export { intersectLists } from './intersect-lists';
export { orderKeys } from './key-order';
export { writeLineTexts } from './line-texts';
export { countLines } from './lines';
export { lookupRows } from './lookup-rows';
export { mergePairs } from './merge-pairs';
export { extremes, firstDisorder, markPresent, mergeRowsOf } from './merge-rows';
export { moveNodes } from './move-nodes';
export {
  castNumbersToDouble,
  combineNumbers,
  compareNumbers,
  fillNumbers,
  negateNumbers,
  numberIds,
  readNumbers,
} from './number-columns';
export { decodeRows, selectKnownEnd, selectPacked } from './packed-rows';
export { findRow, gatherRows, lowerBoundRows, mergePermutation, sortPermutation } from './permutation';
export { dropPresent, overridePresent } from './present-rows';
export { dropDeadRows, keepKeys, numberRows, probeCounts, probePermutation, probeRows } from './probe-rows';
export { sortKeys, sortPairs } from './radix-sort';
export { pullRanks, shareRanks } from './rank-nodes';
export { castNumbersToExact, roundNumbers } from './round-numbers';
export { assignDirect, countNumbers, findDirect, placeRows, sumCounts, widenRange } from './row-groups';
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
export { closeAsOf, selectAsOf, selectAsOfValidAt } from './row-times';
export { listScopes, patchScopes } from './scopes';
export { searchParts } from './search-parts';
export {
  gatherColumn,
  selectDistinct,
  selectDistinctRows,
  selectEqual,
  selectRange,
  selectRanges,
} from './select-rows';
export { countBuckets, fillBuckets, measureNumbers, sortBucket } from './sort-buckets';
export { radixSortPermutation } from './sort-rows';
export { gatherLines, lineOffsets } from './sorted-lines';
export { countParts, placeNumbers, splitRows } from './split-rows';
export { appendObjects, crossKeys, starRows } from './star-rows';
export { sortTerms } from './string-sort';
export { decodeSymbols, encodeSymbols, prepareSymbols } from './symbols';
export { collectIds, partitionByKind, resolveDictionaryIds } from './term-ids';
export { hashRecords, probeRecords, regrowTable, zero } from './term-table';
export { textLengths } from './text-lengths';
export { keepHolding } from './texts-holding';
export * from './tokenise-lines';
export * from './tokenise-turtle';
export {
  countBits,
  estimateCodes,
  keepAtMost,
  keepIdsMarked,
  markIds,
  nearestCentres,
  nearestGroupedCentres,
  productOfVectors,
  quantiseVector,
  selectMarked,
} from './vector-codes';
export { invertPlaces, keepBits, linkRows, listPlaces, markLinkedRows, markPlaces } from './vector-rows';
