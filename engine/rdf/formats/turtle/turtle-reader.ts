/**
 * Turtle, TriG, N-Triples and N-Quads through `n3` (the streaming parser that passes the W3C suites of
 * all four, RDF 1.2 included); a parser of our own for the slow path would replace it.
 *
 * Around it: terms are checked (`read-factory.ts`), errors get line, column and excerpt, the line
 * formats are held to one statement per line, which `n3` does not ask for; names that begin like a boolean,
 * as `false.x:y`, are names; references are resolved as everywhere (`resolve-iri.ts`), and no graph stands in another.
 */

import { EventEmitter } from 'node:events';
import { type Quad as N3Quad, Parser } from 'n3';
import { resolveIri } from '../../resolve-iri.js';
import type { Quad } from '../../terms.js';
import { type PushReader, type PushReaderOptions, parseError } from '../input/push-reader.js';
import { TermFault } from '../input/read-factory.js';
import type { Format } from '../registry.js';

export type TurtleFamily = Extract<Format, 'ntriples' | 'nquads' | 'turtle' | 'trig'>;

const NAMES: Record<TurtleFamily, string> = {
  ntriples: 'N-Triples',
  nquads: 'N-Quads',
  turtle: 'Turtle',
  trig: 'TriG',
};

/** The tokens of `n3`: lines from 1, columns in UTF-16 units from 0. */
interface Token {
  readonly type: string;
  readonly value: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly endLine?: number;
}

interface ParserCallbacks {
  onQuad(error: Error | null, quad: N3Quad | null): void;
  onToken(token: Token): void;
  onPrefix?(prefix: string, namespace: { readonly value: string }): void;
}

/**
 * A boolean, unless it begins a longer name: dots and name characters up to a colon. While there is more to come, one that
 * reaches the end of the text waits for it.
 */
const BOOLEAN = String.raw`(?:true|false)(?=[.,;!\^\s#()[\]{}"'<>])`;
const NAME_CHARACTER = String.raw`[-\w\u0080-\uffff]`;
const REST_OF_NAME = String.raw`\.(?:${NAME_CHARACTER}|\.)*`;
const BOOLEAN_BEFORE_MORE = new RegExp(`${BOOLEAN}(?!${REST_OF_NAME}(?:${NAME_CHARACTER}:|$))`, 'y');
const BOOLEAN_BEFORE_END = new RegExp(`${BOOLEAN}(?!${REST_OF_NAME}${NAME_CHARACTER}:)`, 'y');

/** What we use of the parser beyond its declared surface; pinned by version and by tests. */
interface Internals {
  readonly _lexer: { _boolean: RegExp };
  readonly _base: string;
  _resolveRelativeIRI(reference: string): string;
}

type SyntaxFault = Error & { context?: { token?: Token; previousToken?: Token; line?: number } };

