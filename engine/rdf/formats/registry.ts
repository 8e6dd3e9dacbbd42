/** The formats that are read and written, by name. Media types and file extensions follow. */

export type Format = 'ntriples' | 'nquads' | 'turtle' | 'trig' | 'rdfxml' | 'jsonld';
