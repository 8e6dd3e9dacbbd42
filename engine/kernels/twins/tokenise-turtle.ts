/** Turtle and TriG as the kernel of the same name must read them, a whole document at a time. */

import { NESTING_MAX, TOKENISE } from '../tokenise-errors.js';
import { TERM_KIND } from '../tokenise-state.js';
import { resolveIriTwin } from './resolve-iri.js';
import {
  DEFAULT_GRAPH,
  isNamePart,
  isNameStart,
  TermReader,
  TwinFailure,
  type TwinQuad,
  type TwinResult,
  type TwinTerm,
  term,
} from './term-reader.js';

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const NIL = term(TERM_KIND.iri, `${RDF}nil`);
const FIRST = term(TERM_KIND.iri, `${RDF}first`);
const REST = term(TERM_KIND.iri, `${RDF}rest`);
const TYPE = term(TERM_KIND.iri, `${RDF}type`);
/** The longest form first. */
const NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/[+-]?(?:\d+\.\d*|\.?\d+)[eE][+-]?\d+/y, 'double'],
  [/[+-]?\d*\.\d+/y, 'decimal'],
  [/[+-]?\d+/y, 'integer'],
];

class TurtleReader extends TermReader {
  readonly quads: TwinQuad[] = [];
  private readonly latin1: string;
  private readonly prefixes = new Map<string, string>();
  private graph: TwinTerm | null = null;
  private anonymous = 0;

  constructor(
    bytes: Uint8Array,
    private readonly graphs: boolean,
    private base: string | undefined,
  ) {
    super(bytes);
    this.latin1 = Buffer.from(bytes).toString('latin1');
  }

  private skipSpace(): void {
    while (' \t\r\n#'.includes(this.character()) && this.at < this.end) {
      if (this.isAt('#')) this.skipComment();
      else this.at++;
    }
  }

  /** Fails with `code`, unless the input ends here. */
  private unexpected(code: number, offset = this.at): never {
    if (offset >= this.end) this.fail(TOKENISE.unexpectedEnd, offset);
    this.wrong(code, offset);
  }

  private expect(text: string, code: number): void {
    if (!this.isAt(text)) this.unexpected(code);
    this.at++;
  }

  private isName(offset: number): boolean {
    return /[-A-Za-z0-9_]/.test(this.character(offset)) && offset < this.end;
  }

  /** Whether a keyword stands at the cursor and is not the start of a name. */
  private isKeyword(word: string): boolean {
    const behind = this.at + word.length;
    if (this.latin1.slice(this.at, behind).toLowerCase() !== word) return false;
    return !this.isName(behind) && !this.isAt(':', behind) && !this.isAt('.', behind) && this.byte(behind) < 0x80;
  }

  private newAnonymous(): TwinTerm {
    return term(TERM_KIND.anonymous, String(this.anonymous++));
  }

  private emit(subject: TwinTerm, predicate: TwinTerm, object: TwinTerm): void {
    this.quads.push([subject, predicate, object, this.graph ?? DEFAULT_GRAPH]);
  }

  private takeResolvedIri(): TwinTerm {
    const open = this.at;
    const iri = this.takeIri();
    if (SCHEME.test(iri)) return term(TERM_KIND.iri, iri);
    if (this.base === undefined) this.fail(TOKENISE.relativeIri, open);
    return term(TERM_KIND.iri, resolveIriTwin(this.base, iri));
  }

  private startsName(offset: number): boolean {
    const character = offset < this.end ? this.decode(offset) : null;
    return character !== null && isNameStart(character);
  }

  /** The prefix at the cursor, which is left behind the colon. */
  private takePrefix(expected: number): string {
    const start = this.at;
    while (this.at < this.end) {
      const character = this.characterAt(this.at);
      if (character !== '.' && !isNamePart(character)) break;
      this.take();
    }
    const prefix = this.text(start);
    const valid = prefix === '' || (this.startsName(start) && !prefix.endsWith('.'));
    if (!this.isAt(':') || !valid) this.unexpected(expected, start);
    this.at++;
    return prefix;
  }

