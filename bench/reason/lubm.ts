/**
 * Universities, departments, people, courses and publications, as the Lehigh University Benchmark has them (Guo, Pan and Heflin,
 * 2005): the same classes and properties, about the same numbers of each; and an ontology of 73 axioms between IRIs.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RDF_NS } from '../../engine/rdf/terms.js';
import { benchFolder } from '../data/data-set.js';
import { iri, string, TripleFile } from '../data/ntriples.js';
import { Random } from '../data/random.js';

const UNIV = 'http://swat.cse.lehigh.edu/onto/univ-bench.owl#';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const OWL = 'http://www.w3.org/2002/07/owl#';
const TYPE = iri(`${RDF_NS}type`);
/** Whose degrees people have, whether they are described or not. */
const UNIVERSITIES = 1000;

/** `Sub:Super`, by spaces. */
const CLASSES = `AdministrativeStaff:Employee Article:Publication AssistantProfessor:Professor AssociateProfessor:Professor
  Chair:Professor ClericalStaff:AdministrativeStaff College:Organization ConferencePaper:Article Course:Work Dean:Professor
  Department:Organization Director:Person Employee:Person Faculty:Employee FullProfessor:Professor GraduateCourse:Course
  GraduateStudent:Person Institute:Organization JournalArticle:Article Lecturer:Faculty PostDoc:Faculty Professor:Faculty
  Program:Organization Research:Work ResearchAssistant:Student ResearchGroup:Organization Student:Person
  SystemsStaff:AdministrativeStaff TeachingAssistant:Person TechnicalReport:Article UndergraduateStudent:Student
  University:Organization VisitingProfessor:Professor`;
const PROPERTIES =
  'doctoralDegreeFrom:degreeFrom mastersDegreeFrom:degreeFrom undergraduateDegreeFrom:degreeFrom headOf:worksFor worksFor:memberOf';
const INVERSES = 'hasAlumnus:degreeFrom member:memberOf';
const DOMAINS = `advisor:Person affiliateOf:Organization degreeFrom:Person doctoralDegreeFrom:Person hasAlumnus:University
  listedCourse:Schedule mastersDegreeFrom:Person member:Organization orgPublication:Organization publicationAuthor:Publication
  publicationResearch:Publication researchProject:ResearchGroup softwareDocumentation:Software teacherOf:Faculty
  teachingAssistantOf:TeachingAssistant undergraduateDegreeFrom:Person`;
const RANGES = `advisor:Professor affiliateOf:Person degreeFrom:University doctoralDegreeFrom:University hasAlumnus:Person
  mastersDegreeFrom:University member:Person orgPublication:Publication publicationAuthor:Person teacherOf:Course
  teachingAssistantOf:Course undergraduateDegreeFrom:University researchProject:Research`;

/** The axioms as N-Triples. */
export function universityOntology(): string {
  const lines = (pairs: string, predicate: string): string[] =>
    pairs.split(/\s+/).map((pair) => {
      const [left, right] = pair.split(':');
      return `<${UNIV}${left}> <${predicate}> <${UNIV}${right}> .`;
    });
  const kind = (name: string, of: string): string => `<${UNIV}${name}> ${TYPE} <${OWL}${of}> .`;
  return [
    ...lines(CLASSES, `${RDFS}subClassOf`),
    ...lines(PROPERTIES, `${RDFS}subPropertyOf`),
    ...lines(INVERSES, `${OWL}inverseOf`),
    ...lines(DOMAINS, `${RDFS}domain`),
    ...lines(RANGES, `${RDFS}range`),
    ...lines('GraduateStudent:PostgraduateStudent', `${OWL}equivalentClass`),
    ...lines('emailAddress:mail', `${OWL}equivalentProperty`),
    kind('subOrganizationOf', 'TransitiveProperty'),
    kind('coAuthor', 'SymmetricProperty'),
    '',
  ].join('\n');
}

