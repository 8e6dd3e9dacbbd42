/**
 * An ASK query about one node after another, whose text names the node: parsed once, with a variable for the node that no
 * text can write, and answered by the cheapest way that there is for it:
 *
 *  1. lookups (`direct-ask.ts`), unless those before had to be given up;
 *  2. one query for all nodes;
 *  3. a query for each, or, where the text names the node in a place that has no variable, a text for each.
 */

import { Interrupt } from '../../base/interrupt.js';
import { type NamedNode, type Term, terms } from '../../rdf/terms.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Algebra, ParsedQuery, PatternTerm, QueryForm } from '../algebra/algebra.js';
import { mapData } from '../algebra/map-data.js';
import { someNode } from '../algebra/mentioned.js';
import type { QueryOptions } from '../options.js';
import { parseQuery } from '../parse/parse.js';
import { type PreparedQuery, prepareParsed, prepareQuery } from '../query.js';
import { Conditions } from './conditions.js';
import { askDirectly, isDirect } from './direct-ask.js';
import { Lookups } from './lookups.js';

/** Stands for the node where the text is parsed once. */
const MARKER = 'urn:svc:asked-about';
/** Its variable: a hyphen stands in no name that a text can write. */
const NODE = 'asked-about';

/** Questions that lookups could not answer, one after the other, until the next ones are planned at once; but for one of so many. */
const GIVEN_UP_MAX = 4;
const TRIED_EACH = 16;

/** A state of a store, and what is known of it while it is asked about. */
export interface AskedState {
  readonly snapshot: StorageSnapshot;
  readonly options: QueryOptions;
  readonly lookups: Lookups;
  readonly conditions: Conditions;
}

/** To be closed before the snapshot is. */
export function openState(snapshot: StorageSnapshot, options: QueryOptions): AskedState & { close(): void } {
  const conditions = new Conditions(snapshot, options);
  const lookups = new Lookups(snapshot, options);
  const close = (): void => {
    lookups.close();
    conditions.close();
  };
  return { snapshot, options, lookups, conditions, close };
}

export class AskAbout {
  readonly form: QueryForm;
  readonly #textOf: (iri: string) => string;
  /** Null: each node needs a text of its own. */
  readonly #parsed: ParsedQuery | null;
  readonly #prepared: PreparedQuery;
  readonly #isDirect: boolean;
  /** Questions in sequence that lookups were tried on in vain, or spared. */
  #givenUp = 0;
  /** The node is named somewhere. */
  readonly #isAsked: boolean;
  /** Predicates that lead from the node to others, about which something is asked in turn. */
  readonly #leading: readonly Term[];

  /** `textOf`: the query about a node. Throws where the text is none. */
  constructor(textOf: (iri: string) => string) {
    this.#textOf = textOf;
    const text = textOf(MARKER);
    this.#isAsked = text.includes(MARKER);
    const parsed = parseQuery(text);
    this.form = parsed.form;
    this.#parsed = withVariable(parsed);
    this.#prepared = prepareParsed(text, this.#parsed ?? parsed);
    this.#isDirect = this.#parsed !== null && isDirect(this.#parsed);
    this.#leading = this.#parsed !== null && this.#isDirect ? leadingFrom(NODE, this.#parsed.algebra) : [];
  }

  /** Throws what every execution would. */
  check(): void {
    this.#prepared.check();
  }

  /** Reads what it will look up behind nodes that were read: with that of other questions, in one go. */
  readBehind(nodes: readonly string[], lookups: Lookups): void {
    for (const one of this.#leading) {
      const p = lookups.id(one);
      if (p !== null) lookups.readBehind(nodes, p);
    }
  }

  /** Whether it is true of each of some nodes; a promise only where one of them needs a plan. */
  holds(nodes: readonly string[], state: AskedState): readonly boolean[] | Promise<readonly boolean[]> {
    const answers = this.#isDirect ? this.#askDirectly(nodes, state) : nodes.map(() => null);
    return answers.includes(null) ? this.#planOthers(nodes, answers, state) : (answers as boolean[]);
  }

