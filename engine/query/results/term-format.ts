/**
 * How a format writes terms, in two forms that agree by construction: `text` is the rule; the patterns
 * of `TermPatterns` are read off what it writes for sample terms, so that the bytes of a stored term can
 * be put between them without a term or a string being made. What has to be escaped, and whatever else
 * is not the same for every term of a kind, is left to `text`.
 */

import type { CurieTable } from '../../rdf/curies.js';
import { type Term, terms, XSD_STRING } from '../../rdf/terms.js';
import { KIND } from '../../storage/dictionary/stored-term.js';
import { inlineDatatype, inlineLexical } from '../../storage/ids/inline.js';
import { TAG } from '../../storage/ids/layout.js';

export interface TermFormat {
  text(term: Term): string;
  /** By byte of UTF-8: 1 where it is written as it is wherever it stands. Null = every term goes through `text`. */
  readonly plain: Uint8Array | null;
  /** The patterns of the format, where every column of every answer is written alike. */
  readonly patterns?: TermPatterns;
  /** Strings that may be taken for IRIs or blank nodes go through `text`. */
  readonly guardsStrings?: boolean;
  /** `text` writes language tags in lower case; those that are stored so need no look at it. */
  readonly lowersTags?: boolean;
  /** What `text` shortens IRIs by; `patterns` are those of a format that does not. */
  readonly curies?: CurieTable | null;
}

/** A format whose patterns are made once. It has to write all inlined literals of a datatype alike. */
export function sharedFormat(
  text: TermFormat['text'],
  plain: Uint8Array,
  more: Pick<TermFormat, 'guardsStrings' | 'lowersTags'> = {},
): TermFormat {
  const format = { text, plain, ...more };
  return { ...format, patterns: new TermPatterns(format) };
}

/** All bytes but the control characters and these, which are ASCII or lead bytes of UTF-8. */
export function plainBytes(special: string, more: readonly number[] = []): Uint8Array {
  const plain = new Uint8Array(256).fill(1);
  plain.fill(0, 0, 0x20);
  for (const character of special) plain[character.charCodeAt(0)] = 0;
  for (const byte of more) plain[byte] = 0;
  return plain;
}

export interface Pattern {
  readonly head: Uint8Array;
  /** Between the two parts where both are written. */
  readonly middle: Uint8Array;
  readonly tail: Uint8Array;
  /** Whether language or datatype is written at all, and whether it comes first. */
  readonly qualifier: 'none' | 'first' | 'last';
  /** What looks like an IRI or a blank node goes through `text`. */
  readonly guarded?: boolean;
  /** A qualifier with capital letters goes through `text`. */
  readonly lowered?: boolean;
}

const VALUE = 'value-mark';
const LANGUAGE = 'language-mark';
const DATATYPE = 'urn:datatype-mark';
const NOTHING = new Uint8Array(0);
const BARE: Pattern = { head: NOTHING, middle: NOTHING, tail: NOTHING, qualifier: 'none' };

/** The patterns of one format, each made when it is first needed. Null = through `text`. */
export class TermPatterns {
  private readonly kinds: (Pattern | null | undefined)[] = [];
  private readonly inlined = new Map<number, Pattern | null>();

  constructor(private readonly format: TermFormat) {}

  /** For stored terms of a kind. */
  ofKind(kind: number): Pattern | null {
    let pattern = this.kinds[kind];
    if (pattern === undefined) {
      pattern = this.format.plain === null ? null : this.kindPattern(kind);
      this.kinds[kind] = pattern;
    }
    return pattern;
  }

  /** For inlined literals; all that share tag and auxiliary byte are written alike, but for booleans. */
  ofInlined(low: number, high: number): Pattern | null {
    const key = high >>> 16;
    let pattern = this.inlined.get(key);
    if (pattern === undefined) {
      pattern = this.format.plain === null || high >>> 24 === TAG.boolean ? null : this.inlinedPattern(low, high);
      this.inlined.set(key, pattern);
    }
    return pattern;
  }

  private kindPattern(kind: number): Pattern | null {
    switch (kind) {
      case KIND.iri:
        return split(this.format.text(terms.namedNode(VALUE)), null);
      case KIND.blank:
        return split(this.format.text(terms.blankNode(VALUE)), null);
      case KIND.string:
        return guardedBy(this.format, split(this.format.text(terms.literal(VALUE)), null));
      case KIND.language:
        return loweredBy(this.format, split(this.format.text(terms.literal(VALUE, LANGUAGE)), LANGUAGE));
      case KIND.typed:
        return split(this.format.text(terms.literal(VALUE, terms.namedNode(DATATYPE))), DATATYPE);
      default:
        return null;
    }
  }

  private inlinedPattern(low: number, high: number): Pattern | null {
    const datatype = terms.namedNode(inlineDatatype(high));
    const lexical = inlineLexical(low, high);
    const written = this.format.text(terms.literal(lexical, datatype));
    if (written === lexical) return BARE;
    const pattern = split(this.format.text(terms.literal(VALUE, datatype)), null);
    const agrees = pattern !== null && written === `${latin(pattern.head)}${lexical}${latin(pattern.tail)}`;
    return agrees ? pattern : this.affixes(written, lexical);
  }

  /** Formats that write some numbers bare may still put something around them. */
  private affixes(written: string, lexical: string): Pattern | null {
    const bare = split(this.format.text(terms.literal(VALUE, terms.namedNode(XSD_STRING))), null);
    return bare !== null && written === `${latin(bare.head)}${lexical}${latin(bare.tail)}` ? bare : null;
  }
}

function guardedBy({ guardsStrings = false }: TermFormat, pattern: Pattern | null): Pattern | null {
  return pattern === null || !guardsStrings ? pattern : { ...pattern, guarded: true };
}

function loweredBy({ lowersTags = false }: TermFormat, pattern: Pattern | null): Pattern | null {
  return pattern === null || !lowersTags ? pattern : { ...pattern, lowered: true };
}

function split(written: string, qualifier: string | null): Pattern | null {
  const at = written.indexOf(VALUE);
  if (at < 0) return null;
  const end = at + VALUE.length;
  const mark = qualifier === null ? -1 : written.indexOf(qualifier);
  if (qualifier === null || mark < 0) {
    return { head: bytesOf(written, 0, at), middle: NOTHING, tail: bytesOf(written, end), qualifier: 'none' };
  }
  const markEnd = mark + qualifier.length;
  const isFirst = mark < at;
  const [headEnd, from, to, tail] = isFirst ? [mark, markEnd, at, end] : [at, end, mark, markEnd];
  return {
    head: bytesOf(written, 0, headEnd),
    middle: bytesOf(written, from, to),
    tail: bytesOf(written, tail),
    qualifier: isFirst ? 'first' : 'last',
  };
}

function bytesOf(text: string, from: number, to?: number): Uint8Array {
  return Buffer.from(text.slice(from, to));
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