/** A document of at least so many triples, few of them twice, made where it is not there. */
export function provideUniversities(triples: number, say: (text: string) => void): string {
  const folder = join(benchFolder(), 'universities');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${triples}.nt`);
  if (existsSync(path)) return path;
  say(`making ${path}`);
  const file = new TripleFile(path);
  const random = new Random(42);
  for (let number = 0; file.triples < triples; number++) new University(file, random, number).write();
  file.close();
  return path;
}

/** Ten facts about a student that nothing else speaks of, as N-Triples. */
export function newStudent(number: number): string[] {
  const student = iri(`http://www.Department0.University0.edu/NewStudent${number}`);
  const department = 'http://www.Department0.University0.edu';
  return [
    `${student} ${TYPE} <${UNIV}GraduateStudent> .`,
    `${student} ${TYPE} <${UNIV}TeachingAssistant> .`,
    `${student} <${UNIV}name> "NewStudent${number}" .`,
    `${student} <${UNIV}emailAddress> "new${number}@Department0.University0.edu" .`,
    `${student} <${UNIV}memberOf> <${department}> .`,
    `${student} <${UNIV}undergraduateDegreeFrom> <http://www.University5.edu> .`,
    `${student} <${UNIV}advisor> <${department}/FullProfessor0> .`,
    `${student} <${UNIV}teachingAssistantOf> <${department}/Course0> .`,
    `${student} <${UNIV}takesCourse> <${department}/GraduateCourse0> .`,
    `${student} <${UNIV}takesCourse> <${department}/GraduateCourse1> .`,
  ];
}

const FACULTY = [
  { kind: 'FullProfessor', least: 7, most: 10 },
  { kind: 'AssociateProfessor', least: 10, most: 14 },
  { kind: 'AssistantProfessor', least: 8, most: 11 },
  { kind: 'Lecturer', least: 5, most: 7 },
] as const;

interface Department {
  readonly node: string;
  /** The host of its addresses. */
  readonly host: string;
  readonly professors: string[];
  readonly lecturers: string[];
  readonly courses: string[];
  readonly graduateCourses: string[];
}

class University {
  readonly #node: string;

  constructor(
    private readonly file: TripleFile,
    private readonly random: Random,
    private readonly number: number,
  ) {
    this.#node = universityNode(number);
  }

  write(): void {
    this.#instance(this.#node, 'University', `University${this.number}`);
    const departments = this.#count(15, 25);
    for (let at = 0; at < departments; at++) this.#department(at);
  }

