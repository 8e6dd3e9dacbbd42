/** Turtle and TriG as the kernel of the same name must read them, a whole document at a time. */

import { NESTING_MAX, TOKENISE } from '../../../engine/kernels/tokenise-errors.js';
import { TERM_KIND } from '../../../engine/kernels/tokenise-state.js';
import { DEFAULT_GRAPH, TwinFailure, type TwinQuad, type TwinResult, type TwinTerm, term } from './term-reader.js';
import { TurtleTermReader } from './turtle-terms.js';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const NIL = term(TERM_KIND.iri, `${RDF}nil`);
const FIRST = term(TERM_KIND.iri, `${RDF}first`);
const REST = term(TERM_KIND.iri, `${RDF}rest`);

class TurtleReader extends TurtleTermReader {
  readonly quads: TwinQuad[] = [];
  private graph: TwinTerm | null = null;
  private anonymous = 0;

  constructor(
    bytes: Uint8Array,
    private readonly graphs: boolean,
    base: string | undefined,
  ) {
    super(bytes, base);
  }

  private newAnonymous(): TwinTerm {
    return term(TERM_KIND.anonymous, String(this.anonymous++));
  }

  private emit(subject: TwinTerm, predicate: TwinTerm, object: TwinTerm): void {
    this.quads.push([subject, predicate, object, this.graph ?? DEFAULT_GRAPH]);
  }

  private object(subject: TwinTerm, predicate: TwinTerm, depth: number, expected: number): void {
    if (this.isAt('[')) this.bracketObject(subject, predicate, depth);
    else if (this.isAt('(')) this.listObject(subject, predicate, depth);
    else this.emit(subject, predicate, this.takeSimpleObject(expected));
  }

  private bracketObject(subject: TwinTerm, predicate: TwinTerm, depth: number): void {
    const open = this.at++;
    const node = this.newAnonymous();
    this.emit(subject, predicate, node);
    this.skipSpace();
    if (this.isAt(']')) {
      this.at++;
      return;
    }
    this.enter(depth, open);
    this.predicates(node, depth + 1);
    this.expect(']', TOKENISE.expectedBracket);
  }

  private listObject(subject: TwinTerm, predicate: TwinTerm, depth: number): void {
    const open = this.at++;
    this.skipSpace();
    if (this.isAt(')')) {
      this.at++;
      this.emit(subject, predicate, NIL);
      return;
    }
    this.enter(depth, open);
    const cell = this.newAnonymous();
    this.emit(subject, predicate, cell);
    this.listBody(cell, depth + 1);
  }

  private enter(depth: number, open: number): void {
    if (depth >= NESTING_MAX) this.fail(TOKENISE.tooDeep, open);
  }

  private listBody(first: TwinTerm, depth: number): void {
    for (let cell = first; ; ) {
      this.object(cell, FIRST, depth, TOKENISE.expectedListEnd);
      this.skipSpace();
      if (this.isAt(')')) {
        this.at++;
        this.emit(cell, REST, NIL);
        return;
      }
      const next = this.newAnonymous();
      this.emit(cell, REST, next);
      cell = next;
    }
  }

  private objects(subject: TwinTerm, predicate: TwinTerm, depth: number): void {
    for (;;) {
      this.skipSpace();
      this.object(subject, predicate, depth, TOKENISE.expectedObject);
      this.skipSpace();
      if (this.isAt('~') || (this.isAt('{') && this.isAt('|', this.at + 1))) {
        this.fail(TOKENISE.needsSlowPath, this.at);
      }
      if (!this.isAt(',')) return;
      this.at++;
    }
  }

  private predicates(subject: TwinTerm, depth: number): void {
    for (;;) {
      this.objects(subject, this.takePredicate(), depth);
      if (!this.isAt(';')) return;
      while (this.isAt(';')) {
        this.at++;
        this.skipSpace();
      }
      if (this.isAt('.') || this.isAt(']') || this.isAt('}')) return;
    }
  }

  private openGraph(name: TwinTerm): void {
    if (!this.graphs) this.fail(TOKENISE.graphsNotAllowed, this.at);
    this.at++;
    this.graph = name;
  }

