/**
 * The authority gate (`governance.enforce_authority`; semantics of reasoning, 5.5): on whose behalf a write comes, and whether
 * every link of that chain may write the graph. The graph that a write names is judged before anything is staged; those that
 * it turns out to change once it stands on its stage. A write with no chain is nobody's to judge here.
 */

import { authorityOf } from '../../governance/authority.js';
import { GovernanceReader } from '../../governance/records.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Gate, StagedWrite, Verdict } from '../gates/gates.js';
import type { Authority, IntendedWrite } from './authority.js';
import { governedAs, judgedGraphs } from './touched-nodes.js';

const ALLOWED: Verdict = { kind: 'accepted', findings: [] };

export class AuthorityGate implements Gate, Authority {
  readonly name = 'authority';
  readonly #engine: StorageEngine;
  readonly #baseNamespace: () => string;

  constructor(engine: StorageEngine, baseNamespace: () => string) {
    this.#engine = engine;
    this.#baseNamespace = baseNamespace;
  }

  allows({ principal, options }: IntendedWrite): Verdict {
    const { chain = [], readable } = principal;
    const graph = 'graph' in options ? options.graph : undefined;
    if (chain.length === 0 || graph === undefined) return ALLOWED;
    const who = { chain, isNarrowed: readable !== null };
    return lookInto(this.#engine.snapshot(), (snapshot) => this.#judge(snapshot, who, [graph]));
  }

  judge(write: StagedWrite): Verdict {
    const { chain, law, changes, counts, options } = write;
    if (chain.length === 0 || changes.graphs.length + counts.asserted + counts.retracted === 0) return ALLOWED;
    const graphs = judgedGraphs(write).map(({ name }) => governedAs(name));
    if (graphs.length > 0) return this.#judge(law, write, graphs);
    // An overlay, which is not among the changes, or rows of the service alone: of the graph that they are about, as where one
    // is made, or, as shapes, of what holds for ROOT.
    const about = 'graph' in options ? options.graph : undefined;
    return this.#judge(law, write, [about ?? ROOT_GRAPH_IRI]);
  }

  #judge(
    snapshot: StorageSnapshot,
    { chain, isNarrowed }: Pick<StagedWrite, 'chain' | 'isNarrowed'>,
    graphs: readonly string[],
  ): Verdict {
    const held = authorityOf(new GovernanceReader(snapshot, this.#baseNamespace()), chain);
    const denied = held === null ? undefined : graphs.find((graph) => !held.includes(graph));
    if (held === null || denied === undefined) return ALLOWED;
    const what = held.length === 0 ? 'nothing' : held.map((graph) => `<${graph}>`).join(', ');
    return {
      kind: 'refused',
      code: 'authority_denied',
      // What else it holds may be graphs that the writer may not read.
      message: `the chain ${chain.join(', ')} may not write the graph <${denied}>${isNarrowed ? '' : `; it holds ${what}`}`,
      findings: [],
      details: { graph: denied },
    };
  }
}
