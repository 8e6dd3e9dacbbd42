/** A bundle that is verified and not stored: what the command does without a store. */

import type { Control } from '../../base/control.js';
import { checkShareSignature } from '../../governance/share-signatures.js';
import type { ShareSignature } from '../../share/bundle.js';
import { importIri } from '../../share/imported-shares.js';
import { verifyBundle } from '../../share/verify-bundle.js';
import { type BundleInput, toBundle } from './bundle-input.js';
import { bundleOf } from './bundle-of.js';

export async function verifiedOnly(input: BundleInput, control: Control) {
  const { document, ...texts } = await toBundle(input, control);
  const { shareId, manifest } = await verifyBundle(await bundleOf(texts, [document]), control);
  const { signature } = texts;
  return {
    outcome: 'verified' as const,
    share_id: shareId,
    import: importIri(shareId),
    graph: null,
    quarantine_graph: null,
    accepted: manifest.counts.triples,
    quarantined: 0,
    rewritten: [],
    resolution_candidates: [],
    names_left_out: 0,
    shacl: { conforms: true, violations: [], warnings: [], infos: [] },
    promotion_blockers: [],
    truncated: false,
    parent_known: false,
    ...(signature === null ? {} : { signature: shown(shareId, signature) }),
    tx_id: 0,
  };
}

/** Nobody is registered where there is no store. */
function shown(shareId: string, signature: ShareSignature) {
  const { verifier, public_key } = signature;
  return { verifier, public_key, valid: checkShareSignature(shareId, signature, []).valid, trusted: false };
}
