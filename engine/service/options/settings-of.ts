/** What the configuration says of stores, as they are opened with it. */

import type { Configuration } from '../configuration/configuration.js';
import { featuresOf } from '../configuration/features.js';
import { archiveSettings } from './archive-settings.js';
import { embeddingOptions } from './embedding-options.js';
import type { OpenOptions } from './store-options.js';

export type StoreSettings = Pick<
  OpenOptions,
  'validateOnWrite' | 'gateTimeoutMs' | 'rulesTimeoutMs' | 'archives' | 'features' | 'owl' | 'governance' | 'embeddings'
>;

export function storeSettings(configuration: Configuration): StoreSettings {
  const { shacl, owl, governance, signing, update } = configuration;
  return {
    validateOnWrite: shacl.validate_on_write,
    gateTimeoutMs: shacl.timeout_ms,
    rulesTimeoutMs: update.timeout_ms,
    archives: archiveSettings(configuration),
    features: featuresOf(configuration),
    embeddings: embeddingOptions(configuration),
    owl: { validateOnWrite: owl.validate_on_write, reactiveMaterialize: owl.reactive_materialize },
    governance: {
      enforceOnWrite: governance.enforce_on_write,
      validatePlacement: governance.validate_placement,
      enforceAuthority: governance.enforce_authority,
      signing: { keyPath: signing.key_path, verifier: signing.verifier },
    },
  };
}
