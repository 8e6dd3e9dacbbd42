/**
 * Writes of principals who may read some graphs only (`governance.read_rules`): they write the graphs that they may read, and
 * what comes of it is what would come of it in a store without the others.
 *
 * 1. What the command reads, before its turn and on the stage, are snapshots of readable graphs.
 * 2. Each quad that it stages is looked at before the stage is: one of another graph is refused, whether there is such a graph
 *    or not, and whether the quad stands in it or not.
 * 3. Gates judge the state that the writer could read. What they judge by (shapes, ontologies, the authority of principals)
 *    holds for every writer, and is read from the whole store.
 * 4. What completes the write, the registry of graphs and what follows from them, is the store's own work on the whole stage.
 */

import { BoundedMap } from '../../base/bounded-map.js';
import { SvcError } from '../../base/errors.js';
import type { Principal } from '../../base/principal.js';
import { writtenAs } from '../../query/registry/system-graphs.js';
import { type Quad, ROOT_GRAPH_IRI, type Term } from '../../rdf/terms.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { LoadOptions, QuadColumns, Stage, StorageEngine } from '../../storage/seam/engine.js';
import { decodeIds, lookInto } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { NarrowedEngine, readerKey } from '../reads/narrowed-engine.js';
import { checkedWrites, stageWith } from './stage-with.js';

/** Writers that are remembered at once, each with the ids of its graphs. */
const WRITERS_MAX = 32;

export class NarrowedWriters {
  readonly #engine: StorageEngine;
  readonly #writers = new BoundedMap<NarrowedWriter>(WRITERS_MAX);

  constructor(engine: StorageEngine) {
    this.#engine = engine;
  }

  /** Of a principal who may read some graphs only. */
  of(principal: Principal): NarrowedWriter {
    const key = readerKey(principal, false);
    let writer = this.#writers.use(key);
    if (writer === undefined) {
      const { readable, patterns } = principal;
      writer = new NarrowedWriter(this.#engine, { authenticated: null, readable, patterns });
      this.#writers.set(key, writer);
    }
    return writer;
  }
}

export class NarrowedWriter {
  /** The storage that commands read. */
  readonly engine: NarrowedEngine;

  constructor(engine: StorageEngine, principal: Principal) {
    this.engine = new NarrowedEngine(engine, principal, true);
  }

  narrow(snapshot: StorageSnapshot): StorageSnapshot {
    return this.engine.narrow(snapshot);
  }

  /** Throws for a graph that may not be written; `snapshot` is of the whole store, or of a stage. */
  check(iri: string, snapshot: StorageSnapshot): void {
    if (!this.engine.mayRead(writtenAs(iri), snapshot)) throw refusal(iri);
  }

  /** The options of a load, which refuse documents of other graphs. */
  load(options: LoadOptions, engine: StorageEngine): LoadOptions {
    const check = (iri: string): void => lookInto(engine.snapshot(), (snapshot) => this.check(iri, snapshot));
    check(options.graph ?? ROOT_GRAPH_IRI);
    const graphFault = (iri: string): string | null => {
      check(iri);
      return options.graphFault?.(iri) ?? null;
    };
    return { ...options, graphFault };
  }

  /** The stage as the change of a write gets it. */
  stage(stage: Stage): Stage {
    const names = new Set<string>();
    const ids = new Set<TermId>();
    const checkName = (graph: Quad['graph']): void => {
      const name = graph.termType === 'DefaultGraph' ? ROOT_GRAPH_IRI : graph.value;
      if (graph.termType !== 'BlankNode' && names.has(name)) return;
      if (graph.termType === 'BlankNode') throw refusal(`_:${name}`);
      lookInto(stage.before(), (snapshot) => this.check(name, snapshot));
      names.add(name);
    };
    const checkIds = ({ g, rows }: QuadColumns): void => {
      let [low, high] = [-1, -1];
      for (let row = 0; row < rows; row++) {
        if (g[2 * row] === low && g[2 * row + 1] === high) continue;
        [low, high] = [g[2 * row] as number, g[2 * row + 1] as number];
        const id = idOfHalves(low, high);
        if (ids.has(id)) continue;
        lookInto(stage.snapshot(), (snapshot) => this.#checkId(id, snapshot));
        ids.add(id);
      }
    };
    return stageWith(stage, {
      snapshot: () => this.narrow(stage.snapshot()),
      before: () => this.narrow(stage.before()),
      ...checkedWrites(stage, { quad: ({ graph }) => checkName(graph), ids: checkIds }),
      openQuads: (quads) => {
        checkIds(quads);
        return stage.openQuads(quads);
      },
      relocate: (graph) => refuseMove(graph),
      restore: (path) => refuseMove(path),
    });
  }

  #checkId(id: TermId, snapshot: StorageSnapshot): void {
    const [term] = id === ROOT_ID ? [] : (decodeIds(snapshot, [id]) as [Term]);
    if (term?.termType === 'BlankNode') throw refusal(`_:${term.value}`);
    this.check(term?.value ?? ROOT_GRAPH_IRI, snapshot);
  }
}

function refusal(graph: string): SvcError {
  const name = graph.startsWith('_:') ? graph : `<${graph}>`;
  return new SvcError(
    'authority_denied',
    `the graph ${name} is none that the reader may read, and so none that the reader may write (governance.read_rules)`,
    { hint: 'write a graph that a rule names, or have a rule name this one' },
  );
}

function refuseMove(what: string): never {
  throw new SvcError(
    'authority_denied',
    `${what} can't be moved by a reader who may read some graphs only (governance.read_rules)`,
  );
}
