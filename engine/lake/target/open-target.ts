/** The place that an address names: `s3://bucket/prefix`, or a folder. */

import { SvcError } from '../../base/errors.js';
import { FolderTarget } from './folder-target.js';
import { isS3 } from './s3-client.js';
import type { LakeTarget } from './target.js';

export async function openTarget(address: string): Promise<LakeTarget> {
  if (isS3(address)) {
    const { S3Target } = await import('./s3-target.js');
    return S3Target.open(address);
  }
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(address)?.[1];
  if (scheme !== undefined) {
    throw new SvcError('unsupported', `a lake stands in a folder or at s3://bucket/prefix, not at ${scheme}://`, {
      hint: 'name a folder or s3://bucket/prefix',
    });
  }
  return new FolderTarget(address);
}
