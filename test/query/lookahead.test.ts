/** The parser's choices by the next token, against those of Chevrotain: all choices of the grammar, all tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ILookaheadStrategy, type IToken, LLkLookaheadStrategy } from '@traqula/chevrotain';
import { Parser } from '@traqula/parser-sparql-1-2';
import { lookaheadByToken } from '../../engine/query/parse/lookahead.js';

type Alternation = Parameters<ILookaheadStrategy['buildLookaheadForAlternation']>[0];
type Optional = Parameters<ILookaheadStrategy['buildLookaheadForOptional']>[0];

const peer = new LLkLookaheadStrategy({ maxLookahead: 1 });

/** Every choice that the grammar has. */
function choicesOfGrammar(): { alternations: Alternation[]; optionals: Optional[] } {
  const alternations: Alternation[] = [];
  const optionals: Optional[] = [];
  const lookaheadStrategy: ILookaheadStrategy = {
    validate: () => [],
    buildLookaheadForAlternation(choice) {
      alternations.push(choice);
      return peer.buildLookaheadForAlternation(choice);
    },
    buildLookaheadForOptional(choice) {
      optionals.push(choice);
      return peer.buildLookaheadForOptional(choice);
    },
  };
  new Parser({ parserConfig: { lookaheadStrategy } });
  return { alternations, optionals };
}

const { alternations, optionals } = choicesOfGrammar();
/** More numbers of token types than there are tokens. */
const tokens = Array.from({ length: 1000 }, (_, tokenTypeIdx) => ({
  LA_FAST: () => ({ tokenTypeIdx }) as IToken,
}));

test('optional parts and repetitions', () => {
  assert.ok(optionals.length > 90);
  let taken = 0;
  for (const choice of optionals) {
    const ours = lookaheadByToken.buildLookaheadForOptional(choice);
    const theirs = peer.buildLookaheadForOptional(choice);
    for (const [token, parser] of tokens.entries()) {
      const expected = theirs.call(parser);
      if (expected) taken++;
      assert.equal(
        ours.call(parser),
        expected,
        `${choice.rule.name} ${choice.prodType} ${choice.prodOccurrence}: ${token}`,
      );
    }
  }
  assert.ok(taken > optionals.length);
});

test('alternatives, with and without conditions', () => {
  assert.ok(alternations.length > 60);
  for (const choice of alternations) {
    for (const hasPredicates of [choice.hasPredicates, true]) {
      const ours = lookaheadByToken.buildLookaheadForAlternation({ ...choice, hasPredicates });
      const theirs = peer.buildLookaheadForAlternation({ ...choice, hasPredicates });
      for (const closed of [0, 1, 2, 3]) {
        // An alternative may be closed by its condition; some have none.
        const given = Array.from({ length: 100 }, (_, at) => ({
          ALT: () => undefined,
          ...(at % 3 === 0 || !hasPredicates ? {} : { GATE: () => at % 4 !== closed }),
        }));
        for (const [token, parser] of tokens.entries()) {
          const what = `${choice.rule.name} ${choice.prodOccurrence}: ${token}`;
          assert.equal(ours.call(parser, given), theirs.call(parser, given), what);
        }
      }
    }
  }
});
