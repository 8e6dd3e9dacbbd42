/** A golden path as Turtle, to be read, changed and loaded by whoever asked for it (ruling R54); nothing is written. */

import { SvcError } from '../../base/errors.js';
import type { InterruptLimits } from '../../base/interrupt.js';
import { termToString } from '../../rdf/canonical/lines.js';
import { terms } from '../../rdf/terms.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { toIri } from '../facts/entity.js';
import { checkSteps } from './backtest.js';
import { FactLookups } from './fact-lookups.js';
import { GRAMMAR } from './grammar.js';
import { knownTrajectory, noSteps, stepsOf, wordsOf } from './steps.js';

export interface PathDraft {
  readonly name: string;
  readonly label: string;
  /** Derivation predicates by which its steps were judged. */
  readonly via?: readonly string[] | undefined;
  /** Steps that it leaves out, each with the decision that allows it at the same place of `by`. */
  readonly omit?: readonly string[] | undefined;
  readonly by?: readonly string[] | undefined;
  /** Steps that led nowhere. */
  readonly deadEnds?: readonly string[] | undefined;
}

const NAME = /^[A-Za-z0-9_-]{1,128}$/;

export interface PathDraftOptions extends InterruptLimits {
  /** Namespace of the vocabulary; absent = that of the store. */
  readonly baseNs?: string | undefined;
}

export async function draftPath(
  snapshot: StorageSnapshot,
  trajectory: string,
  { name, label, via = [], omit = [], by = [], deadEnds = [] }: PathDraft,
  options: PathDraftOptions,
  baseNamespace: string,
): Promise<{ readonly iri: string; readonly turtle: string }> {
  if (!NAME.test(name)) {
    throw new SvcError('invalid_request', `'name' is ${JSON.stringify(name)}; expected 1 to 128 of A-Z a-z 0-9 _ -`);
  }
  if (omit.length !== by.length) {
    throw new SvcError('invalid_request', `${omit.length} steps are omitted by ${by.length} decisions`, {
      hint: 'give omit and by in pairs: each step that is left out is left out by a decision',
    });
  }
  const words = wordsOf(options.baseNs, baseNamespace);
  const pace = new Pace(options, 'the draft');
  await pace.turn();
  const facts = new FactLookups(snapshot, { pace, memory: new MemoryBound() });
  const id = knownTrajectory(snapshot, trajectory, 'trajectory');
  const steps = (await stepsOf(facts, words, [id])).get(id) ?? [];
  if (steps.length === 0) throw noSteps(trajectory);
  checkSteps(trajectory, steps, 'omit', omit);
  checkSteps(trajectory, steps, 'dead_end', deadEnds);
  const node = (iri: string, field: string): string => termToString(toIri(iri, field));
  const word = (local: string): string => termToString(terms.namedNode(words.of(local)));
  const omissions = omit.map((step, at) => {
    const parts = [
      `    a ${word('PathOmission')}`,
      `    ${word('prunedFrom')} ${node(trajectory, 'trajectory')}`,
      `    ${word('omitsStep')} ${node(step, 'omit')}`,
      `    ${word('omissionAuthority')} ${node(by[at] as string, 'by')}`,
    ];
    return `${word('hasOmission')} [\n${parts.join(' ;\n')}\n  ]`;
  });
  const says = [
    `a ${word('GoldenPath')}`,
    `<http://www.w3.org/2000/01/rdf-schema#label> ${termToString(terms.literal(label))}`,
    `${word('exemplar')} ${node(trajectory, 'trajectory')}`,
    `${word('grammar')} ${termToString(terms.literal(GRAMMAR))}`,
    ...via.map((one) => `${word('via')} ${node(one, 'via')}`),
    ...deadEnds.map((one) => `${word('deadEnd')} ${node(one, 'dead_end')}`),
    ...omissions,
  ];
  const iri = words.of(`golden_path_${name}`);
  return { iri, turtle: `${termToString(terms.namedNode(iri))}\n  ${says.join(' ;\n  ')} .\n` };
}
