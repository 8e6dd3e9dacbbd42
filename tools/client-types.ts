/**
 * Types of the TypeScript client, from the schemas of the operations.
 *   node dist/tools/client-types.js
 * writes `clients/typescript/src/operations.ts`; a test fails when that is not what comes out here.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATION_ROUTES, type OperationRoute } from '../interfaces/http/routes.js';
import { CHECKOUT } from './tidy.js';

export const CLIENT_TYPES = join(CHECKOUT, 'clients', 'typescript', 'src', 'operations.ts');

/** What the schemas of operations are made of. */
interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};
/** Filled in by the server. */
const LEFT_OUT: ReadonlySet<string> = new Set(['base_url']);

/** Names of files are keys, too. */
function keyOf(name: string): string {
  return /^\w+$/.test(name) ? name : `'${name}'`;
}

function typeOf(node: Node, indent: string): string {
  if (node.enum !== undefined) return node.enum.map((value) => `'${String(value)}'`).join(' | ');
  if (node.anyOf !== undefined) return [...new Set(node.anyOf.map((one) => typeOf(one, indent)))].join(' | ');
  if (node.type === 'array') {
    const item = typeOf(node.items ?? {}, indent);
    return / \| |^readonly /.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`;
  }
  if (node.patternProperties !== undefined) {
    const [value = {}] = Object.values(node.patternProperties);
    return `Readonly<Record<string, ${typeOf(value, indent)}>>`;
  }
  if (node.properties !== undefined) return objectType(node, indent);
  if (node.type === undefined) return 'unknown';
  const plain = PLAIN[node.type];
  if (plain === undefined) throw new Error(`no type for a schema of type ${node.type}`);
  return plain;
}

function objectType({ properties = {}, required = [] }: Node, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, node]) => {
      const isRequired = required.includes(name);
      const comment = node.description === undefined ? '' : `${inner}/** ${node.description} */\n`;
      return `${comment}${inner}readonly ${keyOf(name)}${isRequired ? '' : '?'}: ${typeOf(node, inner)}${isRequired ? '' : ' | undefined'};\n`;
    });
  return fields.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${fields.join('')}${indent}}`;
}

/** Operations that take JSON, or parameters, and answer JSON; of several routes the one with a body. */
function callable(): OperationRoute[] {
  const chosen = new Map<string, OperationRoute>();
  for (const one of OPERATION_ROUTES) {
    const { operation, route } = one;
    const isQuery = operation.name === 'read' && route.method === 'POST';
    if (route.representation !== undefined || (route.request === 'protocol' && !isQuery)) continue;
    chosen.set(operation.name, one);
  }
  return [...chosen.values()];
}

/** Operations whose answer is a document. */
function documents(): OperationRoute[] {
  return OPERATION_ROUTES.filter(({ route }) => route.representation === 'document' && route.request === 'body');
}

export function clientTypes(): string {
  const routes = callable();
  const types = routes.map(({ operation }) => {
    const [request, response] = [operation.request, operation.response] as unknown as [Node, Node];
    return `  /** ${operation.summary}. */\n  readonly ${operation.name}: {\n    readonly request: ${typeOf(request, '    ')};\n    readonly response: ${typeOf(response, '    ')};\n  };\n`;
  });
  const table = routes.map(({ operation, route, access }) => {
    const input = route.request === 'parameters' ? 'parameters' : 'body';
    return `  ${operation.name}: { method: '${route.method}', path: '${route.path}', input: '${input}', access: '${access}' },\n`;
  });
  const documentTypes = documents().map(
    ({ operation }) =>
      `  /** ${operation.summary}. */\n  readonly ${operation.name}: ${typeOf(operation.request as unknown as Node, '  ')};\n`,
  );
  return `/** What the server offers, as it describes itself. Made by tools/client-types.ts: not to be edited. Length: that of the offer. */

export interface Operations {
${types.join('')}}

/** Requests whose answer is a document. */
export interface Documents {
${documentTypes.join('')}}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly input: 'body' | 'parameters';
  readonly access: 'read' | 'write';
}

export const ROUTES: Readonly<Record<keyof Operations, Route>> = {
${table.join('')}};
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(CLIENT_TYPES, clientTypes());
