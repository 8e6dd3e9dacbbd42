/**
 * What is compared on random queries: the naive evaluator, the engine over a store in memory and over a
 * store file, with everything on, off, or one thing off, and an engine that others have written.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import oxigraph from 'oxigraph';
import { SvcError } from '../../../engine/base/errors.js';
import { executeQuery, PLAN_CHOICES, type QueryResult, REWRITES } from '../../../engine/query/query.js';
import { META_GRAPH_IRI } from '../../../engine/query/registry/system-graphs.js';
import { type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import { openStore } from '../../../engine/service/host/open-store.js';
import type { QueryAnswer, QueryOptions } from '../../../engine/service/reads/query.js';
import type { Store } from '../../../engine/service/store/store.js';
import { openMemoryEngine } from '../../../engine/storage/memory/engine.js';
import { type Answer, type Row, rowOf } from '../../conformance/sparql/answer.js';
import { TooManyRows } from '../naive/limit.js';
import { naiveQuery } from '../naive/query.js';
import { naiveUpdate } from '../naive/update.js';

export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** The text is no query, or asks for what is not there. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Too large for the naive evaluator. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'broken'; readonly why: string };

export interface Engine {
  readonly name: string;
  fill(quads: readonly Quad[]): Promise<void>;
  query(text: string, options?: QueryOptions): Promise<Outcome>;
  /** Null when it was made. */
  update(text: string): Promise<Outcome | null>;
  /** Without what the store notes about its graphs. */
  contents(): Promise<Quad[]>;
  close(): Promise<void>;
}

/** Names of everything that can be switched off. */
export const SWITCHES: readonly string[] = [...REWRITES.map(({ name }) => name), ...PLAN_CHOICES];

export function failed(error: unknown): Outcome {
  if (error instanceof TooManyRows) return { kind: 'skipped' };
  if (error instanceof SvcError && (error.code === 'parse_error' || error.code === 'unsupported')) {
    return { kind: 'refused', why: `${error.code}: ${error.message}` };
  }
  return { kind: 'broken', why: error instanceof SvcError ? error.describe() : String((error as Error).stack) };
}

export function naiveEngine(): Engine {
  let quads: readonly Quad[] = [];
  return {
    name: 'naive',
    async fill(filled) {
      quads = filled;
    },
    async query(text) {
      try {
        return { kind: 'answer', answer: naiveQuery(text, quads) };
      } catch (error) {
        return failed(error);
      }
    },
    async update(text) {
      try {
        quads = naiveUpdate(text, quads);
        return null;
      } catch (error) {
        return failed(error);
      }
    },
    contents: async () => [...quads],
    close: async () => {},
  };
}

function storeEngine(name: string, open: () => Promise<Store>, end: () => void): Engine {
  let opened: Promise<Store> | null = null;
  const store = () => {
    opened ??= open();
    return opened;
  };
  return {
    name,
    async fill(quads) {
      const filled = await store();
      // Not by retracting: a graph that is emptied stays registered.
      await filled.update('DROP ALL');
      await filled.transact({ assert: quads });
    },
    async query(text, options = {}) {
      try {
        return { kind: 'answer', answer: await readAnswer(await store(), text, options) };
      } catch (error) {
        return failed(error);
      }
    },
    async update(text) {
      try {
        await (await store()).update(text);
        return null;
      } catch (error) {
        return failed(error);
      }
    },
    async contents() {
      const quads: Quad[] = [];
      for await (const quad of (await store()).match()) if (quad.graph.value !== META_GRAPH_IRI) quads.push(quad);
      return quads;
    },
    async close() {
      await (await opened)?.close();
      end();
    },
  };
}

export async function readAnswer(store: Store, text: string, options: QueryOptions): Promise<Answer> {
  return readResult(await store.query(text, options));
}

export async function readResult(answer: QueryAnswer | QueryResult): Promise<Answer> {
  switch (answer.kind) {
    case 'ask':
      return { kind: 'boolean', value: answer.value };
    case 'graph': {
      const quads: Quad[] = [];
      for await (const quad of answer.quads()) quads.push(quad);
      return { kind: 'graph', quads };
    }
    default: {
      const rows: Row[] = [];
      for await (const row of answer.rows()) rows.push(rowOf(answer.variables, row));
      return { kind: 'rows', variables: answer.variables, rows };
    }
  }
}

