/** A policy in a document of its own, such as `svc policy draft` writes: not stored yet, so that it judges nothing. */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { type Policy, policyOf } from '../../governance/policies.js';
import { GovernanceRecord } from '../../governance/records.js';
import { readDocument } from '../../rdf/formats/reader.js';
import { RDF_NS, terms } from '../../rdf/terms.js';

/** What messages call the document. */
const NAME = 'the policy';

/** The one policy of a document in Turtle. `base`: the namespace of the store, in which the vocabulary lives. */
export async function readPolicy(turtle: string, base: string, signal?: AbortSignal): Promise<Policy> {
  let anonymous = 0;
  const quads = await readDocument(turtle, {
    format: 'turtle',
    sourceName: NAME,
    signal,
    blankNode: (label) => terms.blankNode(label === null ? `a${anonymous++}` : `l-${label}`),
  });
  const records = new Map<string, Map<string, string[]>>();
  const policies = new Set<string>();
  for (const { subject, predicate, object } of quads) {
    const node = subject.termType === 'BlankNode' ? `_:${subject.value}` : subject.value;
    if (predicate.value === `${RDF_NS}type` && object.value === `${base}Policy`) policies.add(node);
    if (!predicate.value.startsWith(base)) continue;
    const values = getOrInsert(records, node, () => new Map<string, string[]>());
    getOrInsert(values, predicate.value.slice(base.length), () => []).push(object.value);
  }
  const [iri, ...others] = policies;
  if (iri === undefined) {
    throw new SvcError('invalid_request', `${NAME}: the document holds no node of the class <${base}Policy>`, {
      hint: 'svc policy draft writes one; the vocabulary lives in the namespace of the store (base_ns)',
    });
  }
  if (others.length > 0) {
    const names = [...policies].map((one) => `<${one}>`).join(', ');
    throw new SvcError('invalid_request', `${NAME}: the document holds ${policies.size} policies: ${names}`, {
      hint: 'put each into a document of its own',
    });
  }
  const record = new GovernanceRecord(iri, records.get(iri) ?? new Map());
  refuseUnjudging(record);
  return policyOf(record);
}

/** What the gate would pass over would never fire. */
function refuseUnjudging(record: GovernanceRecord): void {
  for (const property of ['targets', 'claim']) {
    if (record.all(property).length === 0) {
      throw new SvcError('invalid_request', `${NAME} <${record.node}> has no ${property}, so it judges nothing`);
    }
  }
  const boundaries = record.all('boundary');
  if (boundaries.includes('action')) return;
  const said = boundaries.length === 0 ? 'it has none' : `it is ${boundaries.map((one) => `'${one}'`).join(', ')}`;
  throw new SvcError('invalid_request', `${NAME} <${record.node}> judges no writes by its boundary: ${said}`, {
    hint: "its boundary has to be 'action'",
  });
}
