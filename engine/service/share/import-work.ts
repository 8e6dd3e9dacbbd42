/** What the import of a share works with on its stage, and the event that it ends with. */

import type { Control } from '../../base/control.js';
import type { CompiledSets } from '../../graphs/shapes/compiled-sets.js';
import type { GraphRegistration } from '../../query/registry/registration.js';
import type { ShareSignature } from '../../share/bundle.js';
import { type ImportedShare, importIri, quarantineGraph, stagingGraph } from '../../share/imported-shares.js';
import type { VerifiedShare } from '../../share/verify-bundle.js';
import type { Stage, StorageEngine } from '../../storage/seam/engine.js';
import type { OwnEvents } from '../events/own-events.js';
import type { ImportReport } from './import-report.js';
import type { ResolutionLimits } from './resolve-share.js';

export interface ImportShareRequest {
  /** JSON text. */
  readonly manifest: string;
  readonly shapesTurtle: string;
  readonly signature: ShareSignature | null;
  /** What the operator calls who it came from. */
  readonly source: string;
  /** Judges a share that is in quarantine again, by the shapes of now. */
  readonly recheck: boolean;
  readonly resolution: ResolutionLimits;
}

export interface ImportWork {
  readonly engine: StorageEngine;
  readonly compiledSets: CompiledSets;
  readonly control: Control;
  readonly share: VerifiedShare;
  readonly stage: Stage;
  readonly registry: GraphRegistration;
  readonly events: OwnEvents;
  /** Ends the transaction at hand; what comes then stands in one of its own, with events of its own. */
  readonly next: () => OwnEvents;
}

export interface Imported {
  readonly row: ImportedShare;
  readonly outcome: 'staged' | 'quarantined' | 'unchanged';
  readonly report: ImportReport;
}

/** The event of an import; where something was set aside it is that of the quarantine. */
export function tellImport(events: OwnEvents, shareId: string, row: ImportedShare): void {
  const isStaged = row.state === 'staged';
  const { accepted, quarantined } = row;
  const graph = isStaged ? stagingGraph(shareId) : quarantineGraph(shareId);
  events.add({
    type: isStaged ? 'import.staged' : 'import.quarantined',
    subject: importIri(shareId),
    payload: { share_id: shareId, graph, accepted, quarantined },
  });
}
