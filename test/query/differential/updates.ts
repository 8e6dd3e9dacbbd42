/** Random requests of SPARQL Update: a few operations of every kind, one after the other. */

import { separated, type Tree, tree } from '../../../bench/plan-fuzz/tree.js';
import { GRAPHS, NODES, PREDICATES, randomTriple, type Vocabulary } from './data.js';
import { QueryScope, randomGroup, topScope } from './patterns.js';
import type { Random } from './random.js';

export function randomUpdate(random: Random, vocabulary: Vocabulary): Tree {
  const operations = random.list(1, 4, () => randomOperation(random, vocabulary));
  return tree(separated(operations, ' ;\n'), { feature: 'UPDATE' });
}

function randomOperation(random: Random, vocabulary: Vocabulary): Tree {
  const operation = (feature: string, parts: readonly (string | Tree)[]) =>
    tree(parts, { sort: 'operation', optional: true, feature });
  // Blank nodes of DELETE DATA are not allowed; those of INSERT DATA are new ones.
  const ground: Vocabulary = { ...vocabulary, blankNodes: [] };
  const graph = () => random.pick(GRAPHS);
  const target = () => random.pick(['DEFAULT', ...GRAPHS]);
  const silent = 'SILENT ';
  return random.weighted<() => Tree>([
    [
      3,
      () =>
        operation('INSERT DATA', [
          'INSERT DATA { ',
          ...randomQuads(random, () => randomTriple(random, vocabulary)),
          '}',
        ]),
    ],
    [
      3,
      () =>
        operation('DELETE DATA', ['DELETE DATA { ', ...randomQuads(random, () => randomTriple(random, ground)), '}']),
    ],
    [
      2,
      () =>
        operation('DELETE WHERE', [
          'DELETE WHERE { ',
          ...randomQuads(random, () => randomTemplate(random, ground, false)),
          '}',
        ]),
    ],
    [6, () => operation('modify', modifyParts(random, vocabulary))],
    [
      1,
      () =>
        operation('CLEAR', [
          `${random.pick(['CLEAR', 'DROP'])} ${silent}${random.pick(['DEFAULT', 'NAMED', 'ALL', `GRAPH ${graph()}`])}`,
        ]),
    ],
    [1, () => operation('CREATE', [`CREATE ${silent}GRAPH ${graph()}`])],
    [
      2,
      () =>
        operation('ADD, COPY, MOVE', [`${random.pick(['ADD', 'COPY', 'MOVE'])} ${silent}${target()} TO ${target()}`]),
    ],
  ])();
}

function randomQuads(random: Random, triple: () => string): Tree[] {
  return random.list(1, 3, () => {
    const text = `${triple()} .`;
    return tree([random.once(3) ? `GRAPH ${random.pick(GRAPHS)} { ${text} } ` : `${text} `], { optional: true });
  });
}

function randomTemplate(random: Random, vocabulary: Vocabulary, blank: boolean): string {
  const variable = () => random.pick(['?a', '?b', '?c', '?d']);
  const node = () => (random.once(4) ? random.pick(blank ? [...NODES, '_:new'] : NODES) : variable());
  const object = () => (random.once(6) ? random.pick(vocabulary.literals) : node());
  return `${node()} ${random.once(4) ? variable() : random.pick(PREDICATES)} ${object()}`;
}

function modifyParts(random: Random, vocabulary: Vocabulary): (string | Tree)[] {
  const scope = topScope(new QueryScope(random, vocabulary), random.between(0, 1));
  const template = (blank: boolean): Tree[] =>
    random.list(1, 2, () => {
      const text = `${randomTemplate(random, vocabulary, blank)} .`;
      const graph = random.weighted([
        [4, null],
        [1, random.pick(GRAPHS)],
        [1, random.pick(['?a', '?b'])],
      ]);
      return tree([graph === null ? `${text} ` : `GRAPH ${graph} { ${text} } `], { optional: true });
    });
  const part = (keyword: string, parts: readonly Tree[]) =>
    tree([`${keyword} { `, ...parts, '} '], { optional: true, feature: keyword });
  const kinds = random.pick(['delete', 'insert', 'both']);
  return [
    random.once(4) ? tree([`WITH ${random.pick(GRAPHS)} `], { optional: true, feature: 'WITH' }) : '',
    kinds === 'insert' ? '' : part('DELETE', template(false)),
    kinds === 'delete' ? '' : part('INSERT', template(random.once(3))),
    random.once(5) ? tree([`USING ${random.pick(GRAPHS)} `], { optional: true, feature: 'USING' }) : '',
    random.once(8) ? tree([`USING NAMED ${random.pick(GRAPHS)} `], { optional: true, feature: 'USING NAMED' }) : '',
    'WHERE ',
    randomGroup(scope),
  ];
}
