/** What a run of the plan fuzzer has found, by families: the same things stand in their smallest forms. */
import { addTo } from '../../engine/base/maps.js';
import { show } from '../harness/figures.js';
import type { Duel } from './duel.js';
import type { Finding, FindingFolder } from './folder.js';

export function showDuel({ verdict, oursMs, theirsMs, rows, error }: Duel): string {
  const time = (ms: number | null): string => (ms === null ? 'no answer' : `${show(ms)} ms`);
  return `${verdict}, ${time(oursMs)} against ${time(theirsMs)}, ${rows ?? '?'} rows${error === undefined ? '' : ` (${error})`}`;
}

export function reportFindings(folder: FindingFolder): void {
  const { next, verdicts, logRatios, compared } = folder.progress();
  const counts = Object.entries(verdicts).map(([verdict, count]) => `${verdict} ${count}`);
  console.log(`${next} queries: ${counts.join(', ')}`);
  if (compared > 0) {
    console.log(`geometric mean of ${compared}: ${show(Math.exp(logRatios / compared))} times as fast as the peer`);
  }
  const families = new Map<string, Finding[]>();
  for (const finding of folder.findings()) {
    addTo(families, `${finding.duel.verdict}: ${finding.features.join(', ')}`, finding);
  }
  const bySize = [...families].sort(([, a], [, b]) => b.length - a.length);
  for (const [family, findings] of bySize) {
    const smallest = findings.reduce((a, b) => (b.reduced.length < a.reduced.length ? b : a)) as Finding;
    console.log(`\n${findings.length} x ${family}; ${smallest.number}: ${showDuel(smallest.reducedDuel)}`);
    console.log(`  ${smallest.reduced.replace(/^PREFIX.*\n/, '')}`);
  }
}
