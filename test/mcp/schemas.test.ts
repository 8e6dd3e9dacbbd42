/**
 * The schemas of tools as clients and inspectors like them: no node that says nothing (it is shown as a mistake), the
 * keywords that every client's form and every model service knows, and descriptions where a model fills something in.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { toolsOf } from '../../interfaces/mcp/tools.js';

type Node = Readonly<Record<string, unknown>>;

const SAYING = ['type', 'anyOf', 'enum', 'not'];
const KNOWN = new Set([
  ...['type', 'enum', 'anyOf', 'not', 'properties', 'required', 'additionalProperties', 'items'],
  ...['minimum', 'maximum', 'minLength', 'default', 'description'],
]);
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null,
  null: (value) => value === null,
};

/** Schemas directly below a node, each by where it stands. */
function below({ properties, additionalProperties, items, anyOf, not }: Node): [string, unknown][] {
  const named = Object.entries((properties ?? {}) as Node).map(([name, one]) => [`.${name}`, one] as [string, unknown]);
  const listed = ((anyOf ?? []) as unknown[]).map((one, at) => [`|${at}`, one] as [string, unknown]);
  const single: [string, unknown][] = [
    ['[]', items],
    ['{}', typeof additionalProperties === 'boolean' ? undefined : additionalProperties],
    ['!', not],
  ];
  return [...named, ...listed, ...single.filter(([, one]) => one !== undefined)];
}

function faultsOf(node: Node, where: string, inNot = false): string[] {
  const faults: string[] = [];
  const fault = (what: string) => faults.push(`${where} ${what}`);
  // A branch of alternatives may ask for keys alone.
  const asksForKeys = /\|\d+$/.test(where) && Array.isArray(node.required);
  if (!asksForKeys && !SAYING.some((keyword) => keyword in node)) fault('says nothing');
  for (const keyword of Object.keys(node)) if (!KNOWN.has(keyword)) fault(`has ${keyword}`);
  const { type, properties, required = [], items } = node;
  if (type !== undefined && !Object.hasOwn(TYPES, String(type))) fault(`is a ${String(type)}`);
  if (type === 'array' && items === undefined && !inNot) fault('is a list of anything');
  const open = !['properties', 'additionalProperties', 'anyOf', 'description'].some((keyword) => keyword in node);
  if (type === 'object' && open) fault('is an object of anything');
  for (const key of required as string[])
    if (!asksForKeys && !(key in ((properties ?? {}) as Node))) fault(`needs ${key}`);
  if ('default' in node && !TYPES[String(type)]?.(node.default)) fault('has a default of another type');
  if ('enum' in node && !(node.enum as unknown[]).every((word) => TYPES[String(type)]?.(word))) fault('has odd words');
  for (const [step, one] of below(node)) faults.push(...faultsOf(one as Node, where + step, step === '!'));
  return faults;
}

const TOOLS = [...toolsOf(OPERATIONS, { extra: true }).values()];

test('no schema of a tool leaves a reader to guess', () => {
  for (const { definition } of TOOLS) {
    const { name, inputSchema } = definition;
    assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.deepEqual(faultsOf(inputSchema, `${name} in`), []);
    assert.ok(inputSchema.properties, `${name}: some clients want properties even where there are none`);
  }
});

test('what a model fills in is described, at every depth', () => {
  const silent: string[] = [];
  const walk = (node: Node, where: string): void => {
    for (const [step, one] of below(node)) {
      const { description } = one as Node;
      // A few words that may be given, and a name that every list has, say all.
      if ((one as Node).enum !== undefined || ['.limit', '.offset', '.actor', '.timestamp'].includes(step)) continue;
      if (step.startsWith('.') && (typeof description !== 'string' || description.trim() === ''))
        silent.push(where + step);
      walk(one as Node, where + step);
    }
  };
  for (const { definition } of TOOLS) walk(definition.inputSchema, definition.name);
  assert.deepEqual(silent, []);
});