  #department(at: number): void {
    const host = `Department${at}.University${this.number}.edu`;
    const node = `http://www.${host}`;
    const department = { node, host, professors: [], lecturers: [], courses: [], graduateCourses: [] };
    this.#instance(node, 'Department', `Department${at}`);
    this.#link(node, 'subOrganizationOf', this.#node);
    this.#faculty(department);
    this.#undergraduates(department);
    const graduates = this.#graduates(department);
    this.#publications(department, graduates);
    for (let group = this.#count(10, 20); group > 0; group--) {
      const research = `${node}/ResearchGroup${group}`;
      this.#instance(research, 'ResearchGroup', null);
      this.#link(research, 'subOrganizationOf', node);
    }
  }

  #faculty(department: Department): void {
    const { node, host, professors, lecturers, courses, graduateCourses } = department;
    for (const { kind, least, most } of FACULTY) {
      const count = this.#count(least, most);
      for (let at = 0; at < count; at++) {
        const person = `${node}/${kind}${at}`;
        (kind === 'Lecturer' ? lecturers : professors).push(person);
        this.#person(person, kind, at, host);
        this.#teaches(person, 'Course', node, courses);
        this.#teaches(person, 'GraduateCourse', node, graduateCourses);
        for (const degree of ['undergraduateDegreeFrom', 'mastersDegreeFrom', 'doctoralDegreeFrom'])
          this.#link(person, degree, this.#anyUniversity());
        this.#link(person, 'worksFor', node);
        this.#text(person, 'researchInterest', `Research${this.random.below(30)}`);
        if (at === 0 && kind === 'FullProfessor') this.#link(person, 'headOf', node);
      }
    }
  }

  #teaches(person: string, kind: 'Course' | 'GraduateCourse', node: string, courses: string[]): void {
    for (let more = this.#count(1, 2); more > 0; more--) {
      const course = `${node}/${kind}${courses.length}`;
      courses.push(course);
      this.#instance(course, kind, `${kind}${courses.length}`);
      this.#link(person, 'teacherOf', course);
    }
  }

  #undergraduates({ node, host, professors, lecturers, courses }: Department): void {
    const count = (professors.length + lecturers.length) * this.#count(8, 14);
    for (let at = 0; at < count; at++) {
      const student = `${node}/UndergraduateStudent${at}`;
      this.#person(student, 'UndergraduateStudent', at, host);
      this.#link(student, 'memberOf', node);
      for (let more = this.#count(2, 4); more > 0; more--)
        this.#link(student, 'takesCourse', this.random.choice(courses));
      if (this.random.happens(0.2)) this.#link(student, 'advisor', this.random.choice(professors));
    }
  }

  #graduates({ node, host, professors, lecturers, courses, graduateCourses }: Department): string[] {
    const count = (professors.length + lecturers.length) * this.#count(3, 4);
    return Array.from({ length: count }, (_, at) => {
      const student = `${node}/GraduateStudent${at}`;
      this.#person(student, 'GraduateStudent', at, host);
      this.#link(student, 'memberOf', node);
      for (let more = this.#count(1, 3); more > 0; more--) {
        this.#link(student, 'takesCourse', this.random.choice(graduateCourses));
      }
      this.#link(student, 'undergraduateDegreeFrom', this.#anyUniversity());
      this.#link(student, 'advisor', this.random.choice(professors));
      if (this.random.happens(0.22)) {
        this.#instance(student, 'TeachingAssistant', null);
        this.#link(student, 'teachingAssistantOf', this.random.choice(courses));
      } else if (this.random.happens(0.3)) this.#instance(student, 'ResearchAssistant', null);
      return student;
    });
  }

  #publications({ professors, lecturers }: Department, graduates: readonly string[]): void {
    const write = (author: string, count: number): void => {
      for (let at = 0; at < count; at++) {
        const publication = `${author}/Publication${at}`;
        this.#instance(publication, 'Publication', `Publication${at}`);
        this.#link(publication, 'publicationAuthor', author);
        if (!this.random.happens(0.5)) continue;
        const student = this.random.choice(graduates);
        this.#link(publication, 'publicationAuthor', student);
        this.#link(author, 'coAuthor', student);
      }
    };
    for (const author of professors) write(author, this.#count(5, 18));
    for (const author of lecturers) write(author, this.#count(0, 5));
  }

  #person(node: string, kind: string, at: number, host: string): void {
    this.#instance(node, kind, `${kind}${at}`);
    this.#text(node, 'emailAddress', `${kind}${at}@${host}`);
    this.#text(node, 'telephone', 'xxx-xxx-xxxx');
  }

  #instance(node: string, kind: string, name: string | null): void {
    this.file.add(iri(node), TYPE, iri(UNIV + kind));
    if (name !== null) this.#text(node, 'name', name);
  }

  #link(from: string, property: string, to: string): void {
    this.file.add(iri(from), iri(UNIV + property), iri(to));
  }

  #text(node: string, property: string, value: string): void {
    this.file.add(iri(node), iri(UNIV + property), string(value));
  }

  #anyUniversity(): string {
    return universityNode(this.random.below(UNIVERSITIES));
  }

  /** Both included. */
  #count(least: number, most: number): number {
    return this.random.between(least, most + 1);
  }
}

function universityNode(number: number): string {
  return `http://www.University${number}.edu`;
}
