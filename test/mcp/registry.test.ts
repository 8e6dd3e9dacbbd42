/** The tools against the table of the specification (wire shapes, 20): names, parameters, types, what is required. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { type Tool, type ToolDefinition, toolsOf } from '../../interfaces/mcp/tools.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { OWL_TOOLS, TOOLS } from './tool-table.js';

const shared = sharedFolder();

interface Parameter {
  readonly required: boolean;
  /** As the table writes it: `s`, `a<s>`, `enum(x, y)`. */
  readonly type: string;
  readonly default: string | null;
}

type Row = ReadonlyMap<string, Parameter>;

/** Entries of a list, whatever the table says of the route. */
const ROWS = '50';

function rowOf(name: string, cell: string): Row {
  const row = new Map<string, Parameter>();
  for (const part of cell.split('; ')) {
    const match = /^(\w+)(\*?) (enum\([^)]*\)|a<\w>|any|[sinbao])(?: = ([\w.]+))?$/.exec(part);
    assert.ok(match, `${name}: ${part}`);
    const [, field = '', star, type = '', absent = null] = match;
    row.set(field, { required: star === '*', type, default: absent });
  }
  return row;
}

interface Shown {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly type?: string };
  readonly default?: unknown;
  readonly description?: string;
}

const TYPES: Readonly<Record<string, string>> = { s: 'string', i: 'integer', n: 'number', b: 'boolean', o: 'object' };

function checkType(shown: Shown, type: string, where: string): void {
  if (type === 'any') assert.equal(shown.type, undefined, where);
  else if (type.startsWith('enum(')) {
    const words = type.slice('enum('.length, -1).split(/,\s*/);
    assert.deepEqual([...(shown.enum ?? [])].sort(), words.sort(), where);
    assert.equal(shown.type, 'string', where);
  } else if (type.startsWith('a')) {
    assert.equal(shown.type, 'array', where);
    const items = type.slice(2, -1);
    if (items !== '') assert.equal(shown.items?.type, TYPES[items] ?? 'object', where);
  } else assert.equal(shown.type, TYPES[type], where);
}

function checkTool({ inputSchema }: ToolDefinition, row: Row, name: string): void {
  const properties = inputSchema.properties as Record<string, Shown>;
  assert.deepEqual(Object.keys(properties).sort(), [...row.keys()].sort(), name);
  const required = [...row].filter(([, one]) => one.required).map(([field]) => field);
  assert.deepEqual([...((inputSchema.required as string[] | undefined) ?? [])].sort(), required.sort(), name);
  for (const [field, { type, default: absent }] of row) {
    const shown = properties[field] as Shown;
    checkType(shown, type, `${name}.${field}`);
    const wanted = field === 'limit' ? ROWS : absent;
    if (wanted !== null) assert.equal(String(shown.default), wanted, `${name}.${field}`);
  }
}

/** Names that say all. */
const SELF_EVIDENT = ['limit', 'offset', 'actor', 'timestamp'];

/** With every feature. */
const tools = toolsOf(OPERATIONS, { extra: false, features: ['owl'] });

test('the tools are those of the table, with exactly its parameters: 46, and 48 with the feature owl', () => {
  const without = toolsOf(OPERATIONS, { extra: false });
  assert.deepEqual([Object.keys(TOOLS).length, without.size], [46, 46]);
  assert.deepEqual([Object.keys(OWL_TOOLS).length, tools.size], [2, 48]);
  const prefixed = (names: object) => Object.keys(names).map((name) => `svc_${name}`);
  assert.deepEqual([...without.keys()].sort(), prefixed(TOOLS).sort());
  assert.deepEqual([...tools.keys()].filter((name) => !without.has(name)).sort(), prefixed(OWL_TOOLS).sort());
  for (const [name, cell] of Object.entries({ ...TOOLS, ...OWL_TOOLS })) {
    checkTool((tools.get(`svc_${name}`) as Tool).definition, rowOf(name, cell), name);
  }
});

