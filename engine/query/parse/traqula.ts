/**
 * SPARQL text to Traqula's algebra, and back to text; its parser, algebra and generator stand behind this file only. Traqula
 * is by the authors of sparqljs, passes the W3C syntax suites and knows SPARQL 1.2; sparqljs (without
 * 1.2 and without an algebra) would replace it. Every failure leaves here as `parse_error` with a
 * position where one is known.
 */

import { toAlgebra, toAst } from '@traqula/algebra-sparql-1-2';
import type { Algebra as TraqulaAlgebra } from '@traqula/algebra-transformations-1-2';
import { Generator } from '@traqula/generator-sparql-1-2';
import { Parser } from '@traqula/parser-sparql-1-2';
import { SvcError } from '../../base/errors.js';
import { resolveIri } from '../../rdf/resolve-iri.js';
import { terms } from '../../rdf/terms.js';
import { checkedFactory, portFailure } from './authority.js';
import { ungroupedError } from './grouping.js';
import { guardComplexity, tooDeep } from './guard.js';
import { keepLanguageTags } from './language-tags.js';
import { lookaheadByToken } from './lookahead.js';
import { readDecimalsWithoutDigitBeforePoint } from './number-tokens.js';
import { plainText, withNegationsTogether, withoutRepeatedVariables } from './plain-text.js';
import { findInCode, findVariable, positionAt } from './position.js';

export type { TraqulaAlgebra };

/** An operation of an update. Templates are quads; graphs that they do not name are the default graph. */
export type TraqulaUpdate =
  | {
      readonly kind: 'insertdata' | 'deletedata' | 'deletewhere';
      readonly quads: readonly TraqulaAlgebra.Pattern[];
    }
  | {
      readonly kind: 'modify';
      readonly delete: readonly TraqulaAlgebra.Pattern[];
      readonly insert: readonly TraqulaAlgebra.Pattern[];
      readonly where: TraqulaAlgebra.Operation;
      /** What IRI() resolves against. */
      readonly baseIri: string | null;
      /** IRI of WITH. */
      readonly with: string | null;
      readonly using: { readonly defaultGraphs: readonly string[]; readonly namedGraphs: readonly string[] } | null;
    }
  | {
      readonly kind: 'graphs';
      readonly operation: Exclude<TraqulaAlgebra.Update, TraqulaAlgebra.DeleteInsert>;
    };

export type TraqulaResult =
  | { readonly kind: 'update'; readonly operations: readonly TraqulaUpdate[] }
  | {
      readonly kind: 'query';
      readonly algebra: TraqulaAlgebra.Operation;
      /** The projection was written as `*`. */
      readonly star: boolean;
      /** Query forms that exist but whose algebra was not asked for. */
      readonly form: 'select' | 'ask' | 'construct' | 'describe';
      /** What IRI() resolves against. */
      readonly baseIri: string | null;
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
  parserConfig: { lookaheadStrategy: lookaheadByToken },
  errorHandler(errors: readonly RecognitionError[]): void {
    throw new GrammarError(errors[0] as RecognitionError);
  },
};

let parser: Parser | undefined;

function newParser(): Parser {
  readDecimalsWithoutDigitBeforePoint();
  const made = new Parser(parserOptions);
  keepLanguageTags(made);
  return made;
}

export interface ParseOptions {
  readonly baseIri?: string | undefined;
}

export function parseWithTraqula(written: string, options: ParseOptions): TraqulaResult {
  const text = plainText(written);
  guardComplexity(text);
  try {
    return parsePlain(text, options);
  } catch (error) {
    const once = REPEATED.test((error as Error).message) ? withoutRepeatedVariables(text) : text;
    if (once === text) throw explainFailure(error, text);
    try {
      return parsePlain(once, options);
    } catch (second) {
      throw explainFailure(second, text);
    }
  }
}

/** What the parser says of a list that selects a variable twice, which the grammar allows. */
const REPEATED = /used more than once in SELECT clause/;

function parsePlain(text: string, options: ParseOptions): TraqulaResult {
  // Building the parser takes some 100 ms, so it waits for the first query.
  parser ??= newParser();
  const ast = parser.parse(withNegationsTogether(text));
  if (ast.type === 'update') return { kind: 'update', operations: updateOperations(ast, options) };
  const algebra = algebraOf(ast, false, options);
  const star = ast.subType === 'select' && ast.variables.some((variable) => variable.type === 'wildcard');
  return { kind: 'query', algebra, star, form: ast.subType, baseIri: baseOf(ast.context, options) };
}

type Ast = Parameters<typeof toAlgebra>[0];
type UpdateAst = Extract<Ast, { type: 'update' }>;
type OperationAst = NonNullable<UpdateAst['updates'][number]['operation']>;
type ModifyAst = Extract<OperationAst, { subType: 'modify' }>;
type Context = UpdateAst['updates'][number]['context'];

function algebraOf(ast: Ast, quads: boolean, { baseIri }: ParseOptions): TraqulaAlgebra.Operation {
  return toAlgebra(ast, {
    dataFactory: checkedFactory as never,
    quads,
    ...(baseIri === undefined ? {} : { baseIRI: baseIri }),
  });
}

