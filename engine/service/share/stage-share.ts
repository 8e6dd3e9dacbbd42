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
import { planRewrite } from '../../share/name-rewrite.js';
import { inGraph, subjectsAside, takeAside } from '../../share/split-share.js';
import { TripleStager } from '../../share/stage-triples.js';
import { readVerified } from '../../share/verify-bundle.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import { showInstant } from '../options/store-options.js';
import { blockersOf, type ImportReport, keptReport, LISTED_MAX } from './import-report.js';
import { type Imported, type ImportWork, tellImport } from './import-work.js';
import { LocalJudges } from './local-judges.js';
import { type ResolutionLimits, resolveShare } from './resolve-share.js';

/** What is said of a share besides its contents. */
export interface StagingRequest {
  readonly source: string;
  readonly shapesTurtle: string;
  readonly resolution: ResolutionLimits;
}

export async function stageShare(work: ImportWork, request: StagingRequest): Promise<Imported> {
  const { engine, compiledSets, control, share, stage, registry, events } = work;
  const { shareId, manifest } = share;
  const graph = stagingGraph(shareId);
  const { plan, candidates, judges } = await withSnapshot(stage.before(), async (before) => {
    const plan = await planRewrite(share, before, control);
    const candidates = await resolveShare(engine, before, plan.remaining, request.resolution, control);
    return { plan, candidates, judges: await LocalJudges.of(before, compiledSets, control) };
  });
  events.onlyOwn();
  await withSnapshot(stage.snapshot(), (snapshot) => registry.register(snapshot, graph, { source: 'import' }));
  const stager = new TripleStager(
    stage,
    { shareId, graph, targets: plan.targets, vocabulary: judges.vocabulary },
    LISTED_MAX,
  );
  await readVerified(share.exportNTriples, manifest, control, (line) => stager.take(line));
  stager.flush();
  const conformance = await judges.judge(stage, graph, LISTED_MAX, control);
  const faulty = new Set([...stager.offSubjects, ...conformance.violating]);
  const aside = await setAside(stage, graph, faulty);
  const quarantined = aside.reduce((sum, { rows }) => sum + rows, 0);
  const accepted = stager.staged - quarantined;
  declareLabels(stage, registry, { graph, values: { kind: 'staging' }, validTo: null });
  const report: ImportReport = {
    rewritten: plan.rewritten,
    ...candidates,
    ...blockersOf(stager.off, conformance),
  };
  const { tx } = stage;
  let last = events;
  if (quarantined > 0) {
    last = work.next();
    last.onlyOwn();
    await fillQuarantine(work, aside);
  }
  const row: ImportedShare = {
    name: rowNameOf(shareId),
    state: quarantined > 0 ? 'quarantined' : 'staged',
    source: request.source,
    store: manifest.lineage.store,
    parent: manifest.lineage.parent_share,
    accepted,
    quarantined,
    tx,
    quarantineTx: quarantined > 0 ? stage.tx : null,
    importedAt: showInstant(stage.timestamp),
  };
  IMPORTED_SHARES.store(stage, registry, row);
  const { shapesTurtle: shapes } = request;
  const evidence = { name: row.name, manifest: canonicalJson(manifest), shapes, report: keptReport(report) };
  IMPORT_EVIDENCE.store(stage, registry, evidence);
  tellImport(last, shareId, row);
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
