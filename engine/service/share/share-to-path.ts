/** A share that is written to a directory or an archive, and noted in the registry once it stands there. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { signShare } from '../../governance/share-signatures.js';
import { openSigningIdentity, type SigningSettings } from '../../governance/signing-identity.js';
import { collectShare } from '../../share/build-share.js';
import { type ExportedShare, rowNameOf } from '../../share/exported-shares.js';
import type { ShareManifest } from '../../share/manifest.js';
import { type WrittenShare, writeShare } from '../../share/write-share.js';
import { toQuery } from '../reads/query.js';
import { requirePolicy } from './locate-policy.js';
import { openScope, type SharingStore } from './open-scope.js';
import { checkParent, type ShareOptions } from './share-in-memory.js';

export interface ShareToOptions extends Omit<ShareOptions, 'maxBytes'> {
  readonly actor?: string | undefined;
  /** The key by which the share is signed; absent = it is not. */
  readonly sign?: SigningSettings | undefined;
}

export interface SharedTo extends Pick<WrittenShare, 'unchanged' | 'replaced'> {
  readonly shareId: string;
  readonly manifest: ShareManifest;
  /** IRI of the verifier that signed it; null = nobody. */
  readonly signedBy: string | null;
  readonly warnings: ReadonlyMap<string, number>;
  /** The transaction that notes it; 0 = it was noted already. */
  readonly tx: number;
}

/** Gives the transaction that notes it. */
export type RecordShare = (share: ExportedShare) => Promise<{ readonly tx: number }>;

export async function shareToPath(
  store: SharingStore,
  path: string,
  options: ShareToOptions,
  record: RecordShare,
): Promise<SharedTo> {
  const { parent, turtleView, identifierPolicy, signal, flag, onProgress, sign } = options;
  if (path === '')
    throw new SvcError(
      'invalid_request',
      "'output' is empty; expected a directory, or a name that ends with .qpack.tar.gz",
    );
  checkParent(parent);
  const policy = requirePolicy(store.path, identifierPolicy);
  const identity = sign === undefined ? null : signingIdentity(sign);
  const control: Control = { signal, flag, onProgress };
  const { input, tx, close } = await openScope(store, options, toQuery({ signal }));
  try {
    const share = await collectShare(input, { ...control, policy });
    try {
      const signing = identity === null ? undefined : (shareId: string) => signShare(identity, shareId);
      const written = await writeShare(share, path, { ...control, parent, turtleView, sign: signing });
      const { manifest, unchanged, replaced, signature } = written;
      const row = {
        name: rowNameOf(manifest.share_id),
        scope: manifest.scope,
        tx,
        parent: manifest.lineage.parent_share,
      };
      const noted = await record(row);
      return {
        shareId: manifest.share_id,
        manifest,
        unchanged,
        replaced,
        signedBy: signature?.verifier ?? null,
        warnings: share.warnings,
        tx: noted.tx,
      };
    } finally {
      await share.close();
    }
  } finally {
    close();
  }
}

function signingIdentity(settings: SigningSettings) {
  const identity = openSigningIdentity(settings);
  if (identity !== null) return identity;
  throw new SvcError('configuration', 'there is no signing key, so the share is not signed', {
    hint: 'name a file by SVC_SIGNING_KEY or signing.key_path; one that is not there is made',
  });
}
