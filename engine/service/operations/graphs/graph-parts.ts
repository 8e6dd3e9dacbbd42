/** What an entry of a list of graphs says besides its row: the labels that are declared, and where the content comes from. */

import { parseKind } from '../../../graphs/labels/parse-labels.js';
import type { RegisteredGraph } from '../../../graphs/list-graphs.js';
import { GRAPH_KINDS } from '../../../query/registry/label-rows.js';
import type { Configuration } from '../../configuration/configuration.js';
import { nullable, type Static, Type, textOrNull } from '../../requests/schema.js';

export const trustSchema = Type.Object({
  iri: Type.String(),
  chain: Type.String(),
  rank: Type.Integer('higher = more trusted, within one chain'),
});

export const labelsSchema = Type.Object(
  {
    freshness: textOrNull,
    durability: textOrNull,
    trust: nullable(trustSchema),
    policy: nullable(Type.Array(Type.String())),
    kind: textOrNull,
  },
  'null on an axis = undeclared, or expired',
);

export const materializationSchema = Type.Object(
  {
    mapping: Type.String(),
    mapping_closure_hash: Type.String(),
    external_truth: Type.String(),
    verified_source_hash: Type.String(),
    tx: Type.Integer('transaction that wrote the content'),
    timestamp: textOrNull,
    superseded: Type.Optional(Type.Boolean('true: something was written into the graph since')),
  },
  'which mapping made the content of which source; absent where nothing is recorded',
);

/** `timestampOf`: that of a transaction, null where there is none. */
export function partsOf(
  { labels, materialization }: RegisteredGraph,
  timestampOf: (tx: number) => string | null,
): { labels: Static<typeof labelsSchema>; materialization?: Static<typeof materializationSchema> } {
  if (materialization === null) return { labels };
  const { mapping, mappingClosureHash, externalTruth, verifiedSourceHash, tx, superseded } = materialization;
  const shown = {
    mapping,
    mapping_closure_hash: mappingClosureHash,
    external_truth: externalTruth,
    verified_source_hash: verifiedSourceHash,
    tx,
    timestamp: timestampOf(tx),
  };
  return { labels, materialization: superseded ? { ...shown, superseded } : shown };
}

export const kindField = Type.String(`a kind: ${GRAPH_KINDS.join(', ')}, or one of labels.extra_kinds`);

/** A kind of a request, strictly; absent stays absent. */
export function kindOf(kind: string | undefined, { labels }: Configuration): string | undefined {
  return kind === undefined ? undefined : parseKind(kind, labels.extra_kinds);
}
