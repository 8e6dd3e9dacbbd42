/**
 * Where the data and suites beside the checkout are. Tests that need them skip where they are
 * absent, with `SHARED_ABSENT` as the reason, so that a full run can tell that they were skipped.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SHARED_ABSENT = 'shared folder absent (SVC_SHARED names another place)';

/** The folder, or null. The environment variable SVC_SHARED overrides its place. */
export function sharedFolder(): string | null {
  // The built file stands at <checkout>/<output>/test/shared.js.
  const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const folder = process.env.SVC_SHARED ?? join(checkout, '..', 'shared');
  return existsSync(folder) ? folder : null;
}