export function memoryEngine(): Engine {
  return storeEngine(
    'memory',
    () => openStore(':memory:'),
    () => {},
  );
}

/**
 * The engine over scans that hand out three rows at a time, some of them outside the selection: where
 * batches end must not show.
 */
export function smallBatchEngine(): Engine {
  let engine = openMemoryEngine();
  return {
    name: 'small batches',
    async fill(quads) {
      engine = openMemoryEngine({ batches: { rowsMax: 3, sparse: true } });
      const source = { kind: 'quads', quads, name: 'data' } as const;
      await (await engine.stageLoad([source], { blankNodeScope: 'store' }, {})).commit().durable;
    },
    async query(text, options = {}) {
      const { validAt: _, ...rest } = options;
      const snapshot = engine.snapshot();
      try {
        return { kind: 'answer', answer: await readResult(await executeQuery(snapshot, text, rest)) };
      } catch (error) {
        return failed(error);
      } finally {
        snapshot.close();
      }
    },
    update: async () => ({ kind: 'broken', why: 'it takes no updates' }),
    contents: async () => [],
    close: async () => {},
  };
}

export function fileEngine(): Engine {
  const folder = mkdtempSync(join(tmpdir(), 'svc-differential-'));
  return storeEngine(
    'file',
    () => openStore(join(folder, 'store.db')),
    () => rmSync(folder, { recursive: true, force: true }),
  );
}

/** Oxigraph, an engine that shares nothing with this one. */
export function otherEngine(): Engine {
  let store = new oxigraph.Store();
  return {
    name: 'oxigraph',
    async fill(quads) {
      store = new oxigraph.Store();
      for (const quad of quads) store.add(toOther(quad) as oxigraph.Quad);
    },
    async query(text) {
      try {
        const result = store.query(text) as boolean | (Map<string, oxigraph.Term> | oxigraph.Quad)[];
        if (typeof result === 'boolean') return { kind: 'answer', answer: { kind: 'boolean', value: result } };
        if (/^\s*CONSTRUCT/m.test(text)) {
          return {
            kind: 'answer',
            answer: { kind: 'graph', quads: result.map((quad) => fromOther(quad as oxigraph.Quad) as Quad) },
          };
        }
        const rows = (result as Map<string, oxigraph.Term>[]).map(
          (row): Row => new Map([...row].map(([name, term]) => [name, fromOther(term)])),
        );
        return { kind: 'answer', answer: { kind: 'rows', variables: null, rows } };
      } catch (error) {
        return { kind: 'refused', why: String(error) };
      }
    },
    async update(text) {
      try {
        store.update(text);
        return null;
      } catch (error) {
        return { kind: 'refused', why: String(error) };
      }
    },
    contents: async () => store.match(null, null, null, null).map((quad) => fromOther(quad) as Quad),
    close: async () => {},
  };
}

function toOther(term: Term): oxigraph.Term | oxigraph.Quad {
  switch (term.termType) {
    case 'NamedNode':
      return oxigraph.namedNode(term.value);
    case 'BlankNode':
      return oxigraph.blankNode(term.value);
    case 'Literal':
      return oxigraph.literal(term.value, term.language ? term.language : oxigraph.namedNode(term.datatype.value));
    case 'DefaultGraph':
      return oxigraph.defaultGraph();
    case 'Quad':
      return oxigraph.quad(
        toOther(term.subject) as never,
        toOther(term.predicate) as never,
        toOther(term.object) as never,
        toOther(term.graph) as never,
      );
    default:
      throw new Error(`no ${term.termType} here`);
  }
}

function fromOther(term: oxigraph.Term | oxigraph.Quad): Term {
  switch (term.termType) {
    case 'NamedNode':
      return terms.namedNode(term.value);
    case 'BlankNode':
      return terms.blankNode(term.value);
    case 'Literal':
      return terms.literal(term.value, term.language ? term.language : terms.namedNode(term.datatype.value));
    case 'DefaultGraph':
      return terms.defaultGraph();
    default: {
      const { subject, predicate, object, graph } = term as oxigraph.Quad;
      return terms.quad(
        fromOther(subject) as never,
        fromOther(predicate) as never,
        fromOther(object) as never,
        fromOther(graph) as never,
      );
    }
  }
}
