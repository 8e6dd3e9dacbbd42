/**
 * What a person is told of named graphs by commands that look at ROOT, on standard error: a store whose facts are all in
 * named graphs must not look like an empty one. A list is short, whatever the number of graphs.
 */

import { SvcError } from '../../../engine/base/errors.js';
import { META_GRAPH_IRI } from '../../../engine/query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI } from '../../../engine/rdf/terms.js';
import type { Answer, Body } from '../../../engine/service/operations/definition/operation.js';
import type { CliOptions } from '../line/streams.js';

/** Asks for the list of graphs, or for the figures of ROOT, of a store of this machine or of a server. */
export type AskGraphs = (request: Body, what?: 'graphs' | 'stats') => Promise<Body>;

interface Listed {
  readonly graph: string;
  readonly facts: number;
}

/** Graphs that are looked at, and those of them that are shown. */
const READ_MAX = 100;
const SHOWN_MAX = 10;
/** Graphs among which one is looked for. */
const SEARCHED_MAX = 10_000;

/** Where the answer is longer, something was found. */
const SHORT_BYTES = 300;

async function listed(ask: AskGraphs, request: Body): Promise<{ graphs: readonly Listed[]; truncated: boolean }> {
  const { graphs, truncated } = await ask(request);
  // Somebody else may answer at the address of a server.
  return { graphs: Array.isArray(graphs) ? (graphs as Listed[]) : [], truncated: truncated === true };
}

/** `<http://a> (12), <http://b> (3) and more`; null where no named graph holds a fact. */
async function namedGraphs(ask: AskGraphs, among: Body = {}): Promise<string | null> {
  const { graphs, truncated } = await listed(ask, { ...among, limit: READ_MAX });
  const held = graphs.filter(({ graph, facts }) => facts > 0 && graph !== ROOT_GRAPH_IRI && graph !== META_GRAPH_IRI);
  if (held.length === 0) return null;
  const shown = held.slice(0, SHOWN_MAX).map(({ graph, facts }) => `<${graph}> (${facts})`);
  return `${shown.join(', ')}${truncated || held.length > SHOWN_MAX ? ' and more' : ''}`;
}

async function isRootEmpty(ask: AskGraphs): Promise<boolean> {
  const { facts } = await ask({}, 'stats');
  return facts === 0;
}

/** Whether a query says itself which graphs it reads. */
function namesGraphs({ query, fork, overlay, include_kinds: kinds }: Body): boolean {
  if (fork !== undefined || overlay !== undefined || kinds !== undefined) return true;
  return /\b(?:graph|from)\b/i.test(String(query ?? ''));
}

async function isKnown(ask: AskGraphs, wanted: string): Promise<boolean> {
  if (wanted === ROOT_GRAPH_IRI) return true;
  const { graphs, truncated } = await listed(ask, { limit: SEARCHED_MAX });
  // Of a longer list nothing is said that was not seen.
  return truncated || graphs.some(({ graph }) => graph === wanted);
}

/** An answer that was written. */
export interface Written {
  readonly answer: Answer<Body>;
  readonly bytes: number;
}

/** What there is to add behind the answer of an operation; null where there is nothing. */
export async function noteBehind(
  ask: AskGraphs,
  operation: string,
  request: Body,
  options: CliOptions,
  { answer, bytes }: Written,
): Promise<string | null> {
  try {
    switch (operation) {
      case 'read': {
        const entries = answer.kind === 'document' ? answer.notesAtEnd?.().entries : undefined;
        return await noteOfRead(ask, request, { entries, bytes, graphsRead: answer.notes?.graphsRead ?? 0 });
      }
      case 'cord':
        return answer.kind === 'body' ? await noteOfList(ask, answer.body) : null;
      case 'stats':
        return options.json === true ? null : await noteOfStats(ask);
      case 'export':
        return await noteOfExport(ask, request, options);
      default:
        return null;
    }
  } catch (error) {
    // The answer is there: what can't be added takes nothing from it. An interruption stays one.
    if (error instanceof SvcError && error.code !== 'aborted') return null;
    throw error;
  }
}

interface AnswerSize {
  /** Rows or triples, where they were counted. */
  readonly entries: number | undefined;
  readonly bytes: number;
  /** Registered graphs that the query could read; 0 also where that is not known. */
  readonly graphsRead: number;
}

