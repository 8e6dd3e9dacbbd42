/** The manifest of the test vector of semantics text 6.5: SH-1's graph, of a store whose identity is given. */
import type { ManifestFields } from '../../engine/share/manifest.js';

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const VECTOR: ManifestFields = {
  version: 'v1',
  scope: { kind: 'root', value: null },
  files: {
    'export.nt': { sha256: 'defbb5d873db4ff5d942b1cd9cb95d8a8966a8b5aa6321be170ef8f76e126cf2', bytes: 208 },
    'shapes.ttl': { sha256: EMPTY, bytes: 0 },
  },
  counts: { triples: 3, blank_nodes: 0, shapes: 0 },
  shapes: [],
  lineage: { store: 'urn:svc:store:00000000-0000-4000-8000-000000000001', anchor_tx: 1, parent_share: null },
  canonicalization: 'rdfc-1.0+ntriples',
  generator: 'svc-share/1',
};
