/** All that `svc doctor` looks at, in the order in which one thing depends on another. Nothing is written. */

import { programVersion } from '../../../engine/base/program.js';
import { examineConfiguration } from './configuration.js';
import { judgeEnvironment, readEnvironment } from './environment.js';
import type { Finding } from './finding.js';
import { examineServer } from './server.js';
import { examineStore } from './store.js';

export interface DoctorOptions {
  readonly db: string | undefined;
  readonly config: string | undefined;
}

export async function examine({ db, config }: DoctorOptions): Promise<Finding[]> {
  const { configuration, findings } = await examineConfiguration(config);
  const facts = await readEnvironment(configuration);
  const path = db ?? configuration.store_path;
  const store =
    facts.nativeTrouble === null
      ? await examineStore(path, {
          named: db !== undefined,
          now: facts.now,
          baseNamespace: configuration.base_ns,
        })
      : { findings: [], inspection: null };
  return [
    ...judgeEnvironment(facts, configuration),
    ...findings,
    ...store.findings,
    ...(await examineServer(configuration, programVersion(), path, store.inspection)),
  ];
}