export function turtleReader(format: TurtleFamily, options: PushReaderOptions): PushReader {
  const { window } = options;
  const lineFormat = format === 'ntriples' || format === 'nquads';
  const lines = lineFormat ? new OneStatementPerLine() : null;
  const input = new EventEmitter();
  let target: Quad[] = [];
  let fault: SyntaxFault | null = null;
  let current: Token | null = null;

  const parser = new Parser({
    format: NAMES[format],
    factory: options.factory,
    // The caller scopes labels; the parser must not add to them.
    blankNodePrefix: '_:',
    ...(options.baseIri === undefined ? {} : { baseIRI: options.baseIri }),
  });
  const internals = parser as Parser & Internals;
  const lexer = internals._lexer;
  // Without a base the factory refuses what is relative.
  if (!lineFormat) internals._resolveRelativeIRI = (iri) => resolveIri(iri, internals._base || null) ?? iri;
  let inGraph = false;
  const callbacks: ParserCallbacks = {
    onQuad(error, quad) {
      if (error !== null) fault ??= error;
      else if (quad) target.push(quad as Quad);
    },
    onToken(token) {
      current = token;
      lines?.see(token);
      if (inGraph && (token.type === '{' || token.type === 'GRAPH')) {
        throw new TermFault('a graph can not stand in another: a } is missing before it');
      }
      if (token.type === '{' || token.type === '}') inGraph = token.type === '{';
    },
  };
  const { onPrefix } = options;
  if (onPrefix !== undefined) callbacks.onPrefix = (prefix, { value }) => onPrefix(prefix, value);
  parser.parse(input, callbacks as Parameters<Parser['parse']>[1] & object);

  const step = (event: 'data' | 'end', into: Quad[], text?: string): void => {
    target = into;
    lexer._boolean = event === 'end' ? BOOLEAN_BEFORE_END : BOOLEAN_BEFORE_MORE;
    try {
      input.emit(event, text);
    } catch (error) {
      if (!(error instanceof TermFault)) throw error;
      const at = current ?? { line: 1, start: 0 };
      throw parseError(error.message, window.locate(at.line, at.start));
    }
    if (fault !== null) throw describeFault(fault, event === 'end');
    if (current !== null) window.forgetBefore(current.line, current.start);
  };

  const describeFault = (error: SyntaxFault, ended: boolean): Error => {
    const token = error.context?.token;
    if (token !== undefined) {
      return parseError(grammarMessage(error.message, token), window.locate(token.line, token.start), error);
    }
    const previous = error.context?.previousToken;
    const line = previous === undefined ? 1 : (previous.endLine ?? previous.line);
    const position = window.locateAfter(line, previous?.end ?? 0, skipBlanks);
    return parseError(lexicalMessage(error.message, ended), position, error);
  };

  return {
    write: (text, into) => step('data', into, text),
    end: (into) => step('end', into),
  };
}

/** N-Triples and N-Quads: a statement neither goes over a line end nor shares its line. */
class OneStatementPerLine {
  #line = 0;
  #lastLine = 0;
  #version = false;

  see(token: Token): void {
    if (token.type === 'eof') return;
    if (this.#line === 0) {
      if (token.line === this.#lastLine) throw new TermFault('a statement must begin on a line of its own');
      this.#line = token.line;
      this.#version = token.type === 'VERSION';
    } else if (token.line !== this.#line) {
      throw new TermFault('a statement must not go over the end of its line');
    }
    if (token.type !== '.' && !(this.#version && token.type === 'literal')) return;
    this.#lastLine = token.line;
    this.#line = 0;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    const char = text[at];
    if (char === ' ' || char === '\t' || char === '\n' || char === '\r') at++;
    else if (char === '#') while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++;
    else return at;
  }
}

const TOKEN_NAMES: Record<string, string> = {
  eof: 'the end of the document',
  literal: 'a literal',
  blank: 'a blank node',
};

function nameOf(token: Token): string {
  return (
    TOKEN_NAMES[token.type] ?? (token.value ? JSON.stringify(token.value.slice(0, 60)) : JSON.stringify(token.type))
  );
}

function grammarMessage(message: string, token: Token): string {
  const text = message.replace(/ on line \d+\.$/, '');
  if (/^Expected punctuation to follow/.test(text)) return `expected . ; or , but found ${nameOf(token)}`;
  if (/^Invalid IRI$/.test(text)) return `the IRI <${token.value.slice(0, 60)}> can't be resolved to an absolute IRI`;
  if (/^Expected entity but got/.test(text)) return `expected a term but found ${nameOf(token)}`;
  return lowerFirst(text);
}

function lexicalMessage(message: string, ended: boolean): string {
  const found = /^Unexpected "(.*)" on line \d+\.$/s.exec(message)?.[1];
  if (found === undefined) return lowerFirst(message.replace(/ on line \d+\.$/, ''));
  const word = found.length > 60 ? `${found.slice(0, 60)}...` : found;
  if (ended && /^["']/.test(found)) return `unexpected ${word} (a string that is not closed, or has a bad escape)`;
  if (/^<[^<]/.test(found)) return `malformed IRI ${word} (an illegal character or escape, or no > at its end)`;
  return word === '' ? 'unexpected end of the document' : `unexpected ${word}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
