/**
 * Which instances break a shape: the focus nodes of its targets, a page at a time, with what lies around them, are judged by the
 * server as a document (`POST /validate`), by the set that the shape stands in. Around a node lie its statements, those of what
 * they point to, those that point to it, and the classes above; a path that goes further sees less than the store holds.
 */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { count } from '../parts/text.js';
import type { Shape, Target } from './read-shapes.js';
import { RDFS } from './shapes-graph.js';
import { type Asked, ref } from './store-schema.js';

/** Focus nodes that are judged at once. */
export const NODES = 50;
const DATA_BYTES_MAX = 8 * 1024 * 1024;
const SUB = `<${RDFS}subClassOf>`;

type Answer = Operations['validate']['response'];
export type Result = Answer['violations'][number];

export interface Check {
  /** Nodes of the page, and of all targets. */
  readonly nodes: readonly string[];
  readonly total: number;
  readonly results: readonly Result[];
}

/** Whether its targets can be asked for here. */
export function canCheck({ targets }: Shape): boolean {
  return targets.length > 0 && targets.every(({ kind, term }) => kind !== 'sparql' && term.type !== 'bnode');
}

export async function checkInstances(shape: Shape, turtle: string, offset: number, asked: Asked): Promise<Check> {
  const focus = `{ ${shape.targets.map((target) => `{ ${patternOf(target)} }`).join(' UNION ')} FILTER(isIRI(?s)) }`;
  const { server, scope, signal } = asked;
  const fields = { ...scope, inference: false };
  let total = 0;
  for await (const row of server.client.rows(`SELECT (COUNT(DISTINCT ?s) AS ?n) ${focus}`, fields, { signal })) {
    total = Number(row.n?.value ?? 0);
  }
  const nodes: string[] = [];
  const page = `SELECT DISTINCT ?s ${focus} ORDER BY ?s LIMIT ${NODES} OFFSET ${offset}`;
  for await (const row of server.client.rows(page, fields, { signal }))
    nodes.push(row.s?.type === 'uri' ? row.s.value : '');
  if (nodes.length === 0) return { nodes, total, results: [] };
  const data = await around(nodes, asked);
  const { violations, warnings, infos } = await server.client.call('validate', { shapes: turtle, data }, { signal });
  const asking = new Set(nodes);
  const results = [...violations, ...warnings, ...infos].filter(({ focus_node: node }) => asking.has(node));
  return { nodes, total, results };
}

function patternOf({ kind, term }: Target): string {
  const value = term.type === 'uri' ? ref(term.value) : '""';
  switch (kind) {
    case 'class':
      return `?s a/${SUB}* ${value}`;
    case 'node':
      return `VALUES ?s { ${value} }`;
    case 'subjectsOf':
      return `?s ${value} ?any`;
    case 'objectsOf':
      return `?any ${value} ?s`;
    case 'sparql':
      throw new Error('what a query finds is not asked for here');
  }
}

/** Turtle. */
async function around(nodes: readonly string[], { server, scope, signal }: Asked): Promise<string> {
  const values = `VALUES ?s { ${nodes.map(ref).join(' ')} }`;
  const query = `CONSTRUCT { ?s ?p ?o . ?o ?q ?r . ?i ?ip ?s . ?c ${SUB} ?d } WHERE { ${values}
    { ?s ?p ?o } UNION { ?s ?x ?o . ?o ?q ?r } UNION { ?i ?ip ?s }
    UNION { ?s a/${SUB}* ?c . ?c ${SUB} ?d } UNION { ?s ?x ?v . ?v a/${SUB}* ?c . ?c ${SUB} ?d } }`;
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of server.client.document(query, 'text/turtle', { ...scope, inference: false }, { signal })) {
    bytes += chunk.length;
    if (bytes > DATA_BYTES_MAX) {
      throw new Error(
        `Around these ${nodes.length} nodes lie more than ${count(DATA_BYTES_MAX)} bytes of statements, which is more than a page judges. Ask “svc validate” instead.`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