test('the table is that of the specification', { skip: shared ? false : SHARED_ABSENT }, () => {
  const text = readFileSync(join(shared as string, 'spec/wire-shapes.md'), 'utf8');
  const section = text.slice(text.indexOf('## 20 Tool registry'), text.indexOf('## 21 '));
  const rows = [...section.matchAll(/^\| \d+ \| (\w+)(?: \((owl)\))? \| (.*) \|$/gm)];
  assert.equal(rows.length, 48);
  for (const [, name = '', owl, cell = ''] of rows) {
    const typed = (owl === undefined ? TOOLS : OWL_TOOLS)[name];
    assert.ok(typed, name);
    const row = rowOf(name, typed);
    // Names before a type; fields of the entries of a list stand in braces.
    const said = cell.replace(/\{[^}]*\}/g, 'o').replace(/\b(node|edge) \w+ (a<s>|n)/g, '');
    for (const [, field = '', star, type = ''] of said.matchAll(
      /(\w+)(\*?) (enum\([^)]*\)|a<\w>|any|[sinbao])(?![\w])/g,
    )) {
      const { required, type: ours } = row.get(field) ?? assert.fail(`${name}: ${field}`);
      assert.deepEqual([required, ours], [star === '*', type], `${name}: ${field}`);
    }
  }
});

test('a tool that needs one of two arguments says so', () => {
  assert.deepEqual(tools.get('svc_unravel')?.definition.inputSchema.anyOf, [
    { required: ['tx'] },
    { required: ['valid_at'] },
  ]);
});

test('further tools are off unless the configuration asks for them', () => {
  const all = toolsOf(OPERATIONS, { extra: true, features: ['owl'] });
  const further = [...all.keys()].filter((name) => !tools.has(name));
  assert.deepEqual(further.sort(), [
    'svc_changes',
    'svc_entity_history',
    'svc_graph_label',
    'svc_import_promote',
    'svc_import_share',
    'svc_reason',
    'svc_share',
    'svc_stats',
    'svc_update',
  ]);
  assert.ok([...tools.keys()].every((name) => all.has(name)));
});

test('a parameter beyond the table is there with the further tools alone', () => {
  const all = toolsOf(OPERATIONS, { extra: true });
  const parameters = (offered: typeof all, name: string) =>
    Object.keys(offered.get(name)?.definition.inputSchema.properties as object);
  const more = [...tools.keys()].flatMap((name) => {
    const known = parameters(tools, name);
    return all.has(name)
      ? parameters(all, name)
          .filter((one) => !known.includes(one))
          .map((one) => `${name}.${one}`)
      : [];
  });
  assert.deepEqual(more.sort(), ['svc_context.ranking', 'svc_unified_search.ranking']);
});

test('hints follow from what the operation may do', () => {
  const hints = (name: string) =>
    Object.values(toolsOf(OPERATIONS, { extra: true, features: ['owl'] }).get(name)?.definition.annotations ?? {});
  assert.deepEqual(hints('svc_query'), [true, false, true]);
  assert.deepEqual(hints('svc_export'), [true, false, true]);
  assert.deepEqual(hints('svc_knot'), [false, true, false]);
  assert.deepEqual(hints('svc_set'), [false, true, true]);
  // As the route: its listing needs the bearer, too.
  assert.deepEqual(hints('svc_queries'), [false, true, false]);
  for (const { definition, operation } of toolsOf(OPERATIONS, { extra: true, features: ['owl'] }).values()) {
    assert.equal(definition.annotations.readOnlyHint, operation.access === 'read', definition.name);
  }
});

test('a tool says what a model needs: every argument, an example that fits its schema, one text that is not long', () => {
  for (const { definition, projection, operation } of toolsOf(OPERATIONS, {
    extra: true,
    features: ['owl'],
  }).values()) {
    const { name, description, inputSchema } = definition;
    const properties = inputSchema.properties as Record<string, Shown>;
    assert.match(description, /\nExample: \{/, name);
    assert.ok(description.length > 100 && description.length < 2048, `${name}: ${description.length}`);
    for (const [field, one] of Object.entries(properties)) {
      assert.ok(one.description || one.enum || SELF_EVIDENT.includes(field), `${name}.${field} says nothing`);
    }
    for (const field of Object.keys(projection.example)) assert.ok(field in properties, `${name}: ${field}`);
    for (const field of (inputSchema.required as string[] | undefined) ?? []) {
      assert.ok(field in projection.example, `${name}: ${field} is needed`);
    }
    for (const field of Object.keys(properties)) assert.ok(field in (operation.request.properties ?? {}), name);
    assert.equal(inputSchema.additionalProperties, true);
  }
});
