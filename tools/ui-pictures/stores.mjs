/** The stores whose pictures are made, each filled from nothing: a solar system with episodes, shapes and a history, and real data where it is. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SKY_FILE = fileURLToPath(new URL('../demo/sky.ttl', import.meta.url));
export const SKY = 'http://example.org/sky/';
const SCHEMA = 'https://schema.org/';
const FIBO = 'https://spec.edmcouncil.org/fibo/ontology/';
/** Releases of schema.org, oldest first. */
const RELEASES = ['9.0', '12.0', '15.0', '22.0', '27.0', '29.4', '30.0'];

const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix sky: <${SKY}> .
sky:MissionShape a sh:NodeShape ; sh:name "Mission" ; sh:targetClass sky:Mission ;
  sh:property [ sh:path rdfs:label ; sh:name "name" ; sh:minCount 1 ] ,
    [ sh:path sky:launched ; sh:name "launched" ; sh:datatype xsd:date ; sh:maxCount 1 ] ,
    [ sh:path sky:status ; sh:name "status" ; sh:in ("planned" "flying" "ended") ; sh:maxCount 1 ] ,
    [ sh:path sky:operatedBy ; sh:name "operator" ; sh:class sky:Agency ] .
sky:MoonShape a sh:NodeShape ; sh:name "Moon" ; sh:targetClass sky:Moon ;
  sh:property [ sh:path sky:orbits ; sh:name "orbits" ; sh:minCount 1 ; sh:maxCount 1 ; sh:nodeKind sh:IRI ] ,
    [ sh:path sky:radiusKm ; sh:name "radius in kilometres" ; sh:minExclusive 0 ] .`;

/** What became of missions: date, name, what is told, and the two ends of what it adds. */
const EPISODES = [
  ['2026-02-03', 'Europa Clipper: Mars flyby', 'Europa Clipper passed Mars and goes on to Jupiter.', 'Europa Clipper'],
  ['2026-03-12', 'Hera reaches deep space', 'Hera flies to Dimorphos, the moon of an asteroid.', 'Hera'],
  ['2026-04-21', 'BepiColombo: arrival is planned', 'BepiColombo arrives at Mercury in November.', 'BepiColombo'],
  ['2026-05-30', 'Juno: the mission goes on', 'Juno stays at Jupiter for another year.', 'Juno'],
];

/** `store`: of a server. */
async function fillSky(store) {
  await store.load({ path: SKY_FILE }, { timestamp: '2026-01-05', source: 'snapshot:sky', snapshotKey: 'sky' });
  await store.loadShapes('sky', SHAPES, { timestamp: '2026-01-06' });
  for (const [at, [timestamp, name, body, mission]] of EPISODES.entries()) {
    const edges = [{ source: mission, target: 'Mission control', relation: 'reported_to' }];
    const nodes = [
      { name: mission, type: 'Mission', description: body },
      { name: 'Mission control', type: 'Agency' },
    ];
    await store.writeEpisode({ name, body, nodes, edges, source: at % 2 === 0 ? 'ana' : 'agent-1' }, { timestamp });
  }
  const flying = { juno: '2026-01-20', bepicolombo: '2026-02-10', 'cassini-huygens': '2026-02-11', hope: '2026-03-20' };
  for (const [mission, timestamp] of Object.entries(flying)) {
    await store.update(`INSERT DATA { <${SKY}${mission}> <${SKY}status> "flying" }`, { timestamp, actor: 'ana' });
  }
  await store.set(`${SKY}cassini-huygens`, `${SKY}status`, 'ended', { timestamp: '2026-04-02', actor: 'ben' });
  const moons = { 'S-2023-S1': 'saturn', 'S-2025-U1': 'uranus', 'S-2002-N5': 'neptune' };
  for (const [at, [moon, planet]] of Object.entries(moons).entries()) {
    const text = `<${SKY}${moon}> a <${SKY}Moon> ; <http://www.w3.org/2000/01/rdf-schema#label> "${moon}" ; <${SKY}orbits> <${SKY}${planet}> .`;
    await store.load({ text, format: 'turtle' }, { timestamp: `2026-06-0${at + 1}`, source: 'survey', actor: 'ana' });
  }
  await proposeForSky(store);
}

/** What an agent would have the shapes say. */
async function proposeForSky(store) {
  const diff = SHAPES.replace(
    'sky:status ; sh:name "status" ; sh:in ("planned" "flying" "ended") ; sh:maxCount 1',
    'sky:status ; sh:name "status" ; sh:in ("planned" "flying" "ended" "lost") ; sh:minCount 1 ; sh:maxCount 1',
  );
  const rationale = 'Every mission has a status, and some are lost.';
  const proposal = { kind: 'shape', target: 'sky', diff, proposer: 'agent-1', rationale, triggerRef: 'SKY-12' };
  await store.propose(proposal, { timestamp: '2026-06-10' });
}

