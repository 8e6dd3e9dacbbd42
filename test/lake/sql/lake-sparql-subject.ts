/** A lake as a subject of the SPARQL suites. */

import { SvcError } from '../../../engine/base/errors.js';
import { type Question, quadsOf, type SparqlSubject } from '../../conformance/sparql/subjects.js';
import { LakeSubject, queryLakeAnswer } from './lake-subject.js';

export function lakeSparqlSubject(): SparqlSubject {
  let opened: LakeSubject | null = null;
  const subject = async (): Promise<LakeSubject> => {
    opened ??= await LakeSubject.open();
    return opened;
  };
  return {
    name: 'lake',
    fill: async (data) => (await subject()).fill(await quadsOf(data)),
    async ask({ text, options }: Question) {
      if (options.inference === true || options.inferred === true) {
        throw new SvcError('unsupported', 'a lake holds what was asserted; nothing is inferred from it');
      }
      return queryLakeAnswer(await subject(), text, options);
    },
    update: async () => {
      throw new Error('a lake takes no updates');
    },
    contents: async () => [],
    close: async () => {
      await opened?.close();
    },
  };
}
