/**
 * Holds the house rules that a machine can hold: order of rooms, cycles, one owner per third-party
 * package, forbidden words, length of files, dead files, twins of kernels. Prints `file:line: what`
 * and exits 1 when something is wrong.
 *   node dist/tools/tidy.js [--owners | --invariants]
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkComments } from './tidy/comments.js';
import { checkDead, checkTwins } from './tidy/dead.js';
import { checkInnerOrder } from './tidy/inner-order.js';
import { checkInvariants, countInvariants } from './tidy/invariants.js';
import { checkLock, type LockFile } from './tidy/lock.js';
import { checkDecisionNumbers, checkDocumentMentions, checkMentions, decisionsOf } from './tidy/mentions.js';
import { checkOwners, findOwners, type Manifest } from './tidy/owners.js';
import { checkArrows, checkCycles } from './tidy/rooms.js';
import { checkSizes } from './tidy/sizes.js';
import { listFiles, type Problem, readSources, type SourceFile } from './tidy/sources.js';
import { checkDocumentWords, checkWords } from './tidy/words.js';

/** The checkout, from the built file two folders below it. */
export const CHECKOUT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export function judge(files: readonly SourceFile[], manifest: Manifest): Problem[] {
  return [
    ...checkArrows(files),
    ...checkCycles(files),
    ...checkInnerOrder(files),
    ...checkOwners(files, manifest),
    ...checkWords(files),
    ...checkSizes(files),
    ...checkComments(files),
    ...checkInvariants(files),
    ...checkDead(files),
    ...checkTwins(files),
  ];
}

export function tidy(root: string): Problem[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const documents = ['docs', 'bin', 'deploy', '.ci'].flatMap((folder) => listFiles(root, folder));
  const named = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'package.json', 'biome.json', 'tsconfig.json'].filter(
    (name) => existsSync(join(root, name)),
  );
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const files = readSources(root);
  const known = { paths: [...files.map(({ path }) => path), ...documents], decisions: decisionsOf(documents) };
  const problems = [
    ...judge(files, manifest),
    ...checkMentions(files, known),
    ...checkLock(lock),
    ...checkDecisionNumbers(documents),
  ];
  for (const path of [...documents, ...named]) {
    const text = readFileSync(join(root, path), 'utf8');
    problems.push(...checkDocumentWords(path, text), ...checkDocumentMentions(path, text, known));
  }
  return problems.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

function main(): void {
  if (process.argv.includes('--owners')) {
    for (const { packageName, places } of findOwners(readSources(CHECKOUT))) {
      console.log(`${packageName}  ${places.map((place) => place.path).join(' ')}`);
    }
    return;
  }
  if (process.argv.includes('--invariants')) {
    for (const [room, count] of countInvariants(readSources(CHECKOUT))) console.log(`${room}  ${count}`);
    return;
  }
  const problems = tidy(CHECKOUT);
  for (const { path, line, message } of problems) console.error(`${path}:${line}: ${message}`);
  console.log(problems.length === 0 ? 'tidy: nothing to say' : `tidy: ${problems.length} problem(s)`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
