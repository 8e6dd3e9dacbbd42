/**
 * The numbers of terms that kernels and TypeScript share: tags of ids, kinds of terms, codes of datatypes. Both compilers
 * read this file, so that there is one definition of each.
 */

/** The first byte of an id (`storage/ids/layout.ts`). */
export enum TAG {
  unbound = 0x00,
  blank = 0x10,
  iri = 0x20,
  /** xsd:string, in the dictionary. */
  string = 0x30,
  /** rdf:langString, in the dictionary. */
  langString = 0x31,
  /** rdf:dirLangString, in the dictionary. */
  dirLangString = 0x32,
  /** Any other literal, in the dictionary; auxiliary = datatype code, 0 when unlisted. */
  typed = 0x33,
  /** Integers of every xsd integer type; auxiliary = datatype code, payload biased. */
  integer = 0x38,
  /** xsd:decimal; auxiliary = digits after the point, payload = unscaled value, biased. */
  decimal = 0x39,
  /** xsd:boolean; payload 0 `false`, 1 `true`, 2 `0`, 3 `1`. */
  boolean = 0x3a,
  /** xsd:date; auxiliary = zone code, payload = local days since 1970-01-01, biased. */
  date = 0x3b,
  /** xsd:dateTime without fraction; auxiliary = zone code, payload = local seconds, biased. */
  dateTime = 0x3c,
  /** xsd:dateTime with three fraction digits; auxiliary = zone code, payload = local ms, biased. */
  dateTimeMs = 0x3d,
  /** xsd:double written as digits, point, digits; auxiliary = digits after the point. */
  double = 0x3e,
  /** xsd:float written as digits, point, digits; auxiliary = digits after the point. */
  float = 0x3f,
  /** RDF 1.2 triple term, in the dictionary. */
  triple = 0x50,
  /** A value that a query computed and that cannot be inlined; payload = index of the query. */
  local = 0xe0,
}

/** The first of the stored bytes of a term, and the upper bits of the second word of a term record. */
export enum TERM_KIND {
  defaultGraph = 0,
  blank = 1,
  iri = 2,
  string = 3,
  language = 4,
  direction = 5,
  typed = 6,
  triple = 7,
  /** A blank node without a label, in term records only. */
  anonymous = 8,
}

/** Places of datatypes in `DATATYPES` (`storage/ids/layout.ts`): those that kernels look at. */
export enum TYPE_CODE {
  integer = 1,
  decimal = 2,
  double = 3,
  float = 4,
  boolean = 5,
  date = 6,
  dateTime = 7,
  derivedFirst = 18,
  derivedLast = 29,
}
