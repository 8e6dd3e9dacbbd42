/**
 * A verified share on its way into the graphs of its own (semantics text 6.8 C to I): rewritten, judged by the shapes and the
 * vocabulary of this store, and parted by subject into what is staged and what is set aside.
 */

import { declareLabels } from '../../graphs/labels/declare-labels.js';
import { terms } from '../../rdf/terms.js';
import { rowNameOf } from '../../share/exported-shares.js';
import {
  IMPORT_EVIDENCE,
  IMPORTED_SHARES,
  type ImportedShare,
  quarantineGraph,
  stagingGraph,
} from '../../share/imported-shares.js';
import { canonicalJson } from '../../share/manifest.js';
import { planRewrite, type RewritePlan } from '../../share/name-rewrite.js';
import { inGraph, subjectsAside, takeAside } from '../../share/split-share.js';
import { TripleStager } from '../../share/stage-triples.js';
import { readVerified } from '../../share/verify-bundle.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { showInstant } from '../options/store-options.js';
import { blockersOf, type ImportReport, keptReport, LISTED_MAX, type NameCandidates } from './import-report.js';
import { type Imported, type ImportWork, tellImport } from './import-work.js';
import { LocalJudges } from './local-judges.js';
import { type ResolutionLimits, resolveShare } from './resolve-share.js';

/** What is said of a share besides its contents. */
export interface StagingRequest {
  readonly source: string;
  readonly shapesTurtle: string;
  readonly resolution: ResolutionLimits;
}

/** Found out before anything is staged. */
export interface Prepared {
  readonly plan: RewritePlan;
  readonly candidates: NameCandidates;
  readonly judges: LocalJudges;
}

export async function prepareShare(
  { engine, compiledSets, control, share }: Pick<ImportWork, 'engine' | 'compiledSets' | 'control' | 'share'>,
  before: StorageSnapshot,
  { resolution }: StagingRequest,
): Promise<Prepared> {
  const plan = await planRewrite(share, before, control);
  const candidates = await resolveShare(engine, before, plan.remaining, resolution, control);
  return { plan, candidates, judges: await LocalJudges.of(before, compiledSets, control) };
}

export async function stageShare(work: ImportWork, request: StagingRequest): Promise<Imported> {
  const { control, share, stage } = work;
  const { shareId, manifest } = share;
  const graph = stagingGraph(shareId);
  const { plan, candidates, judges } = await withSnapshot(stage.before(), (before) =>
    prepareShare(work, before, request),
  );
  await openStaging(work);
  const { targets } = plan;
  const stager = new TripleStager(stage, { shareId, graph, targets, vocabulary: judges.vocabulary }, LISTED_MAX);
  await readVerified(share.exportNTriples, manifest, control, (line) => stager.take(line));
  stager.flush();
  const conformance = await judges.judge(stage, graph, LISTED_MAX, control);
  const aside = await setAside(stage, graph, new Set([...stager.offSubjects, ...conformance.violating]));
  const quarantined = aside.reduce((sum, { rows }) => sum + rows, 0);
  const { rewritten } = plan;
  const report: ImportReport = { rewritten, ...candidates, ...blockersOf(stager.off, conformance) };
  const { tx } = stage;
  let { events } = work;
  if (quarantined > 0) {
    events = work.next();
    events.onlyOwn();
    await fillQuarantine(work, aside);
  }
  return recordImport({ ...work, events }, request, {
    tx,
    quarantineTx: quarantined > 0 ? stage.tx : null,
    accepted: stager.staged - quarantined,
    quarantined,
    report,
  });
}

/** Registers the staging graph, and says what it is. */
export async function openStaging({ share, stage, registry, events }: ImportWork): Promise<void> {
  const graph = stagingGraph(share.shareId);
  events.onlyOwn();
  await withSnapshot(stage.snapshot(), (snapshot) => registry.register(snapshot, graph, { source: 'import' }));
  declareLabels(stage, registry, { graph, values: { kind: 'staging' }, validTo: null });
}

interface Parted extends Pick<ImportedShare, 'tx' | 'quarantineTx' | 'accepted' | 'quarantined'> {
  readonly report: ImportReport;
}

/** Writes the rows of an import, and its event, in the last of its transactions. */
export function recordImport(
  { share, stage, registry, events }: ImportWork,
  { source, shapesTurtle: shapes }: StagingRequest,
  { report, ...parted }: Parted,
): Imported {
  const { shareId, manifest } = share;
  const { store, parent_share: parent } = manifest.lineage;
  const row: ImportedShare = {
    name: rowNameOf(shareId),
    state: parted.quarantined > 0 ? 'quarantined' : 'staged',
    source,
    store,
    parent,
    ...parted,
    importedAt: showInstant(stage.timestamp),
  };
  IMPORTED_SHARES.store(stage, registry, row);
  const evidence = { name: row.name, manifest: canonicalJson(manifest), shapes, report: keptReport(report) };
  IMPORT_EVIDENCE.store(stage, registry, evidence);
  tellImport(events, shareId, row);
  return { row, outcome: row.state === 'staged' ? 'staged' : 'quarantined', report };
}

/** Takes the triples of faulty subjects, and of what goes with them, out of the staging graph. */
async function setAside(stage: Stage, graph: string, faulty: ReadonlySet<TermId>): Promise<QuadColumns[]> {
  if (faulty.size === 0) return [];
  return withSnapshot(stage.snapshot(), (snapshot) => {
    const id = stage.intern(terms.namedNode(graph));
    return takeAside(stage, snapshot, id, subjectsAside(snapshot, id, faulty));
  });
}

async function fillQuarantine({ share, stage, registry }: ImportWork, aside: readonly QuadColumns[]): Promise<void> {
  const graph = quarantineGraph(share.shareId);
  await withSnapshot(stage.snapshot(), (snapshot) => registry.register(snapshot, graph, { source: 'import' }));
  const id = stage.intern(terms.namedNode(graph));
  for (const quads of aside) stage.assertIds(inGraph(quads, id));
  declareLabels(stage, registry, { graph, values: { kind: 'quarantine' }, validTo: null });
}
