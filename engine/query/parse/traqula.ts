/**
 * SPARQL text to Traqula's algebra; its parser and its algebra stand behind this file only. Traqula
 * is by the authors of sparqljs, passes the W3C syntax suites and knows SPARQL 1.2; sparqljs (without
 * 1.2 and without an algebra) would replace it. Every failure leaves here as `parse_error` with a
 * position where one is known.
 */

import { toAlgebra, toAst } from '@traqula/algebra-sparql-1-2';
import type { Algebra as TraqulaAlgebra } from '@traqula/algebra-transformations-1-2';
import { Parser } from '@traqula/parser-sparql-1-2';
import { SvcError } from '../../base/errors.js';
import { terms } from '../../rdf/terms.js';
import { generateText } from './generate.js';
import { guardComplexity, tooDeep } from './guard.js';
import { findInCode, positionAt } from './position.js';

export type { TraqulaAlgebra };

export type TraqulaResult =
  | { readonly kind: 'update' }
  | {
      readonly kind: 'query';
      readonly algebra: TraqulaAlgebra.Operation;
      /** The projection was written as `*`. */
      readonly star: boolean;
      /** Query forms that exist but whose algebra was not asked for. */
      readonly form: 'select' | 'ask' | 'construct' | 'describe';
    };

interface Token {
  readonly image: string;
  readonly startOffset: number;
}

/** What the parser reports; the part of its error objects that is used here. */
interface RecognitionError {
  readonly message: string;
  readonly token: Token;
}

class GrammarError extends Error {
  constructor(readonly report: RecognitionError) {
    super(report.message);
  }
}

const parserOptions = {
  parserConfig: {},
  errorHandler(errors: readonly RecognitionError[]): void {
    throw new GrammarError(errors[0] as RecognitionError);
  },
};

let parser: Parser | undefined;

export interface ParseOptions {
  readonly baseIri?: string | undefined;
}

export function parseWithTraqula(text: string, options: ParseOptions): TraqulaResult {
  guardComplexity(text);
  // Building the parser takes some 50 ms, so it waits for the first query.
  parser ??= new Parser(parserOptions);
  try {
    const ast = parser.parse(text);
    if (ast.type === 'update') {
      if (ast.updates.some((update) => update.operation)) return { kind: 'update' };
      throw new SvcError('parse_error', 'the text holds no query', { position: positionAt(text, text.length) });
    }
    const algebra = toAlgebra(ast, {
      dataFactory: terms as never,
      quads: false,
      ...(options.baseIri === undefined ? {} : { baseIRI: options.baseIri }),
    });
    const star = ast.subType === 'select' && ast.variables.some((variable) => variable.type === 'wildcard');
    return { kind: 'query', algebra, star, form: ast.subType };
  } catch (error) {
    throw explainFailure(error, text);
  }
}

/** A SELECT of these variables over a group, as another endpoint is asked for it. */
export function selectText(operation: TraqulaAlgebra.Operation, variables: readonly string[]): string {
  const projected = variables.map((name) => terms.variable?.(name));
  return generateText(toAst({ type: 'project', input: operation, variables: projected } as TraqulaAlgebra.Project));
}

function explainFailure(error: unknown, text: string): unknown {
  if (error instanceof SvcError) return error;
  if (error instanceof RangeError) return tooDeep('it nests too deeply to be parsed');
  if (error instanceof GrammarError) return grammarFailure(error.report, text);
  if (!(error instanceof Error)) return error;
  return (
    lexicalFailure(error, text) ??
    prefixFailure(error, text) ??
    relativeIriFailure(error, text) ??
    semanticFailure(error, text)
  );
}

function grammarFailure({ message, token }: RecognitionError, text: string): SvcError {
  const atEnd = !Number.isFinite(token.startOffset) || token.image === '';
  const offset = atEnd ? text.trimEnd().length : token.startOffset;
  const expected = /^Expecting(?: token of type)? --> (.+?) <-- but found/.exec(message)?.[1];
  const found = atEnd ? 'the query ends too early' : `unexpected '${token.image.slice(0, 60)}'`;
  const wanted = expected && !/end of input|EOF/i.test(expected) ? `, expected '${expected}'` : '';
  return new SvcError('parse_error', `${found}${wanted}`, { position: positionAt(text, offset) });
}

function lexicalFailure(error: Error, text: string): SvcError | null {
  const match = /^unexpected character: ->([\s\S]*?)<- at offset: (\d+)/.exec(error.message);
  if (!match) return null;
  const offset = Number(match[2]);
  const word = /^[\w:]+/.exec(text.slice(offset, offset + 60))?.[0] ?? (match[1] as string);
  const message = /^["']/.test(word)
    ? 'the string that begins here is not closed on its line, or holds a bad escape'
    : `unexpected '${word}'`;
  return new SvcError('parse_error', message, { position: positionAt(text, offset) });
}

function prefixFailure(error: Error, text: string): SvcError | null {
  const match = /^Unknown prefix: (.*)$/.exec(error.message);
  if (!match) return null;
  const prefix = `${match[1]}:`;
  const at = findInCode(text, prefix);
  return new SvcError('parse_error', `the prefix '${prefix}' is not declared`, {
    ...(at === null ? {} : { position: positionAt(text, at) }),
    hint: `add a line PREFIX ${prefix} <…> at the top of the query`,
  });
}

function relativeIriFailure(error: Error, text: string): SvcError | null {
  const match = /^Cannot resolve relative IRI (.*) because/.exec(error.message);
  if (!match) return null;
  const at = text.indexOf(`<${match[1]}>`);
  return new SvcError('parse_error', `the IRI <${match[1]}> is relative and there is no base IRI`, {
    ...(at < 0 ? {} : { position: positionAt(text, at) }),
    hint: 'write the IRI in full, or add a line BASE <…> at the top of the query',
  });
}

/** Rules beyond the grammar (scopes of variables, grouping). */
function semanticFailure(error: Error, text: string): SvcError {
  const variable = /\(\?(\w+)\)|[Vv]ariable (\w+) used/.exec(error.message);
  const name = variable?.[1] ?? variable?.[2];
  const at = name === undefined ? null : (findInCode(text, `?${name}`) ?? findInCode(text, `$${name}`));
  return new SvcError('parse_error', plain(error.message), {
    ...(at === null ? {} : { position: positionAt(text, at) }),
    cause: error,
  });
}

function plain(message: string): string {
  if (message === 'Variable not allowed in projection') {
    return 'a variable is selected that is neither grouped nor aggregated';
  }
  const first = message.split('\n')[0] as string;
  return (first.charAt(0).toLowerCase() + first.slice(1)).replace(/\.$/, '');
}
