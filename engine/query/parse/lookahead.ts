/**
 * How the parser chooses between alternatives: by the next token alone, as SPARQL's grammar allows
 * (LL(1)). A choice is worked out when it is met for the first time, from the sets of tokens that
 * rules can begin with, each found once (Aho, Lam, Sethi, Ullman: Compilers, 4.4.2).
 *
 * Chevrotain's own strategy, for which this stands in, works out all choices of the grammar while
 * the parser is built, each from scratch: half the time of a first query's parsing. Tests compare
 * the two for every choice and token. `@traqula/chevrotain`, the base of Traqula's parser, stands
 * behind this file.
 */

import {
  Alternation,
  Alternative,
  type ILookaheadStrategy,
  type IProduction,
  type IToken,
  NonTerminal,
  Option,
  Repetition,
  RepetitionMandatory,
  RepetitionMandatoryWithSeparator,
  RepetitionWithSeparator,
  type Rule,
  Terminal,
  type TokenType,
} from '@traqula/chevrotain';
import { getOrInsert } from '../../base/maps.js';

/** The parser, as far as a choice looks at it. */
interface TokenSource {
  LA_FAST(howMuch: number): IToken;
}

type Choose = ReturnType<ILookaheadStrategy['buildLookaheadForAlternation']>;
type Test = ReturnType<ILookaheadStrategy['buildLookaheadForOptional']>;

/** What a sequence of productions can begin with, by the number of the token type. */
interface Start {
  readonly tokens: ReadonlySet<number>;
  /** It can also be nothing at all. */
  readonly empty: boolean;
}

const starts = new WeakMap<Rule, Start>();

function startOfRule(rule: Rule): Start {
  return getOrInsert(starts, rule, () => startOf(rule.definition));
}

function startOf(sequence: readonly IProduction[]): Start {
  const tokens = new Set<number>();
  const empty = sequence.every((production) => addStart(production, tokens));
  return { tokens, empty };
}

/** Adds what a production can begin with; gives whether it can be nothing. */
function addStart(production: IProduction, tokens: Set<number>): boolean {
  if (production instanceof Terminal) return addToken(production.terminalType, tokens);
  if (production instanceof NonTerminal) return addAll(startOfRule(production.referencedRule), tokens);
  if (production instanceof Alternation) {
    // As Chevrotain has it: an alternative of no productions does not make an inner choice optional.
    const written = production.definition.filter((one) => (one as Alternative).definition.length > 0);
    return written.map((one) => addStart(one, tokens)).includes(true);
  }
  const within = addAll(startOf((production as Alternative).definition), tokens);
  if (production instanceof Alternative || production instanceof RepetitionMandatory) return within;
  if (production instanceof RepetitionWithSeparator || production instanceof RepetitionMandatoryWithSeparator) {
    if (within) addToken(production.separator, tokens);
    return within || production instanceof RepetitionWithSeparator;
  }
  // An option, or a repetition of none or more.
  return true;
}

function addToken({ tokenTypeIdx, categoryMatches = [] }: TokenType, tokens: Set<number>): false {
  tokens.add(tokenTypeIdx as number);
  for (const member of categoryMatches) tokens.add(member);
  return false;
}

function addAll(start: Start, tokens: Set<number>): boolean {
  for (const token of start.tokens) tokens.add(token);
  return start.empty;
}

const KINDS = { Option, Repetition, RepetitionMandatory, RepetitionMandatoryWithSeparator, RepetitionWithSeparator };

/** The parts of the production of a kind and number; rules hold one of each. */
function find(within: readonly IProduction[], kind: abstract new (...args: never[]) => object, occurrence: number) {
  let found: readonly IProduction[] | undefined;
  for (const production of within) {
    if (production instanceof Terminal || production instanceof NonTerminal) continue;
    const { definition, idx } = production as Option;
    if (production instanceof kind && idx === occurrence) found = definition;
    found = find(definition, kind, occurrence) ?? found;
  }
  return found;
}

function buildChoose(alternatives: readonly Start[]): Choose {
  return function (this: TokenSource, given) {
    const { tokenTypeIdx } = this.LA_FAST(1);
    for (let at = 0; at < alternatives.length; at++) {
      const { tokens, empty } = alternatives[at] as Start;
      if (!empty && !tokens.has(tokenTypeIdx)) continue;
      const gate = given?.[at]?.GATE;
      if (gate === undefined || gate.call(this) !== false) return at;
    }
    return undefined;
  };
}

/** Without conditions the token alone decides: one look into a table. */
function buildTableChoose(alternatives: readonly Start[]): Choose {
  const table = new Map<number, number>();
  alternatives.forEach(({ tokens }, at) => {
    for (const token of tokens) if (!table.has(token)) table.set(token, at);
  });
  return function (this: TokenSource) {
    return table.get(this.LA_FAST(1).tokenTypeIdx);
  };
}

function buildTest({ tokens, empty }: Start): Test {
  if (empty) return () => true;
  return function (this: TokenSource) {
    return tokens.has(this.LA_FAST(1).tokenTypeIdx);
  };
}

export const lookaheadByToken: ILookaheadStrategy = {
  /** Not called: Traqula validates its grammar when it is made. */
  validate: () => [],

  buildLookaheadForAlternation({ rule, prodOccurrence, hasPredicates }) {
    let choose: Choose | undefined;
    return function (this: TokenSource, given) {
      if (choose === undefined) {
        const alternatives = find(rule.definition, Alternation, prodOccurrence) as readonly Alternative[];
        const found = alternatives.map((one) => startOf(one.definition));
        choose = hasPredicates || found.some(({ empty }) => empty) ? buildChoose(found) : buildTableChoose(found);
      }
      return choose.call(this, given);
    };
  },

  buildLookaheadForOptional({ rule, prodOccurrence, prodType }) {
    let test: Test | undefined;
    return function (this: TokenSource) {
      test ??= buildTest(startOf(find(rule.definition, KINDS[prodType], prodOccurrence) as readonly IProduction[]));
      return test.call(this);
    };
  },
};
