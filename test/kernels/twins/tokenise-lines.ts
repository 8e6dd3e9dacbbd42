/** N-Triples and N-Quads as the kernel of the same name must read them, a whole document at a time. */

import { TOKENISE } from '../../../engine/kernels/tokenise-errors.js';
import { TERM_KIND } from '../../../engine/kernels/tokenise-state.js';
import {
  DEFAULT_GRAPH,
  TermReader,
  TwinFailure,
  type TwinQuad,
  type TwinResult,
  type TwinTerm,
  term,
} from './term-reader.js';

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

class LinesReader extends TermReader {
  constructor(
    bytes: Uint8Array,
    private readonly graphs: boolean,
  ) {
    super(bytes);
  }

  private skipBlanks(): void {
    while (this.isAt(' ') || this.isAt('\t')) this.at++;
  }

  private atLineEnd(): boolean {
    return this.at >= this.end || this.isAt('\n') || this.isAt('\r');
  }

  private takeAbsoluteIri(): string {
    const open = this.at;
    const iri = this.takeIri();
    if (!SCHEME.test(iri)) this.fail(TOKENISE.relativeIri, open);
    return iri;
  }

  private takeNode(expected: number): TwinTerm {
    if (this.isAt('<')) return term(TERM_KIND.iri, this.takeAbsoluteIri());
    return this.isAt('_') ? this.takeBlankLabel() : this.wrong(expected);
  }

  private takeLiteral(): TwinTerm {
    const lexical = this.takeString('"');
    this.skipBlanks();
    if (this.isAt('@')) return this.takeLanguageTag(lexical);
    if (!this.isAt('^')) return term(TERM_KIND.string, lexical);
    if (!this.isAt('^', ++this.at)) this.wrong(TOKENISE.expectedDatatype);
    this.at++;
    this.skipBlanks();
    const open = this.at;
    if (!this.isAt('<')) this.wrong(TOKENISE.expectedDatatype);
    return this.typed(lexical, this.takeAbsoluteIri(), open);
  }

  private takeQuad(): TwinQuad {
    const subject = this.takeNode(TOKENISE.expectedSubject);
    this.skipBlanks();
    if (!this.isAt('<')) this.wrong(TOKENISE.expectedPredicate);
    const predicate = term(TERM_KIND.iri, this.takeAbsoluteIri());
    this.skipBlanks();
    const object = this.isAt('"') ? this.takeLiteral() : this.takeNode(TOKENISE.expectedObject);
    this.skipBlanks();
    const graph = this.graphs && !this.isAt('.') ? this.takeNode(TOKENISE.expectedGraph) : DEFAULT_GRAPH;
    this.skipBlanks();
    if (!this.isAt('.')) this.wrong(TOKENISE.expectedDot);
    this.at++;
    return [subject, predicate, object, graph];
  }

  private takeVersion(): void {
    const start = this.at;
    this.at += 7;
    if (this.text(start).toLowerCase() !== 'version') this.fail(TOKENISE.expectedSubject, start);
    this.skipBlanks();
    if (!this.isAt('"')) this.wrong(TOKENISE.expectedVersion);
    this.takeString('"');
  }

  /** One line with its end: its quad, or null. */
  takeLine(): TwinQuad | null {
    this.skipBlanks();
    let quad: TwinQuad | null = null;
    if (this.isAt('v') || this.isAt('V')) this.takeVersion();
    else if (!this.atLineEnd() && !this.isAt('#')) quad = this.takeQuad();
    this.skipBlanks();
    if (this.isAt('#')) this.skipComment();
    if (!this.atLineEnd()) this.wrong(TOKENISE.expectedLineEnd);
    this.at++;
    return quad;
  }
}

export function tokeniseLinesTwin(bytes: Uint8Array, graphs: boolean): TwinResult {
  const reader = new LinesReader(bytes, graphs);
  const quads: TwinQuad[] = [];
  try {
    while (reader.at < reader.end) {
      const quad = reader.takeLine();
      if (quad) quads.push(quad);
    }
  } catch (error) {
    if (!(error instanceof TwinFailure)) throw error;
    return { code: error.code, offset: error.offset, quads };
  }
  return { code: TOKENISE.ok, offset: 0, quads };
}