  async #planOthers(
    nodes: readonly string[],
    answers: readonly (boolean | null)[],
    { snapshot, options }: AskedState,
  ): Promise<readonly boolean[]> {
    const left = nodes.filter((_, at) => answers[at] === null);
    const planned = new Set(await this.#askPlanned(left, snapshot, options));
    return answers.map((answer, at) => answer ?? planned.has(nodes[at] as string));
  }

  #askDirectly(nodes: readonly string[], { options, lookups, conditions }: AskedState): (boolean | null)[] {
    const interrupt = new Interrupt('the query', options);
    interrupt.check();
    return lookups.read(nodes).map((id) => {
      interrupt.check();
      const isSpared = this.#givenUp >= GIVEN_UP_MAX && this.#givenUp % TRIED_EACH !== 0;
      const about = { variable: NODE, id };
      const answer = isSpared ? null : askDirectly(this.#parsed as ParsedQuery, about, lookups, conditions);
      this.#givenUp = answer === null ? this.#givenUp + 1 : 0;
      return answer;
    });
  }

  /** The nodes of which it is true. */
  async #askPlanned(
    nodes: readonly string[],
    snapshot: StorageSnapshot,
    options: QueryOptions,
  ): Promise<readonly string[]> {
    if (nodes.length > 1 && this.#isAsked && this.#parsed !== null) {
      const rows = nodes.map((iri) => [terms.namedNode(iri)]);
      const answer = await this.#prepared.executeEach(snapshot, [NODE], rows, options);
      if (answer?.kind === 'select') {
        const found: string[] = [];
        for await (const [node] of answer.rows()) found.push((node as NamedNode).value);
        return found;
      }
    }
    const found: string[] = [];
    for (const node of nodes) if (await this.#askOne(node, snapshot, options)) found.push(node);
    return found;
  }

  async #askOne(iri: string, snapshot: StorageSnapshot, options: QueryOptions): Promise<boolean> {
    const prepared = this.#parsed === null ? prepareQuery(this.#textOf(iri)) : this.#prepared;
    const parameters = { [NODE]: terms.namedNode(iri) };
    const bound = this.#parsed !== null && this.#isAsked ? { parameters } : {};
    const answer = await prepared.execute(snapshot, { ...options, ...bound });
    return answer.kind === 'ask' && answer.value;
  }
}

/** Of the patterns that stand together somewhere in a query. */
function leadingFrom(node: string, algebra: Algebra): readonly Term[] {
  const found = new Set<Term>();
  const nameOf = (term: PatternTerm): string | null => (term.kind === 'variable' ? term.name : null);
  someNode(algebra, (one) => {
    if (one.kind !== 'patterns') return false;
    const subjects = new Set(one.patterns.map(({ s }) => nameOf(s)));
    for (const { s, p, o } of one.patterns) {
      const leads = nameOf(s) === node && o.kind === 'variable' && o.name !== node && subjects.has(o.name);
      if (leads && p.kind === 'term') found.add(p.term);
    }
    return false;
  });
  return [...found];
}

/** Null where the marker stands in a place that has no variable. */
function withVariable(parsed: ParsedQuery): ParsedQuery | null {
  const variable = { kind: 'variable', name: NODE };
  const replaced = mapData(parsed, (part) => (isMarker(part) ? variable : undefined));
  return mentions(replaced) ? null : replaced;
}

function isMarker(part: object | bigint): boolean {
  if (typeof part === 'bigint' || !('kind' in part) || part.kind !== 'term' || !('term' in part)) return false;
  const { termType, value } = part.term as { readonly termType: string; readonly value: string };
  return termType === 'NamedNode' && value === MARKER;
}

function mentions(data: unknown): boolean {
  if (typeof data === 'string') return data.includes(MARKER);
  return typeof data === 'object' && data !== null && Object.values(data).some(mentions);
}
