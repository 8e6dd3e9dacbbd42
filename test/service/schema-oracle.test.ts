/**
 * Our schemas against TypeBox, whose builders and texts they share: the same JSON, byte for byte, and
 * the same findings about a value.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import TypeBox from 'typebox';
import { Errors } from 'typebox/schema';
import { configurationSchema } from '../../engine/service/configuration/keys.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { describeSchema, findProblems, type SchemaProblem } from '../../engine/service/requests/check-schema.js';
import { oneOf, type Schema, type SchemaNode, Type } from '../../engine/service/requests/schema.js';

/** TypeBox stops at so many findings. */
const FINDINGS_MAX = 8;

type Builders = typeof Type & { oneOf: typeof oneOf };

const peer = {
  ...(TypeBox as unknown as typeof Type),
  oneOf: (words: readonly string[]) => TypeBox.Unsafe({ type: 'string', enum: [...words] }),
} as unknown as Builders;
const ours: Builders = { ...Type, oneOf };

/** How a schema is built, so that both can build it. */
type Recipe = (builders: Builders) => Schema;

const note = fc.constantFrom({}, { description: 'a note' }, { description: 'a note', default: 1 });
const bounds = fc.constantFrom({}, { minimum: 0 }, { minimum: -1, maximum: 2 }, { maximum: 1, description: 'b' });
const scalar: fc.Arbitrary<Recipe> = fc.oneof(
  note.map(
    (options): Recipe =>
      (make) =>
        make.Unknown(options),
  ),
  note.map(
    (options): Recipe =>
      (make) =>
        make.Boolean(options),
  ),
  fc.constant<Recipe>((make) => make.Null()),
  bounds.map(
    (options): Recipe =>
      (make) =>
        make.Integer(options),
  ),
  bounds.map(
    (options): Recipe =>
      (make) =>
        make.Number(options),
  ),
  fc.constantFrom({}, { minLength: 1 }, { minLength: 2 }).map(
    (options): Recipe =>
      (make) =>
        make.String(options),
  ),
  fc.constantFrom(['a'], ['a', 'b']).map(
    (words): Recipe =>
      (make) =>
        make.oneOf(words),
  ),
);

const KEYS = ['a', 'b', 'c', 'constructor', 'x/y'];
const { recipe } = fc.letrec<{ recipe: Recipe }>((tie) => ({
  recipe: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    scalar,
    tie('recipe').map(
      (items): Recipe =>
        (make) =>
          make.Array(items(make), { description: 'list' }),
    ),
    tie('recipe').map(
      (value): Recipe =>
        (make) =>
          make.Record(make.String(), value(make)),
    ),
    fc.array(tie('recipe'), { minLength: 1, maxLength: 3 }).map(
      (all): Recipe =>
        (make) =>
          make.Union(all.map((one) => one(make))),
    ),
    fc
      .record({
        entries: fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie('recipe'), fc.boolean()), {
          selector: ([key]) => key,
          maxLength: 4,
        }),
        options: fc.constantFrom({}, { additionalProperties: false as const }),
      })
      .map(
        ({ entries, options }): Recipe =>
          (make) => {
            const property = (one: Recipe, optional: boolean) => (optional ? make.Optional(one(make)) : one(make));
            const properties = entries.map(([key, one, optional]) => [key, property(one, optional)] as const);
            return make.Object(Object.fromEntries(properties), options);
          },
      ),
  ),
}));

const words = fc.constantFrom('', 'a', 'ab', 'zz', '\n', 'é', '😀');
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 1, -1, 1.5, -1.5, 3, Number.NaN, undefined),
    words,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, 'd', '\n', ''), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Values that mostly fit, so that what is wrong lies deep. */
function nearly(node: SchemaNode): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: fitting(node), weight: 6 }, { arbitrary: anything, weight: 1 });
}

