/**
 * Whether the predicates and classes of ROOT come from namespaces that somebody has declared, whether any stands in the
 * namespaces of the service without being a term of it, and which are likely to be meant as one.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { addCount, addTo } from '../../base/maps.js';
import { SVC_NS } from '../../query/registry/system-graphs.js';
import { RDF_NS, RDFS, terms, XSD } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { localName } from '../../validate/likeness.js';
import { Findings } from './findings.js';

export interface UsedNamespace {
  readonly namespace: string;
  /** Facts with a predicate, or a class, of the namespace. */
  readonly uses: number;
  readonly declared: boolean;
}

export interface NamespaceAudit {
  readonly findings: Findings;
  /** In their order. */
  readonly namespaces: readonly UsedNamespace[];
  /** Predicates and classes. */
  readonly terms: number;
  readonly declared: number;
}

const STANDARD = [
  SVC_NS,
  RDF_NS,
  RDFS,
  XSD,
  'http://www.w3.org/2002/07/owl#',
  'http://www.w3.org/ns/shacl#',
  'http://www.w3.org/ns/prov#',
  'http://www.w3.org/2004/02/skos/core#',
];
const RESERVED = [SVC_NS, 'urn:svc:'];
/** Predicates and classes of the service (wire shapes, 1.1). */
const OWN_TERMS = new Set(
  [
    'confidence',
    'distinctFrom',
    'memberOfCommunity',
    'pageRank',
    'freshness',
    'trust',
    'trustRank',
    'inChain',
    'policyClass',
    'durability',
    'dataKind',
    'Dataset',
    'includesGraph',
    'Fork',
    'forkTx',
    'onViolation',
    'materializedBy',
    'mappingClosureHash',
    'externalTruth',
    'sourceHash',
    'materializedInTx',
  ].map((name) => SVC_NS + name),
);
/** Terms of one name that are told of. */
const ALIKE_MAX = 5;

type Role = 'predicate' | 'class';

interface UsedTerm {
  readonly iri: string;
  readonly role: Role;
  readonly uses: number;
}

/** `declared`: namespaces that somebody has declared besides the standard ones. */
export async function auditNamespaces(
  snapshot: StorageSnapshot,
  declared: Iterable<string>,
  control: Control,
): Promise<NamespaceAudit> {
  const findings = new Findings();
  // The longest first, so that a term counts for the namespace that says most.
  const known = [...new Set([...declared, ...STANDARD])].sort((one, other) => other.length - one.length);
  const used = [...usedPredicates(snapshot), ...(await usedClasses(snapshot, control))];
  const uses = new Map<string, number>();
  for (const term of used) {
    if (RESERVED.some((namespace) => term.iri.startsWith(namespace)) && !OWN_TERMS.has(term.iri)) {
      findings.violation(
        'namespace',
        `the ${term.role} <${term.iri}> stands in a namespace of the service, which does not define it`,
      );
    }
    addCount(uses, known.find((namespace) => term.iri.startsWith(namespace)) ?? namespaceOf(term.iri), term.uses);
  }
  const isKnown = new Set(known);
  const namespaces = [...uses.keys()].sort().map((namespace) => {
    return { namespace, uses: uses.get(namespace) as number, declared: isKnown.has(namespace) };
  });
  for (const { namespace, uses: count, declared: isDeclared } of namespaces) {
    if (isDeclared || RESERVED.some((reserved) => namespace.startsWith(reserved))) continue;
    findings.incomplete('namespace', `nobody has declared <${namespace}>, which ${count} fact(s) use`);
  }
  findAlike(used, findings);
  return { findings, namespaces, terms: used.length, declared: known.length };
}

/** Up to the last `#`, `/` or `:`; the IRI itself where nothing is behind it. */
function namespaceOf(iri: string): string {
  const name = localName(iri);
  return name === iri ? iri : iri.slice(0, iri.length - name.length);
}

function usedPredicates(snapshot: StorageSnapshot): UsedTerm[] {
  const ids = snapshot.predicates(ROOT_ONLY).map(({ predicate }) => predicate);
  const found = decodeIds(snapshot, ids);
  return ids
    .map((id, at): UsedTerm => {
      const uses = snapshot.count({ graphs: ROOT_ONLY, pattern: { p: exactly(id) }, time: CURRENT });
      return { iri: (found[at] as { readonly value: string }).value, role: 'predicate', uses };
    })
    .filter(({ uses }) => uses > 0);
}

async function usedClasses(snapshot: StorageSnapshot, control: Control): Promise<UsedTerm[]> {
  const type = snapshot.encode(terms.namedNode(`${RDF_NS}type`));
  if (type === null) return [];
  const counts = new Map<TermId, number>();
  const request = { graphs: { kind: 'one', graph: ROOT_ID }, pattern: { p: exactly(type) }, time: CURRENT } as const;
  for (const batch of readRows(snapshot, { ...request, order: 'POSG', columns: ['o'] })) {
    throwIfStopped(control, 'the audit');
    // A class after the other: its rows stand together.
    let from = 0;
    for (let row = 1; row <= batch.rows; row++) {
      if (row < batch.rows && !batch.changes('o', row)) continue;
      addCount(counts, batch.id('o', from), row - from);
      from = row;
    }
    await breathe();
  }
  const found = decodeIds(snapshot, [...counts.keys()]);
  return [...counts.values()].flatMap((uses, at): UsedTerm[] => {
    const term = found[at];
    return term?.termType === 'NamedNode' ? [{ iri: term.value, role: 'class', uses }] : [];
  });
}

/** Terms of one role that differ by their namespaces or by case alone (ruling R54). */
function findAlike(used: readonly UsedTerm[], findings: Findings): void {
  const byName = new Map<string, UsedTerm[]>();
  for (const term of used) addTo(byName, `${term.role} ${localName(term.iri).toLowerCase()}`, term);
  for (const name of [...byName.keys()].sort()) {
    const alike = byName.get(name) as UsedTerm[];
    if (alike.length < 2) continue;
    const iris = alike.map(({ iri }) => `<${iri}>`).sort();
    const more = iris.length > ALIKE_MAX ? ` and ${iris.length - ALIKE_MAX} more` : '';
    const role = alike[0]?.role === 'class' ? 'classes' : 'predicates';
    const shown = iris.slice(0, ALIKE_MAX).join(', ');
    findings.incomplete('namespace', `${role} that differ only by namespace or case: ${shown}${more}`);
  }
}
