/** The part of the benchmark that measures ontologies: data like those of LUBM, of 1 M facts, and of 10 M with `--sizes 10M`; VLog beside it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RDF_NS } from '../../engine/rdf/terms.js';
import { parseSize } from '../data/data-set.js';
import { type Answer, coresFor, isError, measureApart } from '../harness/child.js';
import { show } from '../harness/figures.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { Table } from '../harness/table.js';
import { loadApart } from '../load/load.js';
import type { BenchOptions } from '../options.js';
import { provideUniversities, universityOntology } from './lubm.js';
import type { OwlFigures } from './measure-owl.js';
import { ask, type PeerFigures, prepareVlog } from './rule-peers.js';
import { besideOne } from './rules.js';

const SIZES = ['1M', '10M'] as const;
/** The code of commits is warm after some hundreds. */
const COMMITS = 600;

interface Measured {
  readonly size: string;
  readonly figures: OwlFigures;
  /** Null = not asked, or not there. */
  readonly vlog: PeerFigures | null;
}

export async function measureAllOwl(options: BenchOptions): Promise<{ tables: Table[]; results: Measured[] }> {
  const results: Measured[] = [];
  for (const size of SIZES) {
    if (!options.sizes.includes(size)) continue;
    const document = provideUniversities(parseSize(size), console.error);
    const store = scratchPath('owl.svc');
    await loadApart(document, store, options.cpus);
    const task = { task: 'reason-owl', store, rounds: options.runs, commits: COMMITS };
    const answer: Answer<OwlFigures> = await measureApart(task, coresFor(options.cpus, 1));
    removeStore(store);
    if (isError(answer)) console.error(`ontologies ${size}: ${answer.error}`);
    // VLog reads documents of 10 M triples, too, and takes a minute for them: one size says enough.
    else
      results.push({ size, figures: answer, vlog: options.peers && size === '1M' ? askVlog(document, answer) : null });
  }
  const table = {
    title: 'Ontologies',
    note: 'CPU milliseconds; finding: the least of the runs; commits: the least mean of 20, with and without the ontology in turn.',
    columns: ['size', 'facts', 'derived', 'what', 'ms'],
    rows: results.flatMap(({ size, figures: { facts, derived, cpuMs }, vlog }) => [
      ...Object.entries(cpuMs).map(([what, ms]) => [size, String(facts), String(derived), what, show(ms)]),
      ...(vlog === null
        ? []
        : [
            [
              size,
              String(facts),
              String(vlog.found),
              'VLog, loading included',
              besideOne(vlog, derived, cpuMs['find what follows'] as number),
            ],
          ]),
    ]),
  };
  return { tables: results.length === 0 ? [] : [table], results };
}

/** What the axioms mean, as rules over triples `TE` of facts and `S` of the ontology. */
function vlogRules(document: string, ontology: string): string {
  const [RDFS, OWL, TYPE] = [
    'http://www.w3.org/2000/01/rdf-schema#',
    'http://www.w3.org/2002/07/owl#',
    `<${RDF_NS}type>`,
  ];
  const schema = (name: string) => (x: string, y: string) => `S(${x}, <${name}>, ${y})`;
  const [below, under] = [schema(`${RDFS}subClassOf`), schema(`${RDFS}subPropertyOf`)];
  const [classes, properties] = [schema(`${OWL}equivalentClass`), schema(`${OWL}equivalentProperty`)];
  const [inverse, domain, range] = [schema(`${OWL}inverseOf`), schema(`${RDFS}domain`), schema(`${RDFS}range`)];
  const is = (kind: string) => `S(?P, ${TYPE}, <${OWL}${kind}>)`;
  return [
    `@source TE0[3]: load-rdf("${document}") .`,
    `@source S0[3]: load-rdf("${ontology}") .`,
    'TE(?S, ?P, ?O) :- TE0(?S, ?P, ?O) .',
    'S(?S, ?P, ?O) :- S0(?S, ?P, ?O) .',
    `${below('?A', '?C')} :- ${below('?A', '?B')}, ${below('?B', '?C')} .`,
    `${under('?A', '?C')} :- ${under('?A', '?B')}, ${under('?B', '?C')} .`,
    `${below('?A', '?B')} :- ${classes('?A', '?B')} .`,
    `${below('?B', '?A')} :- ${classes('?A', '?B')} .`,
    `${under('?A', '?B')} :- ${properties('?A', '?B')} .`,
    `${under('?B', '?A')} :- ${properties('?A', '?B')} .`,
    `TE(?X, ${TYPE}, ?D) :- TE(?X, ${TYPE}, ?C), ${below('?C', '?D')} .`,
    `TE(?X, ?Q, ?Y) :- TE(?X, ?P, ?Y), ${under('?P', '?Q')} .`,
    `TE(?Y, ?Q, ?X) :- TE(?X, ?P, ?Y), ${inverse('?P', '?Q')} .`,
    `TE(?Y, ?Q, ?X) :- TE(?X, ?P, ?Y), ${inverse('?Q', '?P')} .`,
    `TE(?Y, ?P, ?X) :- TE(?X, ?P, ?Y), ${is('SymmetricProperty')} .`,
    `TE(?X, ${TYPE}, ?C) :- TE(?X, ?P, ?Y), ${domain('?P', '?C')} .`,
    `TE(?Y, ${TYPE}, ?C) :- TE(?X, ?P, ?Y), ${range('?P', '?C')} .`,
    `TE(?X, ?P, ?Z) :- ${is('TransitiveProperty')}, TE(?X, ?P, ?Y), TE(?Y, ?P, ?Z) .`,
    '',
  ].join('\n');
}

/** How many triples it derives that the document does not have. */
function askVlog(document: string, { facts }: OwlFigures): PeerFigures | null {
  const run = prepareVlog();
  if (run === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'svc-owl-'));
  try {
    const [ontology, rules] = [join(folder, 'ontology.nt'), join(folder, 'rules.rls')];
    writeFileSync(ontology, universityOntology());
    writeFileSync(rules, vlogRules(document, ontology));
    const figures = ask('VLog, ontology', run(rules, ['TE(?X, ?P, ?Y)'], 1));
    return figures === null ? null : { ...figures, found: figures.found - facts };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