/** The last base that was declared, each resolved against the one before it. */
function baseOf(context: Context, { baseIri }: ParseOptions): string | null {
  let base = baseIri ?? null;
  for (const declared of context) {
    if (declared.subType === 'base') base = resolveIri(declared.value.value, base) ?? base;
  }
  return base;
}

/** Each operation by itself, with the prefixes and the base that were declared up to there. */
function updateOperations({ updates, loc }: UpdateAst, options: ParseOptions): TraqulaUpdate[] {
  const context: Context = [];
  return updates.flatMap(({ context: declared, operation }): TraqulaUpdate[] => {
    context.push(...declared);
    if (operation === undefined) return [];
    const translate = (one: OperationAst): TraqulaAlgebra.Operation =>
      algebraOf({ type: 'update', updates: [{ context, operation: one }], loc }, true, options);
    switch (operation.subType) {
      case 'insertdata':
      case 'deletedata':
      case 'deletewhere': {
        const { insert = [], delete: gone = [] } = translate(operation) as TraqulaAlgebra.DeleteInsert;
        return [{ kind: operation.subType, quads: [...gone, ...insert] }];
      }
      case 'modify':
        return [modifyOperation(operation, context, translate, options)];
      default:
        return [{ kind: 'graphs', operation: translate(operation) as never }];
    }
  });
}

/** The templates without their pattern; the pattern as that of a query, which keeps GRAPH apart. */
function modifyOperation(
  operation: ModifyAst,
  context: Context,
  translate: (one: OperationAst) => TraqulaAlgebra.Operation,
  options: ParseOptions,
): TraqulaUpdate {
  const { loc, graph, where, from } = operation;
  const templates: ModifyAst = {
    ...operation,
    graph: undefined,
    where: { ...where, patterns: [] },
    from: { ...from, clauses: [] },
  };
  const { insert = [], delete: gone = [] } = translate(templates) as TraqulaAlgebra.DeleteInsert;
  const pattern = algebraOf(
    {
      type: 'query',
      subType: 'select',
      context,
      variables: [{ type: 'wildcard', loc }],
      where,
      solutionModifiers: {},
      datasets: from,
      loc,
    },
    false,
    options,
  );
  const created =
    graph === undefined
      ? null
      : (translate({
          type: 'updateOperation',
          subType: 'create',
          silent: false,
          destination: { type: 'graphRef', subType: 'specific', graph, loc },
          loc,
        }) as TraqulaAlgebra.Create);
  const using =
    pattern.type === 'from'
      ? {
          defaultGraphs: pattern.default.map(({ value }) => value),
          namedGraphs: pattern.named.map(({ value }) => value),
        }
      : null;
  const select = (pattern.type === 'from' ? pattern.input : pattern) as TraqulaAlgebra.Project;
  return {
    kind: 'modify',
    delete: gone,
    insert,
    where: select.input,
    baseIri: baseOf(context, options),
    with: created?.source.value ?? null,
    using,
  };
}

let generator: Generator | undefined;

/** A SELECT of these variables over a group, as another endpoint is asked for it. */
export function selectText(operation: TraqulaAlgebra.Operation, variables: readonly string[]): string {
  const projected = variables.map((name) => terms.variable?.(name));
  generator ??= new Generator();
  return generator.generate(
    toAst({ type: 'project', input: operation, variables: projected } as TraqulaAlgebra.Project),
  );
}

function explainFailure(error: unknown, text: string): unknown {
  if (error instanceof SvcError) return error;
  if (error instanceof RangeError && /call stack/.test(error.message))
    return tooDeep('it nests too deeply to be parsed');
  if (error instanceof RangeError)
    return new SvcError('parse_error', 'an escape names a code point that does not exist');
  if (error instanceof GrammarError) return grammarFailure(error.report, text);
  if (!(error instanceof Error)) return error;
  return (
    lexicalFailure(error, text) ??
    portFailure(error, text) ??
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
  const ungrouped = UNGROUPED.exec(error.message)?.[1];
  if (ungrouped !== undefined) return ungroupedError(ungrouped, text);
  const variable = /\(\?(\w+)\)|[Vv]ariable (\w+) used/.exec(error.message);
  const name = variable?.[1] ?? variable?.[2];
  const at = name === undefined ? null : findVariable(text, name);
  return new SvcError('parse_error', plain(error.message), {
    ...(at === null ? {} : { position: positionAt(text, at) }),
    cause: error,
  });
}

const UNGROUPED = /^Use of ungrouped variable in projection of operation \(\?(\w+)\)/;

function plain(message: string): string {
  if (message === 'Variable not allowed in projection') {
    return 'a variable is selected that is neither grouped nor aggregated';
  }
  const first = message.split('\n')[0] as string;
  // Keywords stay as they are.
  const begun = /^[A-Z][A-Z]/.test(first) ? first : first.charAt(0).toLowerCase() + first.slice(1);
  return begun.replace(/\.$/, '');
}
