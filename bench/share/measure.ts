/**
 * Shares between two stores, step by step, in a process of its own: one gives a directory, the other imports and promotes it, adds
 * some facts and takes some away, and gives its own; the first looks at it, and merges it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { invariant } from '../../engine/base/errors.js';
import { openStore } from '../../interfaces/library/index.js';
import { peakMemoryBytes } from '../harness/child.js';
import { CHANGES, type ShareFigures, type ShareStep } from './case.js';

const POLICY = { id: 'secret', tier: 'block', match: 'literal', pattern: 'never to be told' };

export interface ShareTask {
  readonly task: 'share';
  readonly input: string;
  /** For stores and shares; empty. */
  readonly folder: string;
}

export async function measureShare({ input, folder }: ShareTask): Promise<ShareFigures> {
  const figures: ShareFigures = {};
  const timed = async <Result>(step: ShareStep, work: () => Promise<Result>): Promise<Result> => {
    const [begin, cpu] = [performance.now(), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(cpu);
    figures[`${step}.wall`] = performance.now() - begin;
    figures[`${step}.cpu`] = (user + system) / 1000;
    return result;
  };
  const identifierPolicy = join(folder, 'policy.json');
  writeFileSync(identifierPolicy, JSON.stringify({ version: 1, entries: [POLICY] }));
  const place = (name: string): string => join(folder, name);
  const [ours, theirs] = [await openStore(place('ours.svc')), await openStore(place('theirs.svc'))];
  try {
    await ours.load(input);
    const first = await timed('share', () => ours.shareTo(place('first'), { identifierPolicy }));
    const again = await timed('unchanged', () => ours.shareTo(place('first'), { identifierPolicy }));
    invariant(again.unchanged, 'a graph that has not changed gives the same share');
    const { shareId } = await timed('import', () => theirs.importShare(place('first')));
    await timed('promote', () => theirs.promoteShare(shareId));
    const more = Array.from({ length: CHANGES }, (_, at) => `<urn:bench:${at}> <urn:bench:p> ${at} .`);
    await theirs.load({ text: more.join('\n'), format: 'turtle' });
    await theirs.update(`DELETE { ?s ?p ?o } WHERE { { SELECT ?s ?p ?o { ?s ?p ?o } LIMIT ${CHANGES} } }`);
    await theirs.shareTo(place('second'), { identifierPolicy, parent: shareId });
    const { base, would } = await timed('status', () => ours.shareStatus(place('second')));
    const differences = would.assert + would.retract;
    invariant(base === first.shareId && differences > 0 && differences <= 2 * CHANGES, `${differences} differences`);
    const merged = await timed('merge', () => ours.mergeShare(place('second')));
    invariant(merged.outcome === 'merged' && merged.asserted + merged.retracted === differences, 'all of it is merged');
    figures.facts = first.manifest.counts.triples;
    figures.peakBytes = peakMemoryBytes();
    return figures;
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}