  /** `%xx` or `\c` at the cursor, as it stands in the name. */
  private takeLocalEscape(): string {
    const rest = this.latin1.slice(this.at, this.at + 3);
    const match = /^(?:%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%])/.exec(rest);
    if (!match) this.fail(TOKENISE.invalidLocalName, this.at);
    this.at += match[0].length;
    return match[0].replace('\\', '');
  }

  private takeLocalName(): string {
    const start = this.at;
    let local = '';
    let end = start;
    let endLength = 0;
    while (this.at < this.end) {
      const first = this.at === start;
      if (this.isAt('%') || this.isAt('\\')) {
        local += this.takeLocalEscape();
      } else {
        const character = this.characterAt(this.at);
        const allowed = first
          ? isNameStart(character) || /[_0-9:]/.test(character)
          : isNamePart(character) || character === ':';
        if (!allowed && (first || character !== '.')) break;
        local += this.take();
        if (character === '.') continue;
      }
      end = this.at;
      endLength = local.length;
    }
    this.at = end;
    return local.slice(0, endLength);
  }

  private takePrefixedName(): TwinTerm {
    const start = this.at;
    const namespace = this.prefixes.get(this.takePrefix(TOKENISE.expectedName));
    if (namespace === undefined) this.fail(TOKENISE.undeclaredPrefix, start);
    return term(TERM_KIND.iri, namespace + this.takeLocalName());
  }

  private takeIriOrName(expected: number): TwinTerm {
    if (this.isAt('<')) return this.takeResolvedIri();
    if (this.isAt(':') || this.startsName(this.at)) return this.takePrefixedName();
    return this.unexpected(expected);
  }

  private takeLiteral(): TwinTerm {
    const quote = this.character();
    const long = this.isAt(quote, this.at + 1) && this.isAt(quote, this.at + 2);
    const lexical = this.takeString(long ? quote.repeat(3) : quote);
    this.skipSpace();
    if (this.isAt('@')) return this.takeLanguageTag(lexical);
    if (!this.isAt('^')) return term(TERM_KIND.string, lexical);
    this.at++;
    this.expect('^', TOKENISE.expectedDatatype);
    this.skipSpace();
    const open = this.at;
    return this.typed(lexical, this.takeIriOrName(TOKENISE.expectedDatatype).lexical, open);
  }

  private takeNumber(): TwinTerm {
    for (const [pattern, datatype] of NUMBERS) {
      pattern.lastIndex = this.at;
      const match = pattern.exec(this.latin1);
      if (!match) continue;
      this.at += match[0].length;
      return term(TERM_KIND.typed, match[0], XSD + datatype);
    }
    return this.unexpected(TOKENISE.invalidNumber, this.at + (this.isAt('+') || this.isAt('-') ? 1 : 0));
  }

  private takeWord(expected: number): TwinTerm {
    const word = ['true', 'false'].find((w) => this.latin1.startsWith(w, this.at));
    if (word === undefined || this.isName(this.at + word.length)) return this.takeIriOrName(expected);
    let behind = this.at + word.length;
    while (this.isAt('.', behind) || this.isName(behind)) behind++;
    if (this.isAt(':', behind) || this.byte(behind) >= 0x80) return this.takeIriOrName(expected);
    this.at += word.length;
    return term(TERM_KIND.typed, word, `${XSD}boolean`);
  }

  private object(subject: TwinTerm, predicate: TwinTerm, depth: number, expected: number): void {
    if (this.isAt('[')) this.bracketObject(subject, predicate, depth);
    else if (this.isAt('(')) this.listObject(subject, predicate, depth);
    else this.emit(subject, predicate, this.takeSimpleObject(expected));
  }

  /** An object with nothing nested in it. */
  private takeSimpleObject(expected: number): TwinTerm {
    if (this.isAt('<')) return this.takeResolvedIri();
    if (this.isAt('"') || this.isAt("'")) return this.takeLiteral();
    if (/^(?:[-+0-9]|\.[0-9])/.test(this.latin1.slice(this.at, this.at + 2))) return this.takeNumber();
    if (this.isAt('_')) return this.takeBlankLabel();
    return this.takeWord(expected);
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

  private takePredicate(): TwinTerm {
    const next = this.at + 1;
    const single = !this.isName(next) && !this.isAt(':', next) && !this.isAt('.', next) && this.byte(next) < 0x80;
    if (!this.isAt('a') || !single) return this.takeIriOrName(TOKENISE.expectedPredicate);
    this.at++;
    return TYPE;
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
