/** What is asked: queries of three sizes over the shop's data, an analytic one, and updates that add new things. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const VOCABULARY = 'http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/';

export interface Shape {
  readonly title: string;
  /** Rows of each answer; null = some. */
  readonly rows: number | null;
}

const PAGE_ROWS = 100;

export const SHAPES = {
  point: { title: 'one subject', rows: null },
  hundred: { title: '100 rows', rows: PAGE_ROWS },
  large: { title: '100,000 rows', rows: 100_000 },
} as const satisfies Readonly<Record<string, Shape>>;

export type ShapeName = keyof typeof SHAPES;

/** They are handed to another process as one argument, which may have 128 KiB. */
const SUBJECTS = 400;
const VENDOR_PAGES = 100;
const PAGES = 10;

/** Subjects and vendors of a data set, these with the number of their offers. */
interface Names {
  readonly subjects: readonly string[];
  readonly vendors: ReadonlyMap<string, number>;
}

/** Every so-manieth subject of the document, and every vendor. */
async function readNames(path: string, triples: number): Promise<Names> {
  const subjects: string[] = [];
  const vendors = new Map<string, number>();
  const step = Math.floor(triples / SUBJECTS);
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line++ % step === 0) subjects.push(text.slice(0, text.indexOf(' ')));
    const [, predicate, object] = text.split(' ', 3) as [string, string, string];
    if (predicate === `<${VOCABULARY}vendor>`) vendors.set(object, (vendors.get(object) ?? 0) + 1);
  }
  // The order of the document is the order of the store's keys: shuffled, so that neighbours do not follow each other.
  const shuffled = subjects.map((_, at) => subjects[(at * 619) % subjects.length] as string);
  return { subjects: [...new Set(shuffled)], vendors };
}

/** The texts of each shape, asked in turn. */
export async function makeQueries(path: string, triples: number): Promise<Readonly<Record<ShapeName, string[]>>> {
  const { subjects, vendors } = await readNames(path, triples);
  return {
    point: subjects.map((subject) => `SELECT ?p ?o WHERE { ${subject} ?p ?o }`),
    // Full pages alone, the first of each vendor before the second of any.
    hundred: Array.from({ length: PAGES }, (_, page) =>
      [...vendors]
        .filter(([, offers]) => offers >= (page + 1) * PAGE_ROWS)
        .map(
          ([vendor]) =>
            `PREFIX v: <${VOCABULARY}> SELECT ?offer ?product ?price WHERE { ?offer v:vendor ${vendor} ; v:product ?product ; v:price ?price } OFFSET ${page * PAGE_ROWS} LIMIT ${PAGE_ROWS}`,
        ),
    )
      .flat()
      .slice(0, VENDOR_PAGES),
    large: ['SELECT ?s ?p ?o WHERE { ?s ?p ?o } LIMIT 100000'],
  };
}

/** Seconds of work: pairs of offers whose products share a feature, by the producers of both. */
export const ANALYTIC_QUERY = `PREFIX v: <${VOCABULARY}>
SELECT ?x ?y (COUNT(*) AS ?n) (AVG(?price + ?other) AS ?mean) WHERE {
  ?a v:productFeature ?f ; v:producer ?x .
  ?b v:productFeature ?f ; v:producer ?y .
  ?offer v:product ?b ; v:price ?price .
  ?against v:product ?a ; v:price ?other .
} GROUP BY ?x ?y ORDER BY DESC(?n) LIMIT 10`;

/** Quads of an update, and terms that no store has seen. */
export const UPDATE_QUADS = 20;

export function makeUpdate(number: number, graph: string | null): string {
  const lines = Array.from(
    { length: UPDATE_QUADS },
    (_, at) => `<http://bench.example/thing/${number}-${at}> <http://bench.example/number> ${at} .`,
  ).join('\n');
  return `INSERT DATA { ${graph === null ? lines : `GRAPH <${graph}> { ${lines} }`} }`;
}
