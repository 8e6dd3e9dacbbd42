/** The OWL gate (`owl.validate_on_write`): refuses a write that the loaded ontologies contradict, naming every contradiction. */

import type { Control } from '../../base/control.js';
import { loadOnce } from '../../base/load-once.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import type { Inconsistency } from '../../reason/owl/consistency.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { Finding, Gate, StagedWrite, Verdict } from '../gates/gates.js';
import type { OwlMaintainer } from './owl-maintainer.js';

const ACCEPTED: Verdict = { kind: 'accepted', findings: [] };
const SHARE = /^urn:svc:(share|quarantine):/;
const HINT = 'change what is written, or the ontology that contradicts it';

const judging = loadOnce(() => import('../../reason/owl/consistency.js'));

export class OwlGate implements Gate {
  readonly name = 'owl';
  readonly #owl: OwlMaintainer;

  constructor(owl: OwlMaintainer) {
    this.#owl = owl;
  }

  judge(write: StagedWrite, control: Control): Verdict | Promise<Verdict> {
    const { asserted } = write.counts;
    if (asserted === 0 || !this.#owl.validates || !this.#owl.hasOntologies(lawOf(write))) return ACCEPTED;
    return this.#judge(write, control);
  }

  async #judge(write: StagedWrite, control: Control): Promise<Verdict> {
    const ontology = await this.#owl.ontologyAt(lawOf(write), control);
    if (ontology === null) return ACCEPTED;
    const { inconsistencies } = await judging();
    const { after, changes } = write;
    const { withDomains } = this.#owl;
    const state = { after, changes, withDomains, isDerived: (tx: number) => this.#owl.derived.has(tx) };
    const found = inconsistencies(ontology, state, judgedGraphs(write), control);
    if (found.length === 0) return ACCEPTED;
    const names = decodeIds(
      after,
      found.map(({ node }) => node),
    ).map(({ termType, value }) => (termType === 'BlankNode' ? `_:${value}` : value));
    const findings = found.map((one, at) => toFinding(one, names[at] as string)).sort(byFocus);
    const list = findings.map(({ focusNode, message }) => `${focusNode} ${message}`).join('; ');
    const message = `OWL constraint violation (${findings.length} violation(s)): ${list}`;
    return { kind: 'refused', code: 'refused_owl', message, hint: HINT, findings };
  }
}

/** Where ontologies are read: they judge every writer, whatever he may read. */
function lawOf({ registryState, law }: StagedWrite) {
  return { registryState, before: law };
}

function toFinding(one: Inconsistency, focusNode: string): Finding {
  const common = { severity: 'Violation', focusNode, alternatives: [] };
  if (one.kind === 'disjoint') {
    const [first, second] = one.classes;
    const message = `has the types ${first} and ${second}, which are disjoint`;
    return { ...common, message, component: 'disjointWith', path: null, value: second, sourceShape: first };
  }
  const { property, values } = one;
  const message = `has ${values} values of ${property}, which is functional`;
  return { ...common, message, component: 'FunctionalProperty', path: property, value: null, sourceShape: property };
}

function byFocus(a: Finding, b: Finding): number {
  const [one, other] = [`${a.focusNode} ${a.message}`, `${b.focusNode} ${b.message}`];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The graphs that a write changes, but for those of the service itself, shares on their way in, and copies. */
function judgedGraphs({ after, changes, copies }: StagedWrite): TermId[] {
  const graphs = changes.graphs.filter(({ asserted }) => asserted > 0).map(({ graph }) => graph);
  const names = decodeIds(after, graphs);
  return graphs.filter((_, at) => {
    const { value } = names[at] as (typeof names)[number];
    return value !== META_GRAPH_IRI && value !== REGISTRY_GRAPH_IRI && !SHARE.test(value) && !copies?.has(value);
  });
}