/** Behind the answer of `read`; null where there is nothing to add. */
async function noteOfRead(
  ask: AskGraphs,
  request: Body,
  { entries, bytes, graphsRead }: AnswerSize,
): Promise<string | null> {
  if (entries !== 0 && bytes > SHORT_BYTES) return null;
  const { graph } = request;
  if (typeof graph === 'string') {
    if (graphsRead > 0 || (await isKnown(ask, graph))) return null;
    const others = await namedGraphs(ask);
    return `there is no graph <${graph}>; ${others === null ? 'no named graph holds a fact' : `named graphs: ${others}`}\n`;
  }
  if (namesGraphs(request) || !(await isRootEmpty(ask))) return null;
  const others = await namedGraphs(ask);
  if (others === null) return null;
  return `ROOT, which the query reads, holds no facts; named graphs: ${others}\n  hint: --graph <iri> reads one, GRAPH ?g { ... } all\n`;
}

/** Behind the answer of `cord`. */
async function noteOfList(ask: AskGraphs, { count }: Body): Promise<string | null> {
  if (count !== 0 || !(await isRootEmpty(ask))) return null;
  const others = await namedGraphs(ask);
  return others === null
    ? null
    : `ROOT holds no facts; named graphs: ${others}\n  hint: svc read --graph <iri> reads one\n`;
}

/** Behind the figures of ROOT. */
async function noteOfStats(ask: AskGraphs): Promise<string | null> {
  const others = await namedGraphs(ask);
  return others === null ? null : `named graphs, besides: ${others}\n  hint: svc graph list shows them all\n`;
}

/** Whether an export takes ROOT and leaves named graphs out. */
function isOfRoot({ graph, group_id: group, construct, format }: Body, withGraphs: readonly string[]): boolean {
  const isScoped = graph !== undefined || group !== undefined || construct !== undefined;
  return !isScoped && !withGraphs.includes(String(format));
}

const ALL_GRAPHS: readonly string[] = ['nquads', 'trig', 'jsonld'];

/** How the rest of an export is had; a server gives the formats of its route alone. */
function howToExport(options: CliOptions): string {
  const all = 'with --format nquads or trig every graph is written';
  return options.url === undefined ? `${all}, with --graph <iri> one` : '--graph <iri> writes one of them';
}

/** Frozen graphs stand in files of their own, which a document of all graphs does not read. */
async function noteOfFrozen(ask: AskGraphs, { graph, group_id: group, construct }: Body): Promise<string | null> {
  if (graph !== undefined || group !== undefined || construct !== undefined) return null;
  const frozen = await namedGraphs(ask, { lifecycle: 'frozen' });
  return frozen === null ? null : `left out: frozen graphs ${frozen}\n  hint: --graph <iri> writes one of them\n`;
}

/** Behind an export: what it left out. */
async function noteOfExport(ask: AskGraphs, request: Body, options: CliOptions): Promise<string | null> {
  if (!isOfRoot(request, ALL_GRAPHS)) return noteOfFrozen(ask, request);
  const others = await namedGraphs(ask);
  return others === null ? null : `left out: named graphs ${others}\n  hint: ${howToExport(options)}\n`;
}

/** In place of a document without a statement. Where the list fails, this error stands without it. */
export async function emptyExport(ask: AskGraphs, request: Body, options: CliOptions): Promise<SvcError> {
  const allow = '--allow-empty writes an empty document';
  const { graph, group_id: group } = request;
  const scope =
    request.construct !== undefined
      ? 'the query of --construct gives no triples'
      : group !== undefined
        ? `nothing belongs to the group ${group}`
        : `${graph === undefined ? (isOfRoot(request, ALL_GRAPHS) ? 'ROOT' : 'the store') : `<${graph}>`} holds no facts`;
  const others = isOfRoot(request, ALL_GRAPHS) ? await namedGraphs(ask).catch(() => null) : null;
  return new SvcError(
    'not_found_in_store',
    `nothing to export: ${scope}${others === null ? '' : `; named graphs: ${others}`}`,
    {
      hint: others === null ? allow : `${howToExport(options)}; ${allow}`,
    },
  );
}

/** A failure for a graph that there is not, with those that there are; alone where the list of them fails. */
export async function withNamedGraphs(ask: AskGraphs, error: unknown): Promise<unknown> {
  if (!(error instanceof SvcError) || !error.message.startsWith('unknown graph: ')) return error;
  const others = await namedGraphs(ask).catch(() => null);
  if (others === null) return error;
  const { code, message, hint, position } = error;
  const known = `named graphs: ${others}`;
  return new SvcError(code, message, {
    hint: hint === undefined ? known : `${hint}; ${known}`,
    ...(position === undefined ? {} : { position }),
    cause: error,
  });
}