function fitting(node: SchemaNode): fc.Arbitrary<unknown> {
  if (node.anyOf) return fc.oneof(...node.anyOf.map(nearly));
  if (node.enum) return fc.constantFrom(...node.enum, 'other');
  switch (node.type) {
    case 'string':
      return words;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
    case 'number':
      return fc.constantFrom(-2, -1, 0, 1, 1.5, 2, 1e9);
    case 'array':
      return fc.array(nearly(node.items ?? {}), { maxLength: 3 });
    case 'object': {
      const record = node.patternProperties?.['^.*$'];
      if (record) return fc.dictionary(words, nearly(record), { maxKeys: 3 });
      const entries = Object.entries(node.properties ?? {}).map(([key, child]) => [key, nearly(child)] as const);
      return fc
        .tuple(fc.record(Object.fromEntries(entries), { requiredKeys: [] }), fc.constantFrom({}, {}, { other: 1 }))
        .map(([known, more]) => ({ ...known, ...more }));
    }
    default:
      return anything;
  }
}

function follow(from: unknown, pointer: string): unknown {
  let at = from;
  for (const step of pointer.split('/').slice(1)) at = (at as Record<string, unknown>)[unescaped(step)];
  return at;
}

const unescaped = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** What TypeBox finds, in our terms. */
function peerProblems(schema: Schema, value: unknown): { problems: SchemaProblem[]; all: boolean } {
  const problems: SchemaProblem[] = [];
  const errors = Errors(schema as never, value)[1];
  for (const { keyword, instancePath, schemaPath, params } of errors) {
    // The schema `false` behind an undeclared key; `additionalProperties` tells the same.
    if (keyword === 'boolean') continue;
    const path = instancePath.split('/').slice(1).map(unescaped);
    const node = follow(schema, schemaPath) as SchemaNode;
    if (keyword === 'required') {
      for (const key of (params as { requiredProperties: string[] }).requiredProperties) {
        const expected = describeSchema(node.properties?.[key]);
        problems.push({ path: [...path, key], kind: 'missing', expected, actual: undefined });
      }
    } else if (keyword === 'additionalProperties') {
      const expected = Object.keys(node.properties ?? {}).join(', ');
      for (const key of (params as { additionalProperties: string[] }).additionalProperties) {
        problems.push({ path: [...path, key], kind: 'unknown', expected, actual: undefined });
      }
    } else {
      problems.push({ path, kind: 'invalid', expected: describeSchema(node), actual: follow(value, instancePath) });
    }
  }
  return { problems, all: errors.length < FINDINGS_MAX };
}

/** TypeBox tells of one node once per keyword. */
function withoutRepeats(problems: readonly SchemaProblem[]): SchemaProblem[] {
  const same = (a: SchemaProblem, b: SchemaProblem | undefined) =>
    b !== undefined && a.kind === b.kind && a.expected === b.expected && a.path.join('\0') === b.path.join('\0');
  return problems.filter((problem, at) => !same(problem, problems[at - 1]));
}

function compare(schema: Schema, value: unknown): void {
  const { problems, all } = peerProblems(schema, value);
  const expected = withoutRepeats(problems);
  const found = withoutRepeats([...findProblems(schema, value)]);
  assert.deepEqual(all ? found : found.slice(0, expected.length), expected);
}

test('the JSON of a schema', () => {
  fc.assert(
    fc.property(recipe, (build) => {
      assert.equal(JSON.stringify(build(ours)), JSON.stringify(build(peer)));
    }),
    { numRuns: 500 },
  );
});

test('what is found wrong with a value, for any schema', () => {
  const cases = recipe.chain((build) => nearly(build(ours)).map((value) => ({ schema: build(ours), value })));
  fc.assert(
    fc.property(cases, ({ schema, value }) => compare(schema, value)),
    { numRuns: 2000 },
  );
});

test('what is found wrong with requests, answers and configurations', () => {
  const schemas = [...OPERATIONS.flatMap(({ request, response }) => [request, response]), configurationSchema];
  const cases = fc.constantFrom(...schemas).chain((schema) => nearly(schema).map((value) => ({ schema, value })));
  fc.assert(
    fc.property(cases, ({ schema, value }) => compare(schema, value)),
    { numRuns: 2000 },
  );
});
