/** The methods of a store for one form of query each: ours, and those of the RDF/JS query interface. All stand on `query`. */

import type { Quad } from '../../rdf/terms.js';
import type { AnswerOf } from './answer-of.js';
import type { GraphAnswer, QueryOptions, SelectAnswer } from './query.js';
import type { RowBindings } from './rdfjs-bindings.js';
import {
  answerOfKind,
  type QueryContext,
  queryBindings,
  queryBoolean,
  queryQuads,
  type ResultStream,
} from './rdfjs-queries.js';

const METHODS = { select: 'select', graph: 'construct', ask: 'ask' } as const;

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
    return queryBindings((query, options) => this.query(query, options), text, context);
  }

  /** RDF/JS query interface: the graph of a CONSTRUCT or DESCRIBE. */
  async queryQuads(text: string, context?: QueryContext): Promise<ResultStream<Quad>> {
    return queryQuads((query, options) => this.query(query, options), text, context);
  }

  /** RDF/JS query interface: the answer of an ASK. */
  async queryBoolean(text: string, context?: QueryContext): Promise<boolean> {
    return queryBoolean((query, options) => this.query(query, options), text, context);
  }
}
