/**
 * The methods of a store for one form of query each: ours, and those of the RDF/JS query interface for SPARQL texts
 * (https://rdf.js.org/query-spec/), whose answers are streams that are async iterables too. All stand on `query`. A stream
 * holds a snapshot until it has ended, failed or was destroyed.
 */

import { Readable } from 'node:stream';
import { SvcError } from '../../base/errors.js';
import type { Quad, RDF, Term } from '../../rdf/terms.js';
import { checkOptions } from '../options/check-options.js';
import type { AnswerOf } from './answer-of.js';
import {
  type AskAnswer,
  type GraphAnswer,
  QUERY_KEYS,
  type QueryAnswer,
  type QueryOptions,
  type Row,
  type SelectAnswer,
} from './query.js';
import { RowBindings } from './rdfjs-bindings.js';

/** The context of the interface, and any option of `store.query`. */
export interface QueryContext extends RDF.QueryStringContext, QueryOptions {}

/** A stream of answers. */
export type ResultStream<Item> = Readable & AsyncIterable<Item>;

/** Who answers which kind. */
const METHODS = { select: 'select', graph: 'construct', ask: 'ask' } as const;
const RDFJS_METHODS = { select: 'queryBindings', graph: 'queryQuads', ask: 'queryBoolean' } as const;

export abstract class StoreQueries {
  /**
   * Answers a SPARQL query. A SELECT holds a snapshot until its rows are read or it is closed. The type follows the
   * form of a text that the compiler knows.
   */
  abstract query<const Text extends string>(text: Text, options?: QueryOptions): Promise<AnswerOf<Text>>;

  /** The rows of a SELECT; another form is refused. */
  async select(text: string, options: QueryOptions = {}): Promise<SelectAnswer> {
    return answerOfKind(await this.query(text, options), 'select', METHODS);
  }

  /** The answer of an ASK; another form is refused. */
  async ask(text: string, options: QueryOptions = {}): Promise<boolean> {
    return answerOfKind(await this.query(text, options), 'ask', METHODS).value;
  }

  /** The graph of a CONSTRUCT or DESCRIBE; another form is refused. */
  async construct(text: string, options: QueryOptions = {}): Promise<GraphAnswer> {
    return answerOfKind(await this.query(text, options), 'graph', METHODS);
  }

  /** RDF/JS query interface: the rows of a SELECT. */
  async queryBindings(text: string, context?: QueryContext): Promise<ResultStream<RowBindings>> {
    const answer = await this.#asked(text, context, 'select');
    return streamOf(toBindings(answer), answer);
  }

  /** RDF/JS query interface: the graph of a CONSTRUCT or DESCRIBE. */
  async queryQuads(text: string, context?: QueryContext): Promise<ResultStream<Quad>> {
    const answer = await this.#asked(text, context, 'graph');
    return streamOf(answer.quads(), answer);
  }

  /** RDF/JS query interface: the answer of an ASK. */
  async queryBoolean(text: string, context?: QueryContext): Promise<boolean> {
    return (await this.#asked(text, context, 'ask')).value;
  }

  async #asked<Kind extends keyof AnswerKinds>(
    text: string,
    context: QueryContext | undefined,
    kind: Kind,
  ): Promise<AnswerKinds[Kind]> {
    return answerOfKind(await this.query(text, optionsOf(context)), kind, RDFJS_METHODS);
  }
}

/** The options that a context stands for. */
export function optionsOf(context: QueryContext = {}): QueryOptions {
  checkOptions(context);
  const { baseIRI, queryTimestamp, queryFormat, ...rest } = context;
  const { language = 'sparql', version = '1.1' } = queryFormat ?? {};
  if (String(language).toLowerCase() !== 'sparql' || !/^1\.[0-2]$/.test(String(version))) {
    throw new SvcError('unsupported', `queries in ${language} ${version} are not supported; write SPARQL 1.0 to 1.2`);
  }
  // A context may hold what other engines know.
  const options = Object.fromEntries(Object.entries(rest).filter(([name]) => Object.hasOwn(QUERY_KEYS, name)));
  return {
    ...options,
    ...(baseIRI === undefined ? {} : { baseIri: baseIRI }),
    ...(queryTimestamp === undefined ? {} : { now: queryTimestamp }),
  };
}

interface AnswerKinds {
  readonly select: SelectAnswer;
  readonly graph: GraphAnswer;
  readonly ask: AskAnswer;
}

/** The answer if it is of a kind; one of another is closed and refused. `methods`: who answers which kind. */
function answerOfKind<Kind extends keyof AnswerKinds>(
  answer: QueryAnswer,
  kind: Kind,
  methods: Readonly<Record<keyof AnswerKinds, string>>,
): AnswerKinds[Kind] {
  if (answer.kind === kind) return answer as AnswerKinds[Kind];
  if (answer.kind !== 'ask') answer.close();
  throw new SvcError('invalid_request', `${methods[kind]} does not answer this form of query`, {
    hint: `ask it with ${methods[answer.kind]}`,
  });
}

async function* toBindings({ variables, rows }: SelectAnswer): AsyncGenerator<RowBindings> {
  for await (const row of rows()) yield new RowBindings(boundIn(variables, row));
}

function boundIn(variables: readonly string[], row: Row): (readonly [string, Term])[] {
  return variables.flatMap((name, at) => {
    const term = row[at];
    return term === undefined ? [] : [[name, term] as const];
  });
}

function streamOf<Item>(items: AsyncIterable<Item>, answer: SelectAnswer | GraphAnswer): ResultStream<Item> {
  const stream = Readable.from(items, { objectMode: true });
  // A stream that is destroyed unread never starts its generator.
  stream.once('close', () => answer.close());
  return stream;
}