async function fillSchemaOrg(store, shared) {
  const folder = join(shared, 'data/schemaorg');
  const { releaseLog } = JSON.parse(readFileSync(join(folder, 'versions.json'), 'utf8'));
  for (const release of RELEASES) {
    await store.load(
      { path: join(folder, `schemaorg-all-https-${release}.nt.gz`) },
      {
        timestamp: `${releaseLog[release]}T00:00:00Z`,
        source: `schema.org:${release}`,
        snapshotKey: 'schema.org',
        replaceSnapshot: true,
      },
    );
  }
  const text = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <${SCHEMA}> .
schema:ClassShape a sh:NodeShape ; sh:name "Class" ; sh:targetClass <http://www.w3.org/2000/01/rdf-schema#Class> ;
  sh:property [ sh:path <http://www.w3.org/2000/01/rdf-schema#label> ; sh:name "label" ; sh:maxCount 1 ] .`;
  await store.loadShapes('schema', text, { timestamp: '2026-04-01' });
}

async function fillFibo(store, shared) {
  await store.load({ path: join(shared, 'data/fibo') }, { timestamp: '2026-01-05', source: 'snapshot:fibo' });
  const text = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix fibo: <${FIBO}> .
fibo:BankShape a sh:NodeShape ; sh:name "Bank" ; sh:targetClass fibo:Bank ;
  sh:property [ sh:path fibo:status ; sh:in ("open" "closed") ] .`;
  await store.loadShapes('fibo', text, { timestamp: '2026-02-01' });
}

/** `null` for `shared`: the folder of real data is not here, so only the solar system has pictures. */
export function storesOf(shared) {
  const has = (name) => shared !== null && existsSync(join(shared, 'data', name));
  return [
    {
      name: 'sky',
      fill: fillSky,
      focus: `${SKY}saturn`,
      entity: `${SKY}cassini-huygens`,
      class: `${SKY}Mission`,
      shape: `${SKY}MissionShape`,
      proposal: '1',
      from: '2026-02-01T00:00:00Z',
      changed: 11,
      query: `PREFIX sky: <${SKY}>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
# Planets, their moons, and the missions that were there
SELECT ?name (COUNT(DISTINCT ?moon) AS ?moons) (COUNT(DISTINCT ?mission) AS ?missions) WHERE {
  ?planet a sky:Planet ; rdfs:label ?name .
  OPTIONAL { ?moon sky:orbits ?planet }
  OPTIONAL { ?mission sky:visited ?planet }
  FILTER(LANG(?name) = "en")
}
GROUP BY ?planet ?name ORDER BY DESC(?moons)`,
      refused: `@prefix sky: <${SKY}> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\nsky:juice a sky:Mission ;\n  rdfs:label "JUICE" ;\n  sky:status "flyng" ;\n  sky:operatedBy sky:esa .`,
    },
    has('schemaorg') && {
      name: 'schemaorg',
      fill: (store) => fillSchemaOrg(store, shared),
      focus: `${SCHEMA}Organization`,
      entity: `${SCHEMA}Person`,
      class: 'http://www.w3.org/2000/01/rdf-schema#Class',
      shape: `${SCHEMA}ClassShape`,
      from: '2021-01-01T00:00:00Z',
      changed: 7,
      query: `PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX schema: <${SCHEMA}>
# The classes with the most properties
SELECT ?class (COUNT(?property) AS ?properties) WHERE {
  ?class a rdfs:Class .
  ?property schema:domainIncludes ?class
}
GROUP BY ?class ORDER BY DESC(?properties) LIMIT 50`,
      refused: `@prefix schema: <${SCHEMA}> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\nschema:Telescope a rdfs:Class ;\n  rdfs:label "Telescope", "Teleskop" ;\n  rdfs:subClassOf schema:Product .`,
    },
    has('fibo') && {
      name: 'fibo',
      fill: (store) => fillFibo(store, shared),
      focus: `${FIBO}FBC/FunctionalEntities/FinancialServicesEntities/CommercialBank`,
      entity: `${FIBO}FBC/FunctionalEntities/FinancialServicesEntities/CommercialBank`,
      class: `${FIBO}FBC/FunctionalEntities/FinancialServicesEntities/FinancialInstitution`,
      shape: `${FIBO}BankShape`,
      from: '2026-01-01T00:00:00Z',
      changed: 1,
      query: `PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
# What FIBO says about banks
SELECT ?class ?label ?definition WHERE {
  ?class a owl:Class ; rdfs:label ?label ; skos:definition ?definition
  FILTER(CONTAINS(LCASE(?label), "bank"))
}
ORDER BY ?label LIMIT 100`,
      refused: `@prefix fibo: <${FIBO}> .\n\nfibo:my-bank a fibo:Bank ;\n  fibo:status "opn" .`,
    },
  ].filter(Boolean);
}
