/** What a run has found, in a folder: how far it is, and a file for each finding. A run that was stopped goes on from there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duel, Verdict } from './duel.js';

export interface Progress {
  /** Number of the query that comes next. */
  readonly next: number;
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  /** Sum of the logarithms of the peer's time over ours, where both take half a millisecond, and how many those are. */
  readonly logRatios: number;
  readonly compared: number;
}

export interface Finding {
  readonly seed: number;
  readonly number: number;
  readonly world: number;
  readonly triples: number;
  readonly text: string;
  readonly duel: Duel;
  readonly reduced: string;
  readonly reducedDuel: Duel;
  /** What stands in the reduced query. */
  readonly features: readonly string[];
}

const NOTHING: Progress = { next: 0, verdicts: {}, logRatios: 0, compared: 0 };
const PROGRESS = 'progress.json';

export class FindingFolder {
  constructor(readonly path: string) {
    mkdirSync(path, { recursive: true });
  }

  progress(): Progress {
    const path = join(this.path, PROGRESS);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Progress) : NOTHING;
  }

  writeProgress(progress: Progress): void {
    this.write(PROGRESS, progress);
  }

  add(finding: Finding): void {
    this.write(`${finding.duel.verdict}-${String(finding.number).padStart(6, '0')}.json`, finding);
  }

  findings(): Finding[] {
    const names = readdirSync(this.path).filter((name) => /^\w+-\d+\.json$/.test(name));
    return names.sort().map((name) => JSON.parse(readFileSync(join(this.path, name), 'utf8')) as Finding);
  }

  /** Whole or not at all. */
  private write(name: string, content: object): void {
    const path = join(this.path, name);
    writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`);
    renameSync(`${path}.new`, path);
  }
}
