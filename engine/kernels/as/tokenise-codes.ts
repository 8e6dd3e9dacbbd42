/**
 * The numbers that the tokeniser kernels and TypeScript share. Both compilers read this file, so that there is one
 * definition of each; the messages of the errors stand in `kernels/tokenise-errors.ts`.
 */

/** Result codes: below 16 are results, from 16 on errors of the input. */
export enum TOKENISE {
  /** Everything was read up to the last statement boundary. */
  ok = 0,
  /** The record area is full (or one statement is larger than it, when no quad was written). */
  recordsFull = 1,
  /** The scratch area is full (or one statement is larger than it, when no quad was written). */
  scratchFull = 2,
  /** The next statement holds triple terms, which these tokenisers leave to another reader. */
  needsSlowPath = 3,
  /** Never leaves the kernel: the statement goes on behind the end of the input. */
  incomplete = 4,
  invalidUtf8 = 16,
  invalidIriCharacter = 17,
  unterminatedIri = 18,
  relativeIri = 19,
  invalidEscape = 20,
  invalidCodePoint = 21,
  unterminatedString = 22,
  invalidLanguageTag = 23,
  invalidDirection = 24,
  invalidBlankLabel = 25,
  expectedSubject = 26,
  expectedPredicate = 27,
  expectedObject = 28,
  expectedGraph = 29,
  expectedDot = 30,
  expectedLineEnd = 31,
  expectedDatatype = 32,
  taglessLanguageString = 33,
  termTooLong = 34,
  expectedVersion = 35,
  undeclaredPrefix = 36,
  expectedPrefixName = 37,
  expectedIri = 38,
  invalidLocalName = 39,
  invalidNumber = 40,
  tooDeep = 41,
  tooManyPrefixes = 42,
  tooManyAnonymous = 43,
  unexpectedEnd = 44,
  expectedListEnd = 45,
  expectedBracket = 46,
  expectedBrace = 47,
  graphsNotAllowed = 48,
  unknownDirective = 49,
  graphNameTooLong = 50,
  expectedName = 51,
}

/** Flags of a call. */
export enum TOKENISE_FLAG {
  /** No more input follows. */
  last = 1,
  /** Graph names are allowed: N-Quads, TriG. */
  graphs = 2,
}

/** Offsets in the state struct of a tokeniser; `tokenise-state.ts` has the table of their meanings. */
export enum FIELD {
  status = 0,
  errorOffset = 4,
  quads = 8,
  consumed = 12,
  recordsBase = 16,
  recordsEnd = 20,
  scratchBase = 24,
  scratchEnd = 28,
  scratchNext = 32,
  anonymous = 36,
  recordsNext = 40,
  inputEnd = 44,
  flags = 48,
  frames = 52,
  framesEnd = 56,
  baseAddress = 64,
  baseLength = 68,
  baseCapacity = 72,
  baseSchemeEnd = 76,
  baseHostEnd = 80,
  basePathEnd = 84,
  baseQueryEnd = 88,
  baseFolderEnd = 92,
  prefixSlots = 96,
  prefixMask = 100,
  prefixCount = 104,
  namesNext = 108,
  namesEnd = 112,
  graphName = 116,
  graphNameBytes = 120,
  graphOpen = 124,
  graphRecord = 128,
  wellKnown = 256,
}

/** Places in the table of well-known IRIs. */
export enum WELL_KNOWN {
  xsdString = 0,
  xsdInteger = 1,
  xsdDecimal = 2,
  xsdDouble = 3,
  xsdBoolean = 4,
  rdfType = 5,
  rdfFirst = 6,
  rdfRest = 7,
  rdfNil = 8,
  rdfLangString = 9,
  rdfDirLangString = 10,
}
