/** Requests are checked by their schema; what is wrong is named with what is expected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRequest } from '../../engine/service/requests/check-schema.js';
import { oneOf, Type } from '../../engine/service/requests/schema.js';

const schema = Type.Object({
  query: Type.String({ minLength: 1 }),
  tx: Type.Optional(Type.Integer({ minimum: 0 })),
  ratio: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  format: Type.Optional(oneOf(['turtle', 'ntriples'])),
  verbose: Type.Optional(Type.Boolean()),
  kinds: Type.Optional(Type.Array(Type.String())),
});

function failure(request: unknown): string {
  try {
    checkRequest(schema, request);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the request was accepted');
}

test('a good request passes; null is absent; undeclared keys are reported, sorted', () => {
  const { request, ignoredFields } = checkRequest(schema, {
    query: 'q',
    tx: 0,
    format: 'turtle',
    verbose: null,
    zoo: 1,
    abc: 2,
  });
  assert.deepEqual(request, { query: 'q', tx: 0, format: 'turtle' });
  assert.deepEqual(ignoredFields, ['abc', 'zoo']);
});

test('what is wrong is named', () => {
  assert.equal(failure({}), "missing 'query' parameter");
  assert.equal(failure({ query: null }), "missing 'query' parameter");
  assert.equal(failure({ query: '' }), `field 'query' is ""; expected a string that is not empty`);
  assert.equal(failure({ query: 'q', tx: -1 }), "field 'tx' is -1; expected an integer of at least 0");
  assert.equal(failure({ query: 'q', tx: 1.5 }), "field 'tx' is 1.5; expected an integer of at least 0");
  assert.equal(failure({ query: 'q', ratio: 2 }), "field 'ratio' is 2; expected a number of at least 0 and at most 1");
  assert.equal(failure({ query: 'q', format: 'x' }), `field 'format' is "x"; expected one of turtle, ntriples`);
  assert.equal(failure({ query: 'q', verbose: 'yes' }), `field 'verbose' is "yes"; expected true or false`);
  assert.equal(failure({ query: 'q', kinds: ['a', 1] }), "field 'kinds[1]' is 1; expected a string");
  assert.equal(failure([]), 'the request must be one JSON object, not []');
});

test('fields that come by other means are not missed, and faces name fields their way', () => {
  assert.deepEqual(checkRequest(schema, {}, { provided: ['query'] }).request, {});
  assert.throws(() => checkRequest(schema, { query: 'q', tx: 'a' }, { nameOf: (field) => `--${field}` }), {
    message: '--tx is "a"; expected an integer of at least 0',
  });
});
