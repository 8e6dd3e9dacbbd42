/** Ends a fork without bringing it into ROOT. What it holds stays readable by the IRI of its graph. */

import { FORKS } from '../../query/registry/fork-rows.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import type { Stage } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import { openForkOf } from './forks.js';

export function dropFork(stage: Stage, registry: GraphRegistration, name: string): void {
  const fork = lookInto(stage.before(), (before) => openForkOf(before, name, 'dropped'));
  FORKS.store(stage, registry, { ...fork, status: 'dropped' });
}
