/** What the configuration says of frozen graphs, as a store is opened with it. */

import type { Configuration } from '../configuration/configuration.js';
import type { ArchiveSettings } from './store-options.js';

export function archiveSettings({ archives }: Configuration): ArchiveSettings {
  return { dir: archives.dir, asOf: archives.as_of, openMax: archives.open_max };
}