  private triples(): void {
    const quadsBefore = this.quads.length;
    let subject: TwinTerm;
    let mayName = true;
    const bracket = this.isAt('[');
    if (bracket) {
      subject = this.newAnonymous();
      this.at++;
      this.skipSpace();
      if (!this.isAt(']')) this.predicates(subject, 0);
      this.expect(']', TOKENISE.expectedBracket);
      mayName = this.quads.length === quadsBefore;
    } else if (this.isAt('(')) {
      subject = this.listSubject();
      mayName = false;
    } else if (this.isAt('_')) {
      subject = this.takeBlankLabel();
    } else {
      subject = this.takeIriOrName(TOKENISE.expectedSubject);
    }
    this.skipSpace();
    if (this.isAt('{') && mayName && !this.graph) {
      this.openGraph(subject);
      return;
    }
    const mayStandAlone = bracket && !mayName;
    if (!mayStandAlone || !(this.isAt('.') || this.isAt('}'))) this.predicates(subject, 0);
    if (this.isAt('}') && this.graph) return;
    this.expect('.', TOKENISE.expectedDot);
  }

  private listSubject(): TwinTerm {
    this.at++;
    this.skipSpace();
    if (this.isAt(')')) {
      this.at++;
      return NIL;
    }
    const cell = this.newAnonymous();
    this.listBody(cell, 1);
    return cell;
  }

  private graphKeyword(): void {
    this.at += 5;
    this.skipSpace();
    let name: TwinTerm;
    if (this.isAt('[')) {
      this.at++;
      this.skipSpace();
      name = this.newAnonymous();
      this.expect(']', TOKENISE.expectedBracket);
    } else if (this.isAt('_')) {
      name = this.takeBlankLabel();
    } else {
      name = this.takeIriOrName(TOKENISE.expectedSubject);
    }
    this.skipSpace();
    if (!this.isAt('{')) this.unexpected(TOKENISE.expectedBrace);
    this.openGraph(name);
  }

  private takeVersion(): void {
    const quote = this.character();
    if (quote !== '"' && quote !== "'") this.unexpected(TOKENISE.expectedVersion);
    if (this.isAt(quote, this.at + 1) && this.isAt(quote, this.at + 2)) this.fail(TOKENISE.expectedVersion, this.at);
    this.takeString(quote);
  }

  /** The rest of a directive behind its keyword; it takes effect when it is complete. */
  private directive(keyword: string, dot: boolean): void {
    this.skipSpace();
    let prefix: string | null = null;
    let iri: string | null = null;
    if (keyword === 'version') {
      this.takeVersion();
    } else {
      if (keyword === 'prefix') prefix = this.takePrefix(TOKENISE.expectedPrefixName);
      this.skipSpace();
      if (!this.isAt('<')) this.unexpected(TOKENISE.expectedIri);
      iri = this.takeResolvedIri().lexical;
    }
    if (dot) {
      this.skipSpace();
      this.expect('.', TOKENISE.expectedDot);
    }
    if (prefix !== null && iri !== null) this.prefixes.set(prefix, iri);
    else if (iri !== null) this.base = iri;
  }

  private atDirective(): void {
    const word = /@([A-Za-z]*)/y;
    word.lastIndex = this.at;
    const keyword = word.exec(this.latin1)![1]!;
    if (!['prefix', 'base', 'version'].includes(keyword)) this.fail(TOKENISE.unknownDirective, this.at);
    this.at = word.lastIndex;
    this.directive(keyword, true);
  }

  private takeStatement(): void {
    const keyword = ['prefix', 'base', 'version'].find((word) => this.isKeyword(word));
    if (this.graph) this.takeInGraph();
    else if (this.isAt('@')) this.atDirective();
    else if (keyword !== undefined) this.wordDirective(keyword);
    else if (this.isAt('{')) this.openGraph(DEFAULT_GRAPH);
    else if (this.graphs && this.isKeyword('graph')) this.graphKeyword();
    else this.triples();
  }

  private takeInGraph(): void {
    if (this.isAt('}')) {
      this.at++;
      this.graph = null;
    } else {
      this.triples();
    }
  }

  private wordDirective(keyword: string): void {
    this.at += keyword.length;
    this.directive(keyword, false);
  }

  /** Reads all statements; when one fails, the quads of those before it stay. */
  readAll(): void {
    for (;;) {
      this.skipSpace();
      if (this.at >= this.end) break;
      const quads = this.quads.length;
      try {
        this.takeStatement();
      } catch (error) {
        this.quads.length = quads;
        throw error;
      }
    }
    if (this.graph) this.fail(TOKENISE.unexpectedEnd, this.end);
  }
}

export function tokeniseTurtleTwin(bytes: Uint8Array, graphs: boolean, base?: string): TwinResult {
  const reader = new TurtleReader(bytes, graphs, base);
  try {
    reader.readAll();
  } catch (error) {
    if (!(error instanceof TwinFailure)) throw error;
    return { code: error.code, offset: error.offset, quads: reader.quads };
  }
  return { code: TOKENISE.ok, offset: 0, quads: reader.quads };
}
