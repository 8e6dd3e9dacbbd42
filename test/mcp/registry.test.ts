/** The tools against the table of the specification (wire shapes, 20): names, parameters, types, what is required. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { OPERATION_ROUTES } from '../../interfaces/http/routes.js';
import { type ToolDefinition, toolsOf } from '../../interfaces/mcp/tools.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';

const shared = sharedFolder();

interface Parameter {
  readonly required: boolean;
  /** As the table writes it: `s`, `a<s>`, `enum(x, y)`. */
  readonly type: string;
  readonly default: string | null;
}

type Row = ReadonlyMap<string, Parameter>;

/** Tools that list (3.4), where the table does not repeat it. */
const LISTS = new Set(
  `cord unravel search hybrid_search unified_search search_nodes search_facts graph_list datasets queries ask shapes
   list_proposals overlay_compose impact cooccurrence project align_propose load_ontology`.split(/\s+/),
);
const LIST_FIELDS = { limit: 'i', offset: 'i' };

/** Parameters that the text beside the table adds. */
const FURTHER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  set: { valid_from: 's' },
  query: { limit: 'i' },
};

/** Entries of a list, whatever the table says of the route. */
const ROWS = '50';

/** The route of a tool, where it is not the tool's name with a slash. */
const ROUTES: Readonly<Record<string, string>> = {
  retract_episode: '/episode/retract',
  retract_source: '/retract/source',
  policy_check: '/policy/check',
  verdict_verify: '/verdict/verify',
  verifier_authorized: '/verifier/authorized',
  overlay_create: '/overlay/create',
  overlay_write: '/overlay/write',
  overlay_compose: '/overlay/compose',
  episodes_complete: '/episodes/complete',
  path_cone: '/path/cone',
  path_backtest: '/path/backtest',
  graph_list: '/graphs',
  graph_freeze: '/graph/freeze',
  graph_thaw: '/graph/thaw',
  propose_schema_change: '/propose',
  list_proposals: '/proposals',
  accept_proposal: '/proposal/accept',
  reject_proposal: '/proposal/reject',
  resolve_entity: '/resolve',
  align_propose: '/align/propose',
  align_decide: '/align/decide',
  align_apply: '/align/apply',
  load_ontology: '/ontology',
};

/** Parts of a cell between commas and semicolons that stand in no brackets. */
function partsOf(cell: string): string[] {
  const parts: string[] = [];
  let [depth, part] = [0, ''];
  for (const letter of cell) {
    if ('(<{'.includes(letter)) depth++;
    if (')>}'.includes(letter)) depth--;
    if (depth === 0 && (letter === ',' || letter === ';')) {
      parts.push(part.trim());
      part = '';
    } else part += letter;
  }
  return [...parts, part.trim()].filter((one) => one !== '');
}

function rowOf(name: string, cell: string): Row {
  const row = new Map<string, Parameter>();
  for (const part of partsOf(cell.replace(/;\s*(also|accepted:)\s+/g, ', '))) {
    // Fields of the entries of a list.
    if (/^(node|edge) /.test(part)) continue;
    const match = /^(\w+)(\*?) (enum\([^)]*\)|a<.*>|any|[sinbao])(?=\s|$)(?: \(([\w.]+)\))?/.exec(part);
    assert.ok(match, `${name}: ${part}`);
    const [, field = '', star, type = '', absent = null] = match;
    row.set(field, { required: star === '*', type, default: absent });
  }
  for (const [field, type] of Object.entries(FURTHER[name] ?? {})) {
    row.set(field, { required: false, type, default: null });
  }
  if (!LISTS.has(name)) return row;
  for (const [field, type] of Object.entries(LIST_FIELDS)) {
    if (!row.has(field)) row.set(field, { required: false, type, default: null });
  }
  return row;
}

function readTable(folder: string): Map<string, Row> {
  const text = readFileSync(join(folder, 'spec/wire-shapes.md'), 'utf8');
  const section = text.slice(text.indexOf('## 20 Tool registry'), text.indexOf('## 21 '));
  const rows = new Map<string, Row>();
  for (const [, name = '', cell = ''] of section.matchAll(/^\| \d+ \| (\w+)(?: \(owl\))? \| (.*) \|$/gm)) {
    rows.set(name, rowOf(name, cell));
  }
  return rows;
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

/** With every feature. */
const tools = toolsOf(OPERATIONS, { extra: false, features: ['owl'] });

test('the tools are those of the table, with exactly its parameters', { skip: shared ? false : SHARED_ABSENT }, () => {
  const table = readTable(shared as string);
  assert.equal(table.size, 48);
  for (const [name, { definition }] of tools) {
    const row = table.get(name.replace(/^svc_/, ''));
    assert.ok(row, `${name} is beyond the table`);
    checkTool(definition, row, name);
  }
  // A tool is there as soon as its route is.
  const paths = new Set(OPERATION_ROUTES.map(({ route }) => route.path));
  for (const name of table.keys()) {
    assert.equal(tools.has(`svc_${name}`), paths.has(ROUTES[name] ?? `/${name}`), name);
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

test('a tool of a feature is there with the feature alone', () => {
  const without = toolsOf(OPERATIONS, { extra: false });
  assert.deepEqual(
    [...tools.keys()].filter((name) => !without.has(name)),
    ['svc_explain', 'svc_load_ontology'],
  );
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
    assert.match(description, /Example arguments: \{/, name);
    assert.ok(description.length > 100 && description.length < 2048, `${name}: ${description.length}`);
    for (const [field, one] of Object.entries(properties)) assert.ok(one.description, `${name}.${field} says nothing`);
    for (const field of Object.keys(projection.example)) assert.ok(field in properties, `${name}: ${field}`);
    for (const field of (inputSchema.required as string[] | undefined) ?? []) {
      assert.ok(field in projection.example, `${name}: ${field} is needed`);
    }
    for (const field of Object.keys(properties)) assert.ok(field in (operation.request.properties ?? {}), name);
    assert.equal(inputSchema.additionalProperties, true);
  }
});
