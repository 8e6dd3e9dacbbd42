/** What the server offers, as it describes itself. Made by tools/client-types.ts: not to be edited. Length: that of the offer. */

export interface Operations {
  /** Load documents: all of them in one transaction, or none. */
  readonly knot: {
    readonly request: {
      /** the document, in Turtle */
      readonly turtle: string;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** start of validity (RFC 3339); default the timestamp */
      readonly valid_from?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
      /** where the data comes from, as text */
      readonly source?: string | undefined;
      /** IRI of a graph */
      readonly graph?: string | undefined;
      /** snapshot key: the scope of blank nodes across versions */
      readonly snapshot?: string | undefined;
      /** document (default), or store: keep labels as they are, for a restore */
      readonly blank_node_scope?: 'document' | 'store' | undefined;
      /** SHACL shapes in Turtle that the data must conform to */
      readonly shapes?: string | undefined;
      /** retract what the snapshot key owns and the documents do not repeat */
      readonly replace_snapshot?: boolean | undefined;
    };
    readonly response: {
      readonly conforms: boolean;
      readonly tx_id: number;
      /** quads read from the documents */
      readonly count: number;
      /** quads that were not in the store before */
      readonly new_facts: number;
      readonly valid_from: string;
      readonly snapshot: string | null;
      readonly replaced: boolean;
      /** facts that a replacement closed */
      readonly retracted?: number | undefined;
      /** of a document that the request holds: the stored label of each blank node that it labels, 100 at most */
      readonly blank_nodes?: Readonly<Record<string, string>> | undefined;
      readonly violations: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
      readonly warnings: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
      readonly infos: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
    };
  };
  /** Write an episode: nodes, edges, and where they come from. */
  readonly episode: {
    readonly request: {
      /** stable name of the episode; the same name again updates it */
      readonly name: string;
      /** the text that it was learnt from */
      readonly episode_body?: string | undefined;
      /** who says so */
      readonly source?: string | undefined;
      /** provenance group */
      readonly group_id?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** entities */
      readonly nodes?: readonly ({
        /** stands once */
        readonly name: string;
        /** one class: Host, a prefixed name (skos:Concept) or <IRI> */
        readonly type?: string | null | undefined;
        /** what it is */
        readonly description?: string | null | undefined;
        /** texts, numbers, true, false, or lists of them, by name */
        readonly properties?: Readonly<Record<string, never>> | null | undefined;
        /** IRIs of entities that it is not */
        readonly distinct_from?: readonly string[] | null | undefined;
        /** IRIs of entities that it is not */
        readonly distinctFrom?: readonly string[] | null | undefined;
      })[] | undefined;
      /** statements between them */
      readonly edges?: readonly ({
        /** name of a node */
        readonly source: string;
        /** name of a node */
        readonly target: string;
        /** runs_on, a prefixed name (owl:sameAs: two names of one entity) or <IRI> */
        readonly relation: string;
        /** how sure it is */
        readonly confidence?: number | string | null | undefined;
      })[] | undefined;
      /** retract what the episode wrote before and this payload does not repeat */
      readonly replace_snapshot?: boolean | undefined;
      /** IRI of a graph */
      readonly graph?: string | undefined;
      /** SHACL shapes in Turtle that the payload must conform to */
      readonly shapes?: string | undefined;
      /** the namespace in which the store mints IRIs; refused when it is another */
      readonly base_ns?: string | undefined;
    };
    readonly response: {
      readonly outcome: 'created' | 'updated' | 'unchanged';
      /** statements that the payload makes; 0 when it is unchanged */
      readonly count: number;
      /** 0 when it is unchanged */
      readonly tx_id: number;
      readonly episode: string;
      /** of the episode itself */
      readonly iri: string;
      /** name and IRI of each entity; empty when it is unchanged */
      readonly nodes: Readonly<Record<string, string>>;
      readonly resolution_hints: readonly {
        readonly node: string;
        readonly candidates: readonly {
          readonly iri: string;
          readonly score: number;
          /** canonical_name:jaro_winkler:<score>, embedding:<score> or iri_collision */
          readonly matched_on: string;
        }[];
      }[];
      readonly resolution_contentions: readonly {
        readonly iri: string;
        readonly claimants: readonly {
          readonly node: string;
          readonly score: number;
        }[];
      }[];
      /** ends of edges that are no nodes of the payload */
      readonly dangling_nodes: readonly string[];
      readonly violations: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
      readonly warnings: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
      readonly infos: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
    };
  };
  /** Answer a SPARQL query. */
  readonly read: {
    readonly request: {
      /** SPARQL text */
      readonly query: string;
      /** base that relative IRIs are resolved against */
      readonly base?: string | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** IRI of a graph, or name of a dataset: the default graph in place of ROOT */
      readonly graph?: string | undefined;
      /** deadline; may lower search.query_timeout_ms, never raise it */
      readonly timeout_ms?: number | undefined;
      /** with the instances of subclasses, or asserted types only; absent: query.subclass_inference */
      readonly inference?: boolean | undefined;
      /** IRIs of graphs */
      readonly default_graph_uri?: readonly string[] | undefined;
      /** IRIs of graphs */
      readonly named_graph_uri?: readonly string[] | undefined;
      /** name of a fork that is the default graph */
      readonly fork?: string | undefined;
      /** kinds of graphs that the default graph holds besides */
      readonly include_kinds?: readonly string[] | undefined;
      /** IRI of an overlay: its view, composed with its parent, is the default graph */
      readonly overlay?: string | undefined;
      /** of the view of an overlay: nearest (default), or governed: the overlay takes nothing away */
      readonly precedence?: 'nearest' | 'governed' | undefined;
      /** true: with the companion of each graph of the default graph, which holds what rules derived from it */
      readonly inferred?: boolean | undefined;
      /** true or union: ask every store of federation.remotes as well (SELECT, the present, no graph); join: one query over the facts of all */
      readonly federated?: 'union' | 'join' | boolean | undefined;
      /** IRIs in full, never as CURIEs */
      readonly verbose?: boolean | undefined;
      /** most rows or triples of the JSON body; at most search.max_sparql_rows */
      readonly limit?: number | undefined;
    };
    readonly response: {
      readonly variables?: readonly string[] | undefined;
      readonly rows?: readonly Readonly<Record<string, unknown>>[] | undefined;
      readonly triples?: readonly {
        readonly subject: unknown;
        readonly predicate: unknown;
        readonly object: unknown;
      }[] | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
      readonly result?: boolean | undefined;
      readonly labels: {
        readonly freshness: {
          readonly value: string | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly durability: {
          readonly value: string | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly trust: {
          readonly value: {
            readonly iri: string;
            readonly chain: string;
            readonly rank: number;
          } | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly policy: {
          readonly value: readonly string[] | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly kind: {
          readonly value: readonly string[] | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
      } | {
        readonly error: string;
      } | null;
      readonly ignored_fields?: readonly string[] | undefined;
      readonly inference?: {
        readonly applied: boolean;
        readonly types?: readonly {
          readonly type: string;
          readonly subclasses: readonly string[];
        }[] | undefined;
        readonly withheldTypes?: readonly {
          readonly type: string;
          readonly subclasses: readonly string[];
        }[] | undefined;
        readonly note?: string | undefined;
      } | undefined;
      readonly inferred?: {
        readonly applied: boolean;
        /** the companions that there are, by IRI: at most 100 */
        readonly graphs?: readonly string[] | undefined;
        /** there are more of them */
        readonly graphs_truncated?: boolean | undefined;
        readonly note?: string | undefined;
      } | undefined;
      /** of a federated query: its members */
      readonly providers?: readonly ({
        readonly name: string;
        readonly ok: boolean;
        /** rows of it in the answer */
        readonly rows: number;
        readonly error: string | null;
        readonly label: unknown;
      })[] | undefined;
      /** of a federated query: every member gave all that it has */
      readonly complete?: boolean | undefined;
    };
  };
  /** Explain how a query is answered: its plan and, after a run, what happened. */
  readonly explain: {
    readonly request: {
      /** SPARQL text: a query or an update */
      readonly query: string;
      /** run it, and tell what happened; of an update only the patterns, and nothing is written */
      readonly analyze?: boolean | undefined;
      /** the same as analyze */
      readonly profile?: boolean | undefined;
      /** base that relative IRIs are resolved against */
      readonly base?: string | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** IRI of a graph, or name of a dataset: the default graph in place of ROOT */
      readonly graph?: string | undefined;
      /** deadline; may lower search.query_timeout_ms, never raise it */
      readonly timeout_ms?: number | undefined;
      /** with the instances of subclasses, or asserted types only; absent: query.subclass_inference */
      readonly inference?: boolean | undefined;
      /** name of a fork that is the default graph */
      readonly fork?: string | undefined;
      /** kinds of graphs that the default graph holds besides */
      readonly include_kinds?: readonly string[] | undefined;
      /** IRI of an overlay: its view, composed with its parent, is the default graph */
      readonly overlay?: string | undefined;
      /** of the view of an overlay: nearest (default), or governed: the overlay takes nothing away */
      readonly precedence?: 'nearest' | 'governed' | undefined;
      /** true: with the companion of each graph of the default graph, which holds what rules derived from it */
      readonly inferred?: boolean | undefined;
      /** join: explain one query over the facts of this store and of every store of federation.remotes */
      readonly federated?: 'join' | undefined;
      /** rewrites and planner choices to switch off, by name */
      readonly disabled?: readonly string[] | undefined;
    };
    readonly response: {
      readonly query: string;
      /** select, ask, construct, describe or update */
      readonly form: string;
      /** names of the rewrites that changed the query */
      readonly rewrites: readonly string[];
      /** names of what was switched off */
      readonly disabled: readonly string[];
      /** the tree of operators */
      readonly plan: unknown;
      readonly rows: number | null;
      readonly blocksRead: number | null;
      readonly times: {
        readonly parseMs: number;
        readonly rewriteMs: number;
        readonly planMs: number;
        readonly runMs: number | null;
        readonly totalMs: number;
      };
      readonly memory: {
        readonly peakBytes: number;
        readonly limitBytes: number;
        readonly spilledBytes: number;
      } | null;
      readonly notes: readonly string[];
      /** all of it for a person */
      readonly text: string;
    };
  };
  /** Make a value the only one of an entity's predicate. */
  readonly set: {
    readonly request: {
      /** IRI of the entity, or _:label */
      readonly entity: string;
      /** IRI of the predicate */
      readonly predicate: string;
      /** a string, or an object with one form: {"iri": ...}, {"str": ...}, {"int": 1}, {"value": ..., "lang": ...} ... */
      readonly value: unknown;
      /** when the new value begins and the others end (RFC 3339 with a time); default the timestamp */
      readonly valid_from?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      readonly tx_id: number;
      readonly retracted: number;
      readonly asserted: number;
      readonly entity: string;
      readonly predicate: string;
      /** the instant that the request names, in UTC */
      readonly valid_from?: string | undefined;
      /** what is easily taken for something else */
      readonly note?: string | undefined;
      /** empty; there when shapes have judged the write */
      readonly violations?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
      readonly warnings?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
      readonly infos?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
    };
  };
  /** Retract current facts of an entity. */
  readonly retract: {
    readonly request: {
      /** IRI of the entity, or _:label */
      readonly entity: string;
      /** IRI of the predicate */
      readonly predicate?: string | undefined;
      /** a string, or an object with one form: {"iri": ...}, {"str": ...}, {"int": 1}, {"value": ..., "lang": ...} ... */
      readonly value?: unknown | undefined;
      /** take the last rdf:type of an entity that keeps other facts */
      readonly allow_orphan?: boolean | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      readonly tx_id: number;
      readonly retracted: number;
      readonly entity: string;
      /** empty; there when shapes have judged the write */
      readonly violations?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
      readonly warnings?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
      readonly infos?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
    };
  };
  /** Preview, or take back, the current facts that a source owns. */
  readonly retract_source: {
    readonly request: {
      /** the source, byte for byte */
      readonly source: string;
      /** ticket or reason; the transaction has the source repair:<repair> */
      readonly repair: string;
      /** do it; otherwise only say what would be done */
      readonly apply?: boolean | undefined;
      /** refuse when another number is planned */
      readonly expect?: number | undefined;
      /** IRI of a graph */
      readonly graph?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      readonly source: string;
      readonly graph: string;
      readonly planned: number;
      readonly entities: number;
      readonly applied: boolean;
      readonly tx_id: number | null;
      readonly retracted: number | null;
      readonly repair_source: string;
      readonly sample: readonly {
        readonly entity: string;
        readonly predicate: string;
        readonly value: unknown;
      }[];
      readonly sample_truncated: boolean;
      readonly remaining?: number | undefined;
      /** empty; there when shapes have judged the write */
      readonly violations?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
      readonly warnings?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
      readonly infos?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
    };
  };
  /** List entities with their facts. */
  readonly cord: {
    readonly request: {
      /** only instances of this class: its IRI, or the name that episodes give it */
      readonly type?: string | undefined;
      /** only entities with this predicate: its IRI, or the name that episodes give it */
      readonly predicate?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly entities: readonly ({
        readonly iri: string;
        readonly facts: readonly {
          readonly predicate: string;
          readonly value: unknown;
        }[];
        /** true: the entity has more facts */
        readonly facts_truncated?: boolean | undefined;
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Tell what became of an entity: every assertion and retraction. */
  readonly entity_history: {
    readonly request: {
      /** IRI of the entity, or _:label */
      readonly iri: string;
      /** IRI of a graph */
      readonly graph?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly iri: string;
      readonly count: number;
      readonly truncated: boolean;
      readonly history: readonly ({
        readonly op: 'assert' | 'retract';
        readonly predicate: string;
        readonly value: unknown;
        readonly valid_from: string;
        readonly valid_to: string | null;
        readonly tx: number;
      })[];
    };
  };
  /** List the facts of a past moment, with their times. */
  readonly unravel: {
    readonly request: {
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly facts: readonly ({
        readonly entity: string;
        readonly predicate: string;
        readonly value: unknown;
        readonly valid_from: string;
        readonly valid_to: string | null;
        readonly tx: number;
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Tell what is reached from an entity, and with --remove what would be lost without it. */
  readonly impact: {
    readonly request: {
      /** IRI of the entity, or _:label */
      readonly entity: string;
      /** as if all current facts about the entity were retracted, with what follows; nothing is written */
      readonly remove?: boolean | undefined;
      /** facts between the entity and what is reached; default 5 */
      readonly hops?: number | undefined;
      /** only facts of these predicates are followed; absent or empty: all are */
      readonly predicates?: readonly string[] | undefined;
      /** order by personalised PageRank from the entity, and tell it as ppr */
      readonly rank_by_ppr?: boolean | undefined;
      /** with remove: when the facts end (RFC 3339, or a date); default now */
      readonly timestamp?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly root: string;
      readonly hops: number;
      /** facts between entities that were looked at */
      readonly edges: number;
      /** of the whole walk, without the entity itself */
      readonly reached_count: number;
      readonly counterfactual: boolean;
      readonly ranked_by_ppr: boolean;
      /** the entity itself at depth 0, then what is reached, in the order in which it is; or by ppr */
      readonly reached: readonly ({
        readonly iri: string;
        readonly depth: number;
        readonly via_predicate: string | null;
        readonly via_subject: string | null;
        readonly ppr?: number | undefined;
      })[];
      /** entries of this page */
      readonly count: number;
      readonly truncated: boolean;
      /** with remove: what is reached as it is, and not without, by IRI */
      readonly lost?: readonly string[] | undefined;
      readonly lost_count?: number | undefined;
      /** true: lost shows the first of them */
      readonly lost_truncated?: boolean | undefined;
    };
  };
  /** Search by text and by meaning, with facts of what is found. */
  readonly unified_search: {
    readonly request: {
      /** text to search for */
      readonly query: string;
      /** vector to search by, of as many numbers as those of the store */
      readonly embedding?: readonly number[] | undefined;
      /** most entries; 1 to search.max_limit, default search.default_limit */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
      /** with what is linked to what is found; default true */
      readonly expand_links?: boolean | undefined;
      /** default 10 */
      readonly max_facts_per_entity?: number | undefined;
      /** only what episodes of one of these groups wrote; empty: no filter. A filter by provenance, no protection */
      readonly group_ids?: readonly string[] | undefined;
      /** only instances of this class: its IRI */
      readonly entity_type?: string | undefined;
      /** IRIs in full, never as CURIEs */
      readonly verbose?: boolean | undefined;
      /** how text and vectors become one order; convex finds best; default: text scores, then cosines */
      readonly ranking?: 'default' | 'reciprocal' | 'convex' | 'mmr' | 'ppr' | undefined;
      /** true: with the parts of every score */
      readonly explain?: boolean | undefined;
      /** facts by predicate and value (default), or the most telling first */
      readonly fact_order?: 'predicate' | 'telling' | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
    };
    readonly response: {
      readonly results: readonly ({
        readonly entity: string;
        /** the label, or the IRI */
        readonly text: string;
        /** 0 to 1 */
        readonly score: number;
        readonly source: 'knowledge';
        readonly relevance: 'Direct' | 'Linked' | 'Semantic';
        readonly types: readonly string[];
        readonly facts: readonly ({
          readonly predicate: string;
          readonly value: string;
          readonly value_type: 'Entity' | 'Literal';
          readonly datatype?: string | undefined;
          readonly lang?: string | undefined;
          readonly direction?: string | undefined;
        })[];
        /** there are more facts */
        readonly facts_capped: boolean;
        readonly explain?: {
          readonly text: {
            readonly score: number;
            /** what of the entity the text is in */
            readonly kind: 'iri' | 'label' | 'literal' | 'object';
            readonly predicate: string | null;
            readonly value: string | null;
          } | null;
          readonly vector: number | null;
          readonly link: {
            readonly from: string;
            readonly way: 'out' | 'in';
          } | null;
          readonly ppr: number | null;
        } | undefined;
      })[];
      readonly count: number;
      readonly truncated: boolean;
      readonly summary: {
        readonly total_entities: number;
        readonly total_facts: number;
        readonly direct_hits: number;
        readonly linked_additions: number;
        readonly embeddings: {
          /** a provider is configured */
          readonly configured: boolean;
          readonly embedded_entities: number;
          /** why vectors had no part */
          readonly error?: string | undefined;
        };
        readonly truncated: {
          readonly entities_shown: number;
          /** before the cut */
          readonly entities_considered: number;
          readonly more_available: boolean;
          readonly entities_with_more_facts: number;
        };
      };
    };
  };
  /** List the transactions, oldest first. */
  readonly transactions: {
    readonly request: {
      /** only transactions after this one */
      readonly since?: number | undefined;
      /** most entries; 1 to 10000; default all, with a start 1000 */
      readonly limit?: number | undefined;
    };
    readonly response: {
      readonly transactions: readonly ({
        readonly id: number;
        readonly timestamp: string;
        readonly actor: string | null;
        readonly source: string | null;
        /** what the token of the request proved; null: there was none */
        readonly authenticated: {
          readonly principal: string | null;
          readonly credential_id: string | null;
          /** named_bearer or legacy_shared_bearer */
          readonly auth_class: string;
        } | null;
        /** statements that it opened */
        readonly asserted: number;
        /** statements that it closed */
        readonly retracted: number;
      })[];
      readonly count: number;
      /** null: there are no more */
      readonly next_since: number | null;
    };
  };
  /** Run a graph algorithm over the edges of a graph. */
  readonly project: {
    readonly request: {
      /** stats, in_degree, pagerank, ppr, components, louvain, shortest_path, betweenness, kcore, triangles, leiden; default stats */
      readonly algorithm?: string | undefined;
      /** only edges whose subject has this type, as it is asserted */
      readonly type?: string | undefined;
      /** only edges of this predicate */
      readonly predicate?: string | undefined;
      /** IRI of the graph; default ROOT */
      readonly graph?: string | undefined;
      /** most entries; 1 to 10000, default 20 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
      /** pagerank: IRIs that the walk restarts at */
      readonly seeds?: readonly string[] | undefined;
      /** pagerank: 0 to 1, default 0.85 */
      readonly damping?: number | undefined;
      /** pagerank: most iterations, default 100 */
      readonly max_iters?: number | undefined;
      /** pagerank: change at which it stops, default 0.000001 */
      readonly tolerance?: number | undefined;
      /** shortest_path: IRI of its beginning */
      readonly from?: string | undefined;
      /** shortest_path: IRI of its end */
      readonly to?: string | undefined;
      /** betweenness: sources that are sampled; default all, which is exact */
      readonly samples?: number | undefined;
      /** betweenness: by which the sources are chosen; default 0 */
      readonly random_seed?: number | undefined;
      /** louvain and pagerank without seeds: write the community or rank of every node into the graph */
      readonly persist?: boolean | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      readonly algorithm: string;
      /** of stats */
      readonly nodes?: number | undefined;
      /** of stats */
      readonly edges?: number | undefined;
      /** the greatest first, then by IRI */
      readonly results?: readonly ({
        readonly entity: string;
        readonly in_degree?: number | undefined;
        /** of pagerank */
        readonly score?: number | undefined;
        readonly betweenness?: number | undefined;
        /** of kcore */
        readonly core?: number | undefined;
        readonly triangles?: number | undefined;
      })[] | undefined;
      /** of pagerank: seeds were given */
      readonly personalized?: boolean | undefined;
      /** seeds that are no nodes */
      readonly unknown_seeds?: readonly string[] | undefined;
      /** the largest first */
      readonly components?: readonly ({
        /** the first 1000, by IRI */
        readonly entities: readonly string[];
        /** true: there are more members */
        readonly entities_truncated?: boolean | undefined;
        readonly size: number;
      })[] | undefined;
      readonly communities?: readonly ({
        readonly community: string;
        /** the first 1000, by IRI */
        readonly entities: readonly string[];
        /** true: there are more members */
        readonly entities_truncated?: boolean | undefined;
        readonly size: number;
      })[] | undefined;
      readonly modularity?: number | undefined;
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      /** both ends included; null: there is none */
      readonly path?: readonly string[] | null | undefined;
      readonly length?: number | null | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
      readonly persisted?: number | null | undefined;
      /** of what was persisted; 0: it stood there already */
      readonly tx_id?: number | undefined;
      /** empty; there when shapes have judged the write */
      readonly violations?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
      readonly warnings?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
      readonly infos?: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[] | undefined;
    };
  };
  /** Show hubs, surprising connections and questions about the graph. */
  readonly report: {
    readonly request: {
      /** only edges whose subject has this type, as it is asserted */
      readonly type?: string | undefined;
      /** only edges of this predicate */
      readonly predicate?: string | undefined;
      /** most hubs; default 10 */
      readonly hubs?: number | undefined;
      /** most surprising connections; default 10 */
      readonly surprises?: number | undefined;
      /** most questions; default 8 */
      readonly questions?: number | undefined;
    };
    readonly response: {
      readonly graph: {
        readonly nodes: number;
        readonly edges: number;
        readonly communities: number;
        readonly modularity: number;
      };
      /** by PageRank */
      readonly hubs: readonly {
        readonly entity: string;
        readonly pagerank: number;
        readonly in_degree: number;
      }[];
      /** edges between communities, the rarest first */
      readonly surprising_connections: readonly {
        readonly from: string;
        readonly to: string;
        readonly predicate: string;
        readonly community_from: string;
        readonly community_to: string;
        /** edges between the two communities */
        readonly bridge_rarity: number;
      }[];
      readonly suggested_questions: readonly string[];
    };
  };
  /** List the events of the log, oldest first. */
  readonly events: {
    readonly request: {
      /** only events after this offset */
      readonly since?: number | undefined;
      /** without since: go on after what this consumer has committed */
      readonly consumer?: string | undefined;
      /** most events; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** only events of these types, with commas between */
      readonly types?: string | undefined;
      /** only events of transactions that name this group */
      readonly group?: string | undefined;
      /** as lines: wait for events that are still to come */
      readonly follow?: boolean | undefined;
    };
    readonly response: {
      readonly events: readonly ({
        /** svc.event/v1 */
        readonly schema: string;
        readonly offset: number;
        readonly type: string;
        /** time label of its transaction */
        readonly ts: string;
        readonly subject: string | null;
        readonly group_id: string | null;
        readonly tx_id: number;
        readonly payload: Readonly<Record<string, unknown>>;
      })[];
      /** read on with it as since */
      readonly next_offset: number;
      /** events after next_offset, of whatever types */
      readonly lag: number;
      /** of the consumer, when the page began there */
      readonly committed_offset?: number | undefined;
    };
  };
  /** Note how far a consumer has read the events. */
  readonly events_commit: {
    readonly request: {
      /** name of the consumer */
      readonly consumer_id: string;
      /** offset of the last event that it is done with; lower replays */
      readonly offset: number;
    };
    readonly response: {
      readonly consumer_id: string;
      readonly committed_offset: number;
    };
  };
  /** Count refused writes by the gate that refused them. */
  readonly events_refusals: {
    readonly request: Readonly<Record<string, never>>;
    readonly response: {
      readonly refusals: readonly {
        readonly gate: string;
        readonly refused: number;
      }[];
      readonly total: number;
    };
  };
  /** List the registered graphs. */
  readonly graphs: {
    readonly request: {
      /** a kind: operational, archive, reference, derived, staging, quarantine, or one of labels.extra_kinds */
      readonly kind?: string | undefined;
      /** frozen */
      readonly lifecycle?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly graphs: readonly ({
        readonly graph: string;
        readonly class: 'committed' | 'overlay';
        readonly source: string | null;
        readonly lifecycle: string | null;
        readonly parent: string | null;
        readonly facts: number;
        /** null on an axis = undeclared, or expired */
        readonly labels: {
          readonly freshness: string | null;
          readonly durability: string | null;
          readonly trust: {
            readonly iri: string;
            readonly chain: string;
            /** higher = more trusted, within one chain */
            readonly rank: number;
          } | null;
          readonly policy: readonly string[] | null;
          readonly kind: string | null;
        };
        /** of a frozen graph */
        readonly archive?: {
          readonly path?: string | undefined;
          readonly sha256?: string | undefined;
          readonly frozen_at?: string | null | undefined;
          readonly attached: boolean;
          readonly error?: string | undefined;
        } | undefined;
        /** which mapping made the content of which source; absent where nothing is recorded */
        readonly materialization?: {
          readonly mapping: string;
          readonly mapping_closure_hash: string;
          readonly external_truth: string;
          readonly verified_source_hash: string;
          /** transaction that wrote the content */
          readonly tx: number;
          readonly timestamp: string | null;
          /** true: something was written into the graph since */
          readonly superseded?: boolean | undefined;
        } | undefined;
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Register a graph; one that is there already stays as it is. */
  readonly graph_create: {
    readonly request: {
      /** IRI of a graph */
      readonly graph: string;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      /** number of the graph in this store; who may read some graphs only is not told it */
      readonly g?: number | undefined;
      readonly graph: string;
      /** committed */
      readonly class: string;
      readonly created: boolean;
    };
  };
  /** Make an overlay: a graph of changes over a parent, which stays as it is. */
  readonly overlay_create: {
    readonly request: {
      /** IRI of the overlay */
      readonly overlay: string;
      /** IRI of the graph that it lies over; default ROOT */
      readonly parent_branch?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      /** number of the overlay in this store; who may read some graphs only is not told it */
      readonly g?: number | undefined;
      /** number of the parent; 0 is ROOT */
      readonly parent_branch?: number | undefined;
      readonly overlay: string;
      readonly parent: string;
    };
  };
  /** Write one triple into an overlay: assert it, hide it, or take that back. */
  readonly overlay_write: {
    readonly request: {
      /** IRI of the overlay */
      readonly overlay: string;
      /** assert: the overlay has the triple; tombstone: it hides the triple of the parent; retract: neither */
      readonly op: 'assert' | 'tombstone' | 'retract';
      /** IRI of the subject, or _:label */
      readonly subject: string;
      /** IRI of the predicate */
      readonly predicate: string;
      /** a string, or an object with one form: {"iri": ...}, {"str": ...}, {"int": 1}, {"value": ..., "lang": ...} ... */
      readonly object: unknown;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      /** 0: the overlay says so already */
      readonly tx_id: number;
    };
  };
  /** Read an overlay and its parent together. */
  readonly overlay_compose: {
    readonly request: {
      /** IRI of the overlay */
      readonly overlay: string;
      /** nearest (default): the overlay wins; governed: the parent does, and tombstones hide nothing of it */
      readonly precedence?: 'nearest' | 'governed' | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly triples: readonly ({
        readonly subject: string;
        readonly predicate: string;
        readonly object: unknown;
        readonly from: 'overlay' | 'parent';
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Declare how fresh, durable and trusted a graph is, what may be done with it, and what kind it is. */
  readonly graph_label: {
    readonly request: {
      /** IRI of a graph */
      readonly graph: string;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp: string;
      /** one of fresh, recomputing, stale, the best first */
      readonly freshness?: string | undefined;
      /** one of backed, reproducible, soleRecord, the best first */
      readonly durability?: string | undefined;
      /** a kind: operational, archive, reference, derived, staging, quarantine, or one of labels.extra_kinds */
      readonly kind?: string | undefined;
      /** iri, chain and rank, all three; chain and rank belong to the IRI for good */
      readonly trust?: {
        /** names the trust */
        readonly iri: string;
        /** within which ranks compare */
        readonly chain: string;
        /** higher = more trusted, within one chain only */
        readonly rank: number;
      } | undefined;
      /** tokens of obligations, without spaces; an empty list: no obligations */
      readonly policy?: readonly string[] | undefined;
      /** from this instant on (RFC 3339) the axes that are named read as undeclared; later than the timestamp */
      readonly valid_to?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      /** 0 when all of it was declared already */
      readonly tx_id: number;
    };
  };
  /** Move all rows of a graph into a file of its own, which stays readable by the name of the graph. */
  readonly graph_freeze: {
    readonly request: {
      /** IRI of the graph */
      readonly graph: string;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp: string;
      /** who says to write */
      readonly actor?: string | undefined;
      /** the folder of the file, in archives.dir; default archives.dir */
      readonly out_dir?: string | undefined;
    };
    readonly response: {
      readonly graph: string;
      readonly lifecycle: string | null;
      /** the file */
      readonly archive: string;
      /** of the contents */
      readonly sha256: string;
      /** lines of facts of the content hash: a retracted fact has two */
      readonly facts: number;
      /** that the file carries */
      readonly transactions: number;
      readonly tx_id: number;
    };
  };
  /** Put the rows of a frozen graph back into the store. */
  readonly graph_thaw: {
    readonly request: {
      /** IRI of the graph */
      readonly graph: string;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp: string;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      readonly graph: string;
      readonly lifecycle: string | null;
      /** the file */
      readonly archive: string;
      /** of the contents */
      readonly sha256: string;
      /** lines of facts of the content hash: a retracted fact has two */
      readonly facts: number;
      /** that the file carries */
      readonly transactions: number;
      readonly tx_id: number;
    };
  };
  /** Take a share bundle in: verify it, and stage it in a graph of its own; ROOT is not written. */
  readonly import_share: {
    readonly request: {
      /** the manifest, as an object or as its JSON text */
      readonly manifest: Readonly<Record<string, never>> | string;
      /** the text of export.nt */
      readonly export_ntriples: string;
      /** the text of shapes.ttl: kept as evidence, and never loaded */
      readonly shapes_turtle: string;
      /** who the share came from, in words of your own */
      readonly source: string;
      /** who says to write */
      readonly actor?: string | undefined;
      /** judge a share that is in quarantine again, by the shapes of now */
      readonly recheck?: boolean | undefined;
      /** signature.json, where the bundle has one */
      readonly signature?: {
        /** IRI of who vouches for the share */
        readonly verifier: string;
        /** 64 hex digits of an ed25519 key */
        readonly public_key: string;
        /** 128 hex digits */
        readonly signature: string;
      } | undefined;
    };
    readonly response: {
      /** unchanged: it was imported before; verified: by the command without a store, nothing was stored */
      readonly outcome: 'staged' | 'quarantined' | 'unchanged' | 'verified';
      readonly share_id: string;
      /** IRI of the record of the import */
      readonly import: string;
      /** the staging graph, or the quarantine graph when something was set aside */
      readonly graph: string | null;
      readonly quarantine_graph: string | null;
      /** triples in the staging graph */
      readonly accepted: number;
      /** triples in the quarantine graph */
      readonly quarantined: number;
      /** foreign IRIs that became local ones, since the labels of both are the same text and nothing else has it */
      readonly rewritten: readonly {
        readonly from: string;
        readonly to: string;
        readonly name: string;
      }[];
      /** what foreign names may mean here; nothing is merged */
      readonly resolution_candidates: readonly {
        readonly entity: string;
        readonly candidates: readonly {
          readonly iri: string;
          readonly score: number;
          /** canonical_name:jaro_winkler:<score>, embedding:<score> or iri_collision */
          readonly matched_on: string;
        }[];
      }[];
      /** names that were not compared, since there are too many */
      readonly names_left_out: number;
      readonly shacl: {
        readonly conforms: boolean;
        readonly violations: readonly ({
          /** Violation, Warning, Info, or the IRI of another severity */
          readonly severity: string;
          /** IRI, or _:label */
          readonly focus_node: string;
          /** local name of the constraint component */
          readonly component: string;
          /** IRI of the predicate, or a property path */
          readonly path: string | null;
          /** IRI, text or _:label of what is wrong */
          readonly value: string | null;
          readonly source_shape: string | null;
          readonly message: string;
          readonly alternatives: readonly ({
            /** what it could be instead: value, entity, path, datatype ... */
            readonly kind: string;
            readonly value: string;
            /** how like it is to what is there, 0 to 1 */
            readonly score?: number | undefined;
            readonly instead_of?: string | undefined;
          })[];
        })[];
        readonly warnings: readonly ({
          /** Violation, Warning, Info, or the IRI of another severity */
          readonly severity: string;
          /** IRI, or _:label */
          readonly focus_node: string;
          /** local name of the constraint component */
          readonly component: string;
          /** IRI of the predicate, or a property path */
          readonly path: string | null;
          /** IRI, text or _:label of what is wrong */
          readonly value: string | null;
          readonly source_shape: string | null;
          readonly message: string;
          readonly alternatives: readonly ({
            /** what it could be instead: value, entity, path, datatype ... */
            readonly kind: string;
            readonly value: string;
            /** how like it is to what is there, 0 to 1 */
            readonly score?: number | undefined;
            readonly instead_of?: string | undefined;
          })[];
        })[];
        readonly infos: readonly ({
          /** Violation, Warning, Info, or the IRI of another severity */
          readonly severity: string;
          /** IRI, or _:label */
          readonly focus_node: string;
          /** local name of the constraint component */
          readonly component: string;
          /** IRI of the predicate, or a property path */
          readonly path: string | null;
          /** IRI, text or _:label of what is wrong */
          readonly value: string | null;
          readonly source_shape: string | null;
          readonly message: string;
          readonly alternatives: readonly ({
            /** what it could be instead: value, entity, path, datatype ... */
            readonly kind: string;
            readonly value: string;
            /** how like it is to what is there, 0 to 1 */
            readonly score?: number | undefined;
            readonly instead_of?: string | undefined;
          })[];
        })[];
      };
      readonly promotion_blockers: readonly ({
        readonly kind: 'off_vocabulary' | 'violation';
        readonly subject: string;
        readonly term?: string | undefined;
        readonly message: string;
      })[];
      /** lists of faults have their first 1000 entries only */
      readonly truncated: boolean;
      /** this store knows the share that it follows */
      readonly parent_known: boolean;
      /** there when somebody vouches for the share; what is accepted does not depend on it */
      readonly signature?: {
        readonly verifier: string;
        readonly public_key: string;
        /** it is one of this share, by the key that it names */
        readonly valid: boolean;
        /** and a registration of this store with that key attests share */
        readonly trusted: boolean;
      } | undefined;
      /** transaction of the staging graph; 0: nothing was written */
      readonly tx_id: number;
      /** transaction of the quarantine graph */
      readonly quarantine_tx_id?: number | undefined;
    };
  };
  /** Bring a staged share into ROOT; what was retracted there stays retracted. */
  readonly import_promote: {
    readonly request: {
      /** sha256: and 64 hex digits */
      readonly share_id: string;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      readonly share_id: string;
      /** unchanged: it was promoted before */
      readonly outcome: 'promoted' | 'unchanged';
      /** 0 when it is unchanged */
      readonly tx_id: number;
      /** of the staging graph, without those that are withheld */
      readonly triples: number;
      /** triples that are withheld, since ROOT has had them and has lost them */
      readonly suppressed_retractions: number;
      /** facts that ROOT did not have */
      readonly new_facts: number;
      /** of those that are withheld, 20 at most */
      readonly suppressed_sample: readonly {
        readonly entity: string;
        readonly predicate: string;
        readonly value: unknown;
      }[];
      /** the staging graph, which stays */
      readonly graph: string;
    };
  };
  /** Count what the store holds. */
  readonly stats: {
    readonly request: Readonly<Record<string, never>>;
    readonly response: {
      /** current quads of ROOT */
      readonly facts: number;
      /** distinct subjects of ROOT */
      readonly entities: number;
      /** distinct predicates of ROOT */
      readonly predicates: number;
      /** current quads of all graphs */
      readonly quads: number;
      readonly graphs: number;
      readonly transactions: number;
      /** null for who may read some graphs only */
      readonly terms: number | null;
      /** null: there is none, or who asks may read some graphs only */
      readonly last_transaction: {
        readonly tx_id: number;
        readonly timestamp: string;
      } | null;
      readonly store: string;
      /** null for who may read some graphs only */
      readonly storage: {
        readonly file_bytes: number;
        readonly bytes_by_part: Readonly<Record<string, number>>;
        readonly rows: {
          /** every row, current and closed */
          readonly total: number;
          /** closed rows in runs */
          readonly history: number;
          /** closed rows that current runs still hold */
          readonly dead: number;
        };
        readonly runs: {
          readonly current: number;
          readonly history: number;
        };
        /** what small transactions have added since the last fold */
        readonly delta: {
          readonly rows: number;
          readonly closes: number;
          readonly terms: number;
          readonly bytes: number;
        };
        readonly pages: {
          readonly page_bytes: number;
          readonly pages: number;
          /** pages that hold nothing now */
          readonly free: number;
          /** open views of the file, in all processes */
          readonly readers: number;
          /** commits of the file since the view of the oldest of them */
          readonly oldest_reader_commits: number | null;
        } | null;
        /** what this process has written; null when it only reads */
        readonly written: {
          readonly commits: number;
          readonly transactions: number;
          readonly log_bytes: number;
          readonly rows_folded: number;
          readonly runs_merged: number;
          readonly maintenance_bytes: number;
        } | null;
      } | null;
    };
  };
  /** Run rules over a graph: what follows stands in its companion graph. */
  readonly reason: {
    readonly request: {
      /** rules in Turtle; absent = those that are stored with shapes */
      readonly rules?: string | undefined;
      /** what bare names of these rules begin with; absent = the namespace of the store */
      readonly prefix?: string | undefined;
      /** IRI of the graph whose facts are the premises; absent = ROOT */
      readonly graph?: string | undefined;
      /** go on to follow writes as long as this process lives */
      readonly reactive?: boolean | undefined;
      /** from when on derived facts hold (RFC 3339, or a date); default now */
      readonly timestamp?: string | undefined;
    };
    readonly response: {
      readonly rules: number;
      /** levels that have rules */
      readonly strata_run: number;
      readonly asserted: number;
      readonly retracted: number;
      /** in the order of the rules */
      readonly per_rule: readonly {
        readonly rule: string;
        readonly asserted: number;
      }[];
      readonly graph: string;
      readonly inferred_graph: string;
    };
  };
  /** Say why a fact stands: by which rule or axioms, from which premises. */
  readonly fact_explain: {
    readonly request: {
      /** IRI of the subject, or _:label */
      readonly s: string;
      /** IRI of the predicate */
      readonly p: string;
      /** the object: an absolute IRI, _:label, or the text of a literal */
      readonly o: string;
      /** derivations to follow, one below the other; 0 to 100, default 5 */
      readonly depth?: number | undefined;
    };
    readonly response: {
      readonly fact: {
        readonly s: string;
        readonly p: string;
        /** an IRI, _:label, or a value */
        readonly o: unknown;
      };
      readonly found: boolean;
      /** the transaction that asserted it */
      readonly tx: number | null;
      /** of that transaction */
      readonly source: string | null;
      readonly graph: string | null;
      /** the depth ends here */
      readonly truncated?: boolean | undefined;
      /** null: a base fact, or none */
      readonly derivation?: {
        /** rule or owl */
        readonly kind: string;
        /** id of the rule */
        readonly rule?: string | undefined;
        /** there is no rule of that id any more */
        readonly rule_missing?: boolean | undefined;
        /** by variable */
        readonly bindings?: Readonly<Record<string, unknown>> | undefined;
        /** kind of the axioms; null: none of the loaded ones fits */
        readonly family?: string | null | undefined;
        /** pairs of IRIs, from the premise to the fact */
        readonly axioms?: readonly (readonly string[])[] | undefined;
        /** premises, each as the whole answer without graph; one that is gone has absent and closed_tx */
        readonly support: readonly Readonly<Record<string, unknown>>[];
        /** negated atoms */
        readonly absence?: readonly {
          readonly fact: {
            readonly s: string;
            readonly p: string;
            /** an IRI, _:label, or a value */
            readonly o: unknown;
          };
          readonly held: boolean;
        }[] | undefined;
      } | null | undefined;
    };
  };
  /** Validate data with SHACL shapes; nothing is written. */
  readonly validate: {
    readonly request: {
      /** SHACL shapes, in Turtle; absent = the stored sets */
      readonly shapes?: string | undefined;
      /** the data, in Turtle unless the format says otherwise */
      readonly data: string;
      /** of the data: ntriples, nquads, turtle, trig, rdfxml, jsonld; absent = turtle */
      readonly format?: 'ntriples' | 'nquads' | 'turtle' | 'trig' | 'rdfxml' | 'jsonld' | undefined;
      /** what relative IRIs of the data stand below */
      readonly base?: string | undefined;
      /** the stored sets of this instant */
      readonly valid_at?: string | undefined;
      /** the stored sets after this transaction */
      readonly as_of_tx?: number | undefined;
    };
    readonly response: {
      /** false when there is a violation */
      readonly conforms: boolean;
      readonly violations: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI, or _:label */
        readonly focus_node: string;
        /** local name of the constraint component */
        readonly component: string;
        /** IRI of the predicate, or a property path */
        readonly path: string | null;
        /** IRI, text or _:label of what is wrong */
        readonly value: string | null;
        readonly source_shape: string | null;
        readonly message: string;
        readonly alternatives: readonly ({
          /** what it could be instead: value, entity, path, datatype ... */
          readonly kind: string;
          readonly value: string;
          /** how like it is to what is there, 0 to 1 */
          readonly score?: number | undefined;
          readonly instead_of?: string | undefined;
        })[];
      })[];
      readonly warnings: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI, or _:label */
        readonly focus_node: string;
        /** local name of the constraint component */
        readonly component: string;
        /** IRI of the predicate, or a property path */
        readonly path: string | null;
        /** IRI, text or _:label of what is wrong */
        readonly value: string | null;
        readonly source_shape: string | null;
        readonly message: string;
        readonly alternatives: readonly ({
          /** what it could be instead: value, entity, path, datatype ... */
          readonly kind: string;
          readonly value: string;
          /** how like it is to what is there, 0 to 1 */
          readonly score?: number | undefined;
          readonly instead_of?: string | undefined;
        })[];
      })[];
      readonly infos: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI, or _:label */
        readonly focus_node: string;
        /** local name of the constraint component */
        readonly component: string;
        /** IRI of the predicate, or a property path */
        readonly path: string | null;
        /** IRI, text or _:label of what is wrong */
        readonly value: string | null;
        readonly source_shape: string | null;
        readonly message: string;
        readonly alternatives: readonly ({
          /** what it could be instead: value, entity, path, datatype ... */
          readonly kind: string;
          readonly value: string;
          /** how like it is to what is there, 0 to 1 */
          readonly score?: number | undefined;
          readonly instead_of?: string | undefined;
        })[];
      })[];
    };
  };
  /** Ask a policy, or a claim, about an entity; nothing is written. */
  readonly policy_check: {
    readonly request: {
      /** a policy of ROOT, whose claim is asked */
      readonly policy?: string | undefined;
      /** an ASK in which $target stands for the entity; goes before policy */
      readonly claim?: string | undefined;
      /** the entity */
      readonly target: string;
      /** with claim: what the verdict is about; default policy, then inline */
      readonly predicate_id?: string | undefined;
      /** an ASK that says whether there is anything to judge by */
      readonly evidence_probe?: string | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** as of this transaction */
      readonly tx?: number | undefined;
    };
    readonly response: {
      readonly predicate_id: string;
      readonly target_ref: string;
      /** satisfied, unsatisfied, or unknown where the probe says that there is nothing to judge by */
      readonly outcome: string;
      readonly evidence_hash: string;
      readonly tier: string;
      readonly verifier: string;
      /** a registration lets the verifier attest the predicate */
      readonly verifier_authorized: boolean;
      readonly signed: boolean;
      readonly signature?: string | undefined;
      readonly verifier_public_key?: string | undefined;
    };
  };
  /** Tell what a signed verdict is worth by the registrations of the store. */
  readonly verdict_verify: {
    readonly request: {
      /** what the verdict is about */
      readonly predicate_id: string;
      /** the entity, as the verdict names it */
      readonly target_ref: string;
      /** satisfied, unsatisfied or unknown */
      readonly outcome: 'satisfied' | 'unsatisfied' | 'unknown';
      /** as the verdict has it */
      readonly evidence_hash: string;
      /** of the verdict; default committed */
      readonly tier?: string | undefined;
      /** who has signed, as the verdict names it */
      readonly verifier: string;
      /** hexadecimal digits */
      readonly signature: string;
    };
    readonly response: {
      /** a registered key of the verifier has signed exactly this */
      readonly signature_valid: boolean;
      /** a key of the verifier is registered */
      readonly verifier_registered: boolean;
      /** it may attest this predicate */
      readonly verifier_authorized: boolean;
      /** the signature is valid and the verifier authorized */
      readonly trusted: boolean;
    };
  };
  /** List the requests that a server works on now, the oldest first. */
  readonly queries_running: {
    readonly request: {
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
    };
    readonly response: {
      readonly running: readonly ({
        /** what /queries/cancel takes */
        readonly id: number;
        readonly operation: string;
        /** of a query or update, cut at 300 characters */
        readonly text: string | null;
        readonly client: string;
        readonly elapsed_ms: number;
        /** how much of it was waiting for a place or a turn */
        readonly waited_ms: number;
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** End a request that a server works on. */
  readonly queries_cancel: {
    readonly request: {
      /** as /queries/running lists it */
      readonly id: number;
    };
    readonly response: {
      readonly id: number;
      readonly cancelled: boolean;
    };
  };
  /** Propose which entities of two graphs are the same, by their labels. */
  readonly align_propose: {
    readonly request: {
      /** IRI of a graph; ROOT is urn:svc:graph:root */
      readonly left: string;
      /** IRI of the other graph */
      readonly right: string;
      /** the least score; default 0.85 */
      readonly threshold?: number | undefined;
      /** most candidates of a left entity; default 3 */
      readonly top_k?: number | undefined;
      /** only entities of this type, on both sides */
      readonly entity_type?: string | undefined;
      /** most mappings; 1 to 10000, default 200 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly left: string;
      readonly right: string;
      /** where decisions on the two stand */
      readonly alignment_graph: string;
      /** of the state that was read */
      readonly expected_version: string;
      /** by score, then by the IRIs */
      readonly mappings: readonly {
        readonly left: string;
        readonly right: string;
        readonly left_label: string;
        readonly right_label: string;
        readonly score: number;
        readonly matched_on: string;
        /** another pair is as good, or wants the same right entity */
        readonly contested: boolean;
      }[];
      readonly count: number;
      readonly truncated: boolean;
      /** why names alone were compared */
      readonly embeddings?: {
        readonly error: string;
      } | undefined;
    };
  };
  /** Check decisions on proposed pairs and bind them to the state they were made on; nothing is stored. */
  readonly align_decide: {
    readonly request: {
      /** IRI of a graph; ROOT is urn:svc:graph:root */
      readonly left: string;
      /** IRI of the other graph */
      readonly right: string;
      /** expected_version of the answer before */
      readonly expected_version: string;
      /** of at least one pair */
      readonly decisions: readonly ({
        /** entity of the left graph */
        readonly left: string;
        /** entity of the right */
        readonly right: string;
        /** accept (one entity) or negate (two) */
        readonly verdict: 'accept' | 'negate';
        /** why */
        readonly note?: string | null | undefined;
      })[];
    };
    readonly response: {
      readonly left: string;
      readonly right: string;
      /** by the IRIs of the pairs */
      readonly decided: readonly ({
        readonly left: string;
        readonly right: string;
        /** accept (one entity) or negate (two) */
        readonly verdict: 'accept' | 'negate';
        readonly note: string | null;
      })[];
      readonly accepted: number;
      readonly negated: number;
      /** of the state and of these decisions */
      readonly expected_version: string;
    };
  };
  /** Write decisions on pairs into the graph of their alignment. */
  readonly align_apply: {
    readonly request: {
      /** IRI of a graph; ROOT is urn:svc:graph:root */
      readonly left: string;
      /** IRI of the other graph */
      readonly right: string;
      /** expected_version of the answer before */
      readonly expected_version: string;
      /** the decisions as align_decide gave them */
      readonly decided: readonly ({
        /** entity of the left graph */
        readonly left: string;
        /** entity of the right */
        readonly right: string;
        /** accept (one entity) or negate (two) */
        readonly verdict: 'accept' | 'negate';
        /** why */
        readonly note?: string | null | undefined;
      })[];
      /** of that answer, which can be handed on as it is */
      readonly accepted?: number | undefined;
      /** of that answer */
      readonly negated?: number | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
    };
    readonly response: {
      /** 0: all of it was written already */
      readonly tx_id: number;
      /** owl:sameAs facts that were written */
      readonly same_as: number;
      /** svc:distinctFrom facts that were written */
      readonly distinct_from: number;
      /** facts that said the opposite */
      readonly retracted: number;
      readonly alignment_graph: string;
      /** of the state after it */
      readonly expected_version: string;
    };
  };
  /** Tell which steps of a trajectory its verification rests on. */
  readonly path_cone: {
    readonly request: {
      /** IRI of the trajectory */
      readonly trajectory: string;
      /** derivation predicates besides verifiedBy */
      readonly via?: readonly string[] | undefined;
      /** most facts from a step to a verification; default 8 */
      readonly hops?: number | undefined;
      /** namespace of the vocabulary (stepOf, verifiedBy ...); default that of the store */
      readonly base_ns?: string | undefined;
    };
    readonly response: {
      readonly trajectory: string;
      readonly hops: number;
      /** those that could have failed: they have a falsifier */
      readonly verifications: readonly string[];
      readonly derivation_predicates: readonly string[];
      readonly steps: readonly ({
        readonly iri: string;
        readonly order: number | null;
        readonly verdict: 'InCone' | 'OutOfCone' | 'CannotEvaluate';
        readonly reason: string;
      })[];
    };
  };
  /** Compare trajectories about the same topics with an exemplar, and how they ended. */
  readonly path_backtest: {
    readonly request: {
      /** IRI of the trajectory that the others are compared with */
      readonly exemplar: string;
      /** steps of the exemplar that the pattern leaves out */
      readonly omit?: readonly string[] | undefined;
      /** namespace of the vocabulary (stepOf, verifiedBy ...); default that of the store */
      readonly base_ns?: string | undefined;
    };
    readonly response: {
      readonly grammar: string;
      readonly exemplar: string;
      readonly pattern: readonly {
        readonly action_kind: string;
        readonly target_class: string;
      }[];
      readonly topics: readonly string[];
      /** every other trajectory whose work item shares a topic, by IRI */
      readonly rows: readonly ({
        readonly trajectory: string;
        readonly workitem: string;
        readonly outcome: string | null;
        /** Conforms, CannotEvaluate (no step has an actionKind), or where it deviates */
        readonly result: 'Conforms' | 'CannotEvaluate' | {
          readonly DeviatesAt: {
            /** of the first step that was not met */
            readonly pattern_index: number;
          };
        };
        /** steps without an actionKind */
        readonly unevaluated_steps: number;
      })[];
      readonly conformers_done: number;
      readonly conformers_total: number;
      readonly deviators_done: number;
      readonly deviators_total: number;
      readonly cannot_evaluate: number;
    };
  };
  /** List the work items whose commits touch what those of a work item touch. */
  readonly cooccurrence: {
    readonly request: {
      /** IRI of the work item */
      readonly work_item: string;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly work_item: string;
      /** most shared entities first, then by IRI */
      readonly cooccurring: readonly {
        readonly work_item: string;
        readonly shared_entities: number;
      }[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** List the proposals to change the schema, the newest first. */
  readonly proposals: {
    readonly request: {
      /** pending, accepted or rejected; absent: all */
      readonly status?: 'pending' | 'accepted' | 'rejected' | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly proposals: readonly ({
        readonly id: number;
        /** shape, ontology, class or property */
        readonly kind: 'shape' | 'ontology' | 'class' | 'property';
        readonly target: string;
        readonly diff: string;
        readonly rationale: string | null;
        readonly proposer: string;
        readonly trigger_ref: string | null;
        readonly status: 'pending' | 'accepted' | 'rejected';
        readonly decided_by: string | null;
        readonly decided_at: string | null;
        /** what who decided said of it */
        readonly decision_note: string | null;
        readonly created_at: string;
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Propose a change of the schema, to be accepted or rejected by somebody else. */
  readonly propose: {
    readonly request: {
      /** shape, ontology, class or property */
      readonly kind: 'shape' | 'ontology' | 'class' | 'property';
      /** what is to change; of a shape the name of the set */
      readonly target: string;
      /** the change, in Turtle; read when it is accepted */
      readonly diff: string;
      /** who proposes */
      readonly proposer: string;
      /** why */
      readonly rationale?: string | undefined;
      /** what gave rise to it, such as a ticket */
      readonly trigger_ref?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
    };
    readonly response: {
      readonly proposal_id: number;
      readonly status: 'pending';
    };
  };
  /** Accept a proposal; that of a shape is loaded with the decision. */
  readonly proposal_accept: {
    readonly request: {
      /** number of the proposal */
      readonly id: number | string;
      /** what is said of the decision */
      readonly note?: string | undefined;
      /** who decides; absent: the principal of the token, if it names one */
      readonly decided_by?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
    };
    readonly response: {
      readonly proposal_id: number;
      readonly status: 'accepted';
      readonly target: string;
      /** shape, ontology, class or property */
      readonly kind: 'shape' | 'ontology' | 'class' | 'property';
    };
  };
  /** Reject a proposal, and say why. */
  readonly proposal_reject: {
    readonly request: {
      /** number of the proposal */
      readonly id: number | string;
      /** why */
      readonly note: string;
      /** who decides; absent: the principal of the token, if it names one */
      readonly decided_by?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
    };
    readonly response: {
      readonly proposal_id: number;
      readonly status: 'rejected';
      readonly target: string;
    };
  };
  /** Show the entities with the most connections, and the edges between them, to be drawn. */
  readonly graph: {
    readonly request: {
      /** most nodes; 1 to 2000, default 250 */
      readonly limit?: number | undefined;
      /** only nodes of this type, as it is asserted */
      readonly type?: string | undefined;
      /** with the activities of episodes; default false */
      readonly include_episodes?: boolean | undefined;
    };
    readonly response: {
      /** by degree, then by IRI */
      readonly nodes: readonly ({
        readonly iri: string;
        /** rdfs:label, or the local name */
        readonly label: string;
        readonly type: string | null;
        /** edges, those to nodes that are not shown included */
        readonly deg: number;
      })[];
      /** place of the source, place of the target, local name of the predicate */
      readonly edges: readonly (readonly unknown[])[];
      readonly types: readonly {
        readonly iri: string;
        readonly label: string;
        readonly count: number;
      }[];
      readonly truncated: {
        readonly shown: number;
        /** nodes that there are */
        readonly of: number;
        readonly edges_shown: number;
        /** edges between the nodes shown */
        readonly edges_of: number;
      };
      readonly stats: {
        /** shown */
        readonly nodes: number;
        /** shown */
        readonly edges: number;
      };
    };
  };
  /** List what transactions asserted and retracted. */
  readonly changes: {
    readonly request: {
      /** only changes of later transactions; default 0 */
      readonly since?: number | undefined;
      /** default new_values */
      readonly capture?: 'new_values' | 'old_and_new_values' | 'new_row' | undefined;
      /** only changes in this graph; absent = all */
      readonly graph?: string | undefined;
      /** most records; 1 to 10000, default 1000; a transaction is never split */
      readonly limit?: number | undefined;
    };
    readonly response: {
      readonly capture: string;
      readonly count: number;
      /** read on with it as since */
      readonly next_tx: number;
      /** the newest transaction */
      readonly watermark: number;
      readonly changes: readonly Readonly<Record<string, unknown>>[];
    };
  };
  /** List episodes and transactions by time. */
  readonly timeline: {
    readonly request: {
      /** only time labels from this instant on (RFC 3339, or a date) */
      readonly from?: string | undefined;
      /** only time labels before this instant */
      readonly to?: string | undefined;
      /** only sources that begin with this word, up to their first colon: episode, set, snapshot, none, other */
      readonly source_type?: string | undefined;
      /** most items; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** next_cursor of the page before */
      readonly cursor?: string | undefined;
      /** the oldest first (default), or the newest */
      readonly order?: 'asc' | 'desc' | undefined;
      /** counts by so many equal intervals besides, at most 1000 */
      readonly buckets?: number | undefined;
    };
    readonly response: {
      readonly items: readonly ({
        /** episode, or transaction */
        readonly kind: string;
        readonly tx: number;
        /** when it was written, as it says */
        readonly timestamp: string;
        /** when its statements begin to hold, unless they say otherwise */
        readonly valid_from: string;
        readonly actor: string | null;
        readonly source: string | null;
        /** the word before the first colon of source; none: it has no source; other: no word */
        readonly source_type: string;
        /** name of the episode */
        readonly episode: string | null;
        /** statements that it opened; null: the reader may read some graphs only */
        readonly asserted: number | null;
        /** statements that it closed */
        readonly retracted: number | null;
      })[];
      readonly count: number;
      /** null: there are no more */
      readonly next_cursor: string | null;
      /** the newest transaction that is looked at */
      readonly watermark: number;
      /** earliest and latest time label of the store; null: it is empty */
      readonly extent: {
        readonly first: string;
        readonly last: string;
      } | null;
      /** null: the store is empty */
      readonly buckets?: {
        readonly from: string;
        readonly to: string;
        /** length of each interval */
        readonly seconds: number;
        /** ascending; intervals without transactions are left out */
        readonly counts: readonly ({
          readonly from: string;
          /** episodes are among them */
          readonly transactions: number;
          readonly episodes: number;
          /** null: the reader may read some graphs only */
          readonly asserted: number | null;
          /** null: the reader may read some graphs only */
          readonly retracted: number | null;
        })[];
      } | null | undefined;
    };
  };
  /** Write an episode that is a text alone. */
  readonly episodes_complete: {
    readonly request: {
      /** stable name of the episode; the same name again updates it */
      readonly name: string;
      /** the text */
      readonly episode_body?: string | undefined;
      /** provenance group */
      readonly group_id?: string | undefined;
      /** who says so */
      readonly source_description?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
    };
    readonly response: {
      readonly outcome: 'created' | 'updated' | 'unchanged';
      /** statements that the payload makes; 0 when it is unchanged */
      readonly count: number;
      /** 0 when it is unchanged */
      readonly tx_id: number;
      readonly episode: string;
      /** of the episode itself */
      readonly iri: string;
      /** name and IRI of each entity; empty when it is unchanged */
      readonly nodes: Readonly<Record<string, string>>;
      readonly resolution_hints: readonly {
        readonly node: string;
        readonly candidates: readonly {
          readonly iri: string;
          readonly score: number;
          /** canonical_name:jaro_winkler:<score>, embedding:<score> or iri_collision */
          readonly matched_on: string;
        }[];
      }[];
      readonly resolution_contentions: readonly {
        readonly iri: string;
        readonly claimants: readonly {
          readonly node: string;
          readonly score: number;
        }[];
      }[];
      /** ends of edges that are no nodes of the payload */
      readonly dangling_nodes: readonly string[];
      readonly violations: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
      readonly warnings: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
      readonly infos: readonly ({
        /** Violation, Warning, Info, or the IRI of another severity */
        readonly severity: string;
        /** IRI or _:label of the node that was judged */
        readonly focus_node?: string | undefined;
        /** constraint component, such as MinCountConstraintComponent */
        readonly component?: string | undefined;
        readonly path?: string | null | undefined;
        readonly value?: string | null | undefined;
        readonly source_shape?: string | null | undefined;
        readonly message: string;
        /** what would be right: kind, value, score */
        readonly alternatives?: readonly Readonly<Record<string, never>>[] | undefined;
      })[];
    };
  };
  /** Take back what an episode wrote. */
  readonly retract_episode: {
    readonly request: {
      /** name of the episode */
      readonly episode: string;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
      /** labels and types of entities that others still mention: preserve (default) keeps them, refuse changes nothing when there are any, allow takes them */
      readonly on_orphan?: 'preserve' | 'refuse' | 'allow' | undefined;
    };
    readonly response: {
      /** 0 when there was nothing to retract */
      readonly tx_id: number;
      readonly retracted: number;
      readonly episode: string;
      /** what was retracted; at most 10000 */
      readonly statements: readonly ({
        readonly entity: string;
        readonly predicate: string;
        readonly value: unknown;
        /** absent: ROOT */
        readonly graph?: string | undefined;
      })[];
      /** more was retracted than is listed */
      readonly truncated: boolean;
      readonly on_orphan: string;
      readonly identity_preserved: number;
      readonly identity_preserved_statements: readonly ({
        readonly entity: string;
        readonly predicate: string;
        readonly value: unknown;
        /** absent: ROOT */
        readonly graph?: string | undefined;
      })[];
      readonly identity_orphans: number;
      readonly identity_orphan_entities: readonly {
        readonly entity: string;
        readonly lost_label: boolean;
        readonly lost_type: boolean;
      }[];
    };
  };
  /** Say which entities a name may mean. */
  readonly resolve_entity: {
    readonly request: {
      /** the name */
      readonly name: string;
      /** what else is known of it, names and texts; counts where there are embeddings */
      readonly properties?: Readonly<Record<string, never>> | undefined;
      /** most candidates; default resolution.top_k */
      readonly top_k?: number | undefined;
      /** the least score; default resolution.threshold */
      readonly threshold?: number | undefined;
    };
    readonly response: {
      readonly candidates: readonly {
        readonly iri: string;
        readonly score: number;
        /** canonical_name:jaro_winkler:<score>, embedding:<score> or iri_collision */
        readonly matched_on: string;
      }[];
      readonly count: number;
      readonly has_matches: boolean;
      /** why names alone were compared */
      readonly embeddings?: {
        readonly error: string;
      } | undefined;
      readonly vector_scope: {
        readonly kind: string;
        readonly attached_layers?: number | undefined;
      };
    };
  };
  /** Find mentions of known entities in a text. */
  readonly spotlight: {
    readonly request: {
      /** the text */
      readonly text: string;
      /** the least confidence, default 0.5: labels have 0.95, last parts of IRIs 0.85 */
      readonly confidence?: number | undefined;
    };
    readonly response: {
      readonly text: string;
      readonly annotations: readonly {
        /** as the text has it */
        readonly surface: string;
        readonly iri: string;
        /** last part of the IRI of a type, or Thing */
        readonly type: string;
        readonly confidence: number;
        /** in code points */
        readonly offset: number;
      }[];
      /** there are more than 1000 */
      readonly truncated: boolean;
    };
  };
  /** Page through the triples that match a pattern. */
  readonly fragments: {
    readonly request: {
      /** IRI, or _:label */
      readonly subject?: string | undefined;
      /** IRI */
      readonly predicate?: string | undefined;
      /** IRI, a literal as in N-Triples, or the text of a plain string */
      readonly object?: string | undefined;
      /** from 1 */
      readonly page?: number | undefined;
      /** triples of a page; default 100, at most 1000 */
      readonly pageSize?: number | undefined;
    };
    readonly response: {
      readonly triples: readonly {
        readonly subject: string;
        readonly predicate: string;
        readonly object: unknown;
      }[];
      readonly totalCount: number;
      readonly page: number;
      readonly pageSize: number;
      readonly controls: {
        readonly next?: string | undefined;
        readonly previous?: string | undefined;
      };
    };
  };
  /** Answer with a share bundle: canonical triples of a graph, shapes, and a manifest with their hashes. */
  readonly share: {
    readonly request: {
      /** what is shared: IRI of a graph, or an object with one of graph, group_id, construct, root; absent: ROOT */
      readonly scope?: string | {
        /** that graph */
        readonly graph?: string | undefined;
        /** a provenance group of episodes */
        readonly group_id?: string | undefined;
        /** what a CONSTRUCT or DESCRIBE gives */
        readonly construct?: string | undefined;
        /** true: ROOT */
        readonly root?: boolean | undefined;
      } | undefined;
      /** stored sets of shapes that go along; absent: all */
      readonly shapes?: readonly string[] | undefined;
      /** no shapes go along */
      readonly no_shapes?: boolean | undefined;
      /** id of the share that this one follows */
      readonly parent_share?: string | undefined;
      /** bytes of all files together; at most, and by default, 8388608 */
      readonly max_bytes?: number | undefined;
      /** view.ttl too: the same triples in Turtle, for people */
      readonly turtle_view?: boolean | undefined;
    };
    readonly response: {
      readonly share_id: string;
      readonly manifest: {
        readonly version: string;
        readonly share_id: string;
        readonly scope: {
          readonly kind: 'root' | 'graph' | 'group' | 'construct';
          readonly value: string | null;
        };
        readonly files: {
          readonly 'export.nt': {
            readonly sha256: string;
            readonly bytes: number;
          };
          readonly 'shapes.ttl': {
            readonly sha256: string;
            readonly bytes: number;
          };
        };
        readonly counts: {
          readonly triples: number;
          readonly blank_nodes: number;
          readonly shapes: number;
        };
        readonly shapes: readonly string[];
        readonly lineage: {
          readonly store: string;
          readonly anchor_tx: number | null;
          readonly parent_share: string | null;
        };
        readonly canonicalization: string;
        readonly generator: string;
      };
      readonly files: {
        readonly 'export.nt': string;
        readonly 'shapes.ttl': string;
        readonly 'manifest.json': string;
        readonly 'view.ttl'?: string | undefined;
      };
      readonly bytes: number;
      readonly labels: {
        readonly freshness: {
          readonly value: string | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly durability: {
          readonly value: string | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly trust: {
          readonly value: {
            readonly iri: string;
            readonly chain: string;
            readonly rank: number;
          } | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly policy: {
          readonly value: readonly string[] | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly kind: {
          readonly value: readonly string[] | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
      } | {
        readonly error: string;
      } | null;
    };
  };
  /** Tell whether a verifier is registered to attest a predicate. */
  readonly verifier_authorized: {
    readonly request: {
      /** the verifier, as registrations name it */
      readonly verifier: string;
      /** what it attests: id of a predicate */
      readonly predicate: string;
    };
    readonly response: {
      readonly authorized: boolean;
    };
  };
  /** Name lists of graphs that queries read as one. */
  readonly datasets: {
    readonly request: {
      /** list, create, show, remove; default list */
      readonly action?: string | undefined;
      /** name of the dataset, an IRI */
      readonly name?: string | undefined;
      /** graphs by name, or {graph, ord} */
      readonly members?: readonly unknown[] | undefined;
      /** take members that are no registered graphs; they count once they are */
      readonly allow_unregistered?: boolean | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly created?: string | undefined;
      readonly members?: number | readonly ({
        readonly graph: string;
        readonly ord: number | null;
      })[] | undefined;
      readonly unregistered?: readonly string[] | undefined;
      readonly datasets?: readonly string[] | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
      readonly name?: string | undefined;
      readonly removed?: boolean | undefined;
    };
  };
  /** List the datasets, or show the members of one. */
  readonly dataset_list: {
    readonly request: {
      /** name of the dataset, an IRI */
      readonly name?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly datasets?: readonly string[] | undefined;
      readonly name?: string | undefined;
      readonly members?: readonly ({
        readonly graph: string;
        readonly ord: number | null;
      })[] | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
    };
  };
  /** Store, list, show and remove named queries. */
  readonly queries: {
    readonly request: {
      /** list, load, get, remove; default list */
      readonly action?: string | undefined;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      /** SPARQL with {param} placeholders */
      readonly template?: string | undefined;
      /** graph or dataset that it reads; default ROOT */
      readonly dataset?: string | undefined;
      /** {name, type, required, default, description}; type: iri, text, int */
      readonly params?: readonly unknown[] | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly queries?: readonly ({
        readonly name: string;
        readonly description: string | null;
        readonly source: 'builtin' | 'stored';
        readonly dataset?: string | null | undefined;
        readonly params: readonly ({
          readonly name: string;
          readonly type: 'iri' | 'text' | 'int';
          readonly required: boolean;
          readonly default: string | null;
          readonly description: string | null;
        })[];
      })[] | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
      readonly loaded?: string | undefined;
      readonly params?: number | undefined;
      readonly query?: {
        readonly name: string;
        readonly description: string | null;
        readonly source: 'builtin' | 'stored';
        readonly dataset?: string | null | undefined;
        readonly params: readonly ({
          readonly name: string;
          readonly type: 'iri' | 'text' | 'int';
          readonly required: boolean;
          readonly default: string | null;
          readonly description: string | null;
        })[];
      } | undefined;
      readonly template?: string | undefined;
      readonly removed?: boolean | undefined;
    };
  };
  /** List the stored queries, or show one. */
  readonly query_list: {
    readonly request: {
      /** only this query, with its template */
      readonly name?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly queries?: readonly ({
        readonly name: string;
        readonly description: string | null;
        readonly source: 'builtin' | 'stored';
        readonly dataset?: string | null | undefined;
        readonly params: readonly ({
          readonly name: string;
          readonly type: 'iri' | 'text' | 'int';
          readonly required: boolean;
          readonly default: string | null;
          readonly description: string | null;
        })[];
      })[] | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
      readonly query?: {
        readonly name: string;
        readonly description: string | null;
        readonly source: 'builtin' | 'stored';
        readonly dataset?: string | null | undefined;
        readonly params: readonly ({
          readonly name: string;
          readonly type: 'iri' | 'text' | 'int';
          readonly required: boolean;
          readonly default: string | null;
          readonly description: string | null;
        })[];
      } | undefined;
      /** of the query that is named */
      readonly template?: string | undefined;
    };
  };
  /** Register endpoints that events are pushed to, list and delete them. */
  readonly subscriptions: {
    readonly request: {
      /** create, list, delete; default list */
      readonly action?: string | undefined;
      /** name of the subscription; its cursor is the consumer sub:NAME */
      readonly consumer_id?: string | undefined;
      /** http or https URL that events are posted to */
      readonly webhook_url?: string | undefined;
      /** only events of these types; empty = all */
      readonly types?: readonly string[] | undefined;
      /** only events of transactions that name this group */
      readonly group?: string | undefined;
      /** realtime (default) or batch */
      readonly mode?: string | undefined;
      /** events that make a batch; default 50 */
      readonly batch_size?: number | undefined;
      /** seconds after which fewer make one; default 30 */
      readonly batch_window_s?: number | undefined;
      /** offset to start after; default the end of the log */
      readonly since?: number | undefined;
      /** key of the signature of deliveries; never told */
      readonly secret?: string | undefined;
      /** of delete, for who reads all: whose subscription it is */
      readonly reader?: string | undefined;
      /** not evaluated: refused unless it is empty */
      readonly sparql_ask?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      /** created or deleted */
      readonly action?: string | undefined;
      readonly id?: number | undefined;
      readonly consumer_id?: string | undefined;
      readonly found?: boolean | undefined;
      readonly subscriptions?: readonly ({
        readonly id: number;
        readonly consumer_id: string;
        readonly types: readonly string[] | null;
        readonly group: string | null;
        readonly mode: string;
        readonly webhook_url: string;
        readonly batch_size: number;
        readonly batch_window_s: number;
        readonly created_at: string;
        /** active or failing */
        readonly state: string;
        /** since the last success */
        readonly failures: number;
        readonly last_error: string | null;
        readonly committed_offset: number;
        /** whose it is who may read some graphs only; told to who reads all */
        readonly reader?: string | undefined;
      })[] | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
    };
  };
  /** Store, list, show and remove sets of SHACL shapes. */
  readonly shapes: {
    readonly request: {
      /** list, load, get, remove; default list */
      readonly action?: string | undefined;
      /** name of the set */
      readonly name?: string | undefined;
      /** SHACL shapes, in Turtle; builtin:governance: those of policies and verdicts */
      readonly turtle?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      /** loaded or removed */
      readonly action?: string | undefined;
      readonly name?: string | undefined;
      readonly shapes?: readonly {
        readonly name: string;
        readonly loaded_at: string;
      }[] | number | undefined;
      /** rules of the document */
      readonly rules?: number | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
      readonly turtle?: string | undefined;
      readonly loaded_at?: string | undefined;
      readonly found?: boolean | undefined;
    };
  };
  /** List the stored sets of SHACL shapes. */
  readonly shape_list: {
    readonly request: {
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly shapes: readonly {
        readonly name: string;
        readonly loaded_at: string;
      }[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Show a stored set of SHACL shapes as it was loaded. */
  readonly shape_set: {
    readonly request: {
      /** name of the set */
      readonly name: string;
    };
    readonly response: {
      readonly name: string;
      readonly turtle: string;
      readonly loaded_at: string;
    };
  };
  /** Load, list and remove ontologies, and write what they entail. */
  readonly ontology: {
    readonly request: {
      /** list, load, materialize, remove; default list */
      readonly action?: string | undefined;
      /** name of the ontology */
      readonly name?: string | undefined;
      /** the ontology, in Turtle */
      readonly turtle?: string | undefined;
      /** time label of the transaction (RFC 3339, or a date) */
      readonly timestamp?: string | undefined;
      /** who says to write */
      readonly actor?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      /** what was done */
      readonly action: string;
      readonly name?: string | undefined;
      readonly axioms?: {
        readonly subclass_of: number;
        readonly subproperty_of: number;
        readonly disjoint_with: number;
        readonly inverse_of: number;
        readonly functional_properties: number;
        readonly symmetric_properties: number;
        readonly transitive_properties: number;
        readonly equivalent_classes: number;
        readonly equivalent_properties: number;
        readonly domains: number;
        readonly ranges: number;
        readonly total_triples: number;
      } | undefined;
      readonly materialized?: {
        readonly subclass_inferences: number;
        readonly sub_property_inferences: number;
        readonly equivalent_class_inferences: number;
        readonly equivalent_property_inferences: number;
        readonly inverse_inferences: number;
        readonly symmetric_inferences: number;
        readonly transitive_inferences: number;
        readonly domain_range_inferences: number;
        readonly total: number;
        readonly asserted: number;
        readonly retracted: number;
      } | null | undefined;
      readonly ontologies?: readonly {
        readonly name: string;
        readonly loaded_at: string;
        readonly axioms: {
          readonly subclass_of: number;
          readonly subproperty_of: number;
          readonly disjoint_with: number;
          readonly inverse_of: number;
          readonly functional_properties: number;
          readonly symmetric_properties: number;
          readonly transitive_properties: number;
          readonly equivalent_classes: number;
          readonly equivalent_properties: number;
          readonly domains: number;
          readonly ranges: number;
          readonly total_triples: number;
        };
      }[] | number | undefined;
      readonly count?: number | undefined;
      readonly truncated?: boolean | undefined;
      readonly note?: string | undefined;
      readonly removed?: boolean | undefined;
    };
  };
  /** List the loaded ontologies. */
  readonly ontology_list: {
    readonly request: {
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      /** list */
      readonly action: string;
      readonly ontologies: readonly {
        readonly name: string;
        readonly loaded_at: string;
        readonly axioms: {
          readonly subclass_of: number;
          readonly subproperty_of: number;
          readonly disjoint_with: number;
          readonly inverse_of: number;
          readonly functional_properties: number;
          readonly symmetric_properties: number;
          readonly transitive_properties: number;
          readonly equivalent_classes: number;
          readonly equivalent_properties: number;
          readonly domains: number;
          readonly ranges: number;
          readonly total_triples: number;
        };
      }[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Ask a built-in or stored query by its name. */
  readonly ask: {
    readonly request: {
      /** name of the query; absent or list: the catalog */
      readonly name?: string | undefined;
      /** values of its parameters */
      readonly params?: Readonly<Record<string, unknown>> | undefined;
      /** IRI of a graph */
      readonly graph?: string | undefined;
      /** most entries; 1 to 10000, default 100 */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
    };
    readonly response: {
      readonly queries?: readonly ({
        readonly name: string;
        readonly description: string | null;
        readonly source: 'builtin' | 'stored';
        readonly dataset?: string | null | undefined;
        readonly params: readonly ({
          readonly name: string;
          readonly type: 'iri' | 'text' | 'int';
          readonly required: boolean;
          readonly default: string | null;
          readonly description: string | null;
        })[];
      })[] | undefined;
      readonly usage?: string | undefined;
      readonly query?: string | undefined;
      readonly sparql?: string | undefined;
      readonly columns?: readonly string[] | undefined;
      readonly rows?: readonly Readonly<Record<string, unknown>>[] | undefined;
      readonly count: number;
      readonly labels?: {
        readonly freshness: {
          readonly value: string | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly durability: {
          readonly value: string | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly trust: {
          readonly value: {
            readonly iri: string;
            readonly chain: string;
            readonly rank: number;
          } | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly policy: {
          readonly value: readonly string[] | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly kind: {
          readonly value: readonly string[] | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
      } | {
        readonly error: string;
      } | null | undefined;
      readonly truncated?: boolean | undefined;
      readonly ignored_params?: readonly string[] | undefined;
    };
  };
  /** Find the entities that are near to a text or a vector by their meaning. */
  readonly search: {
    readonly request: {
      /** text to search for by its meaning; a provider of embeddings has to be configured */
      readonly query?: string | undefined;
      /** vector to search by, of as many numbers as those of the store */
      readonly embedding?: readonly number[] | undefined;
      /** most entries; 1 to search.max_limit, default search.default_limit */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
      /** IRIs in full, never as CURIEs */
      readonly verbose?: boolean | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** only what episodes of one of these groups wrote; empty: no filter. A filter by provenance, no protection */
      readonly group_ids?: readonly string[] | undefined;
      /** only instances of this class: its IRI */
      readonly entity_type?: string | undefined;
    };
    readonly response: {
      readonly results: readonly ({
        readonly entity: string;
        /** of which its vector is made */
        readonly text: string;
        /** cosine */
        readonly score: number;
        readonly source: 'knowledge';
        readonly valid_from: string;
        readonly valid_to: string | null;
      })[];
      readonly count: number;
      readonly truncated: boolean;
      /** groups or a type narrowed what may be found */
      readonly scoped: boolean;
    };
  };
  /** Order the entities that a query finds by their nearness to a text or a vector. */
  readonly hybrid_search: {
    readonly request: {
      /** text to search for by its meaning; a provider of embeddings has to be configured */
      readonly query?: string | undefined;
      /** vector to search by, of as many numbers as those of the store */
      readonly embedding?: readonly number[] | undefined;
      /** most entries; 1 to search.max_limit, default search.default_limit */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
      /** IRIs in full, never as CURIEs */
      readonly verbose?: boolean | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** a SELECT whose first variable gives the entities that may be found */
      readonly sparql?: string | undefined;
    };
    readonly response: {
      readonly results: readonly ({
        readonly entity: string;
        /** of which its vector is made */
        readonly text: string;
        /** cosine */
        readonly score: number;
        readonly source: 'knowledge';
        readonly valid_from: string;
        readonly valid_to: string | null;
      })[];
      readonly count: number;
      readonly truncated: boolean;
      readonly sparql_candidates: number | null;
      readonly pushdown_filter: string | null;
      readonly embeddings: {
        /** a provider is configured */
        readonly configured: boolean;
        readonly embedded_entities: number;
        /** why vectors had no part */
        readonly error?: string | undefined;
      };
      readonly labels?: {
        readonly freshness: {
          readonly value: string | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly durability: {
          readonly value: string | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly trust: {
          readonly value: {
            readonly iri: string;
            readonly chain: string;
            readonly rank: number;
          } | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly policy: {
          readonly value: readonly string[] | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
        readonly kind: {
          readonly value: readonly string[] | null;
          /** how many of the graphs declare it */
          readonly coverage: 'empty' | 'none' | 'partial' | 'full';
        };
      } | {
        readonly error: string;
      } | null | undefined;
    };
  };
  /** Find entities by a text in their IRIs, their literals, or the IRIs that they point at. */
  readonly search_nodes: {
    readonly request: {
      /** text to search for */
      readonly query: string;
      /** only what episodes of one of these groups wrote; empty: no filter. A filter by provenance, no protection */
      readonly group_ids?: readonly string[] | undefined;
      /** another name of limit */
      readonly max_results?: number | undefined;
      /** most entries; 1 to search.max_limit, default search.default_limit */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** only instances of this class: its IRI */
      readonly entity_type_filter?: string | undefined;
      /** IRIs in full, never as CURIEs */
      readonly verbose?: boolean | undefined;
      /** true: with the parts of every score */
      readonly explain?: boolean | undefined;
    };
    readonly response: {
      readonly nodes: readonly ({
        readonly iri: string;
        readonly label: string | null;
        readonly types: readonly string[];
        readonly summary: string | null;
        /** 0 to 1 */
        readonly score: number;
        readonly explain?: {
          readonly score: number;
          /** what of the entity the text is in */
          readonly kind: 'iri' | 'label' | 'literal' | 'object';
          readonly predicate: string | null;
          readonly value: string | null;
        } | undefined;
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Find facts by a text in their predicates or values. */
  readonly search_facts: {
    readonly request: {
      /** text to search for */
      readonly query: string;
      /** only what episodes of one of these groups wrote; empty: no filter. A filter by provenance, no protection */
      readonly group_ids?: readonly string[] | undefined;
      /** another name of limit */
      readonly max_results?: number | undefined;
      /** most entries; 1 to search.max_limit, default search.default_limit */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** IRIs in full, never as CURIEs */
      readonly verbose?: boolean | undefined;
    };
    readonly response: {
      readonly facts: readonly ({
        readonly source: string;
        readonly predicate: string;
        readonly target: unknown;
        /** an episode that wrote the source */
        readonly provenance: {
          readonly episode: string;
        } | null;
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Find entities by their names, with their properties. */
  readonly node_search: {
    readonly request: {
      /** text to search for */
      readonly query: string;
      /** only what episodes of one of these groups wrote; empty: no filter. A filter by provenance, no protection */
      readonly group_ids?: readonly string[] | undefined;
      /** another name of limit */
      readonly max_results?: number | undefined;
      /** most entries; 1 to search.max_limit, default search.default_limit */
      readonly limit?: number | undefined;
      /** entries to pass over first */
      readonly offset?: number | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
      /** a part of the name of a type: only entities with such a type */
      readonly entity_type_filter?: string | undefined;
    };
    readonly response: {
      readonly nodes: readonly ({
        readonly iri: string;
        readonly name: string;
        readonly type?: string | undefined;
        readonly description?: string | undefined;
        readonly group_id?: string | undefined;
        readonly properties?: Readonly<Record<string, unknown>> | undefined;
      })[];
      readonly count: number;
      readonly truncated: boolean;
    };
  };
  /** Tell what the store knows around a text. */
  readonly context: {
    readonly request: {
      /** text to search for */
      readonly query: string;
      /** most entities; 1 to search.max_limit, default 20 */
      readonly max_entities?: number | undefined;
      /** with what is linked to what is found; default true */
      readonly expand_links?: boolean | undefined;
      /** in the order of PageRank that restarts at what is found; default false */
      readonly ppr_rerank?: boolean | undefined;
      /** how text and vectors become one order; convex finds best; default: text scores, then cosines */
      readonly ranking?: 'default' | 'reciprocal' | 'convex' | 'mmr' | 'ppr' | undefined;
      /** true: with the parts of every score */
      readonly explain?: boolean | undefined;
      /** facts by predicate and value (default), or the most telling first */
      readonly fact_order?: 'predicate' | 'telling' | undefined;
      /** what held at this instant (RFC 3339, or a date) */
      readonly valid_at?: string | undefined;
      /** what the store knew after this transaction */
      readonly tx?: number | undefined;
    };
    readonly response: {
      readonly query: string;
      readonly entities: readonly ({
        readonly iri: string;
        readonly label: string | null;
        readonly types: readonly string[];
        readonly relevance: 'Direct' | 'Linked' | 'Semantic';
        /** 0 to 1 */
        readonly score: number;
        readonly source: 'knowledge';
        readonly facts: readonly ({
          readonly predicate: string;
          readonly value: string;
          readonly value_type: 'Entity' | 'Literal';
          readonly datatype?: string | undefined;
          readonly lang?: string | undefined;
          readonly direction?: string | undefined;
        })[];
        /** there are more facts */
        readonly facts_capped: boolean;
        readonly explain?: {
          readonly text: {
            readonly score: number;
            /** what of the entity the text is in */
            readonly kind: 'iri' | 'label' | 'literal' | 'object';
            readonly predicate: string | null;
            readonly value: string | null;
          } | null;
          readonly vector: number | null;
          readonly link: {
            readonly from: string;
            readonly way: 'out' | 'in';
          } | null;
          readonly ppr: number | null;
        } | undefined;
      })[];
      readonly summary: {
        readonly total_entities: number;
        readonly total_facts: number;
        readonly direct_hits: number;
        readonly linked_additions: number;
        readonly embeddings: {
          /** a provider is configured */
          readonly configured: boolean;
          readonly embedded_entities: number;
          /** why vectors had no part */
          readonly error?: string | undefined;
        };
        readonly truncated: {
          readonly entities_shown: number;
          /** before the cut */
          readonly entities_considered: number;
          readonly more_available: boolean;
          readonly entities_with_more_facts: number;
        };
      };
    };
  };
  /** Make a vector for every entity that has a text and none. */
  readonly embed_backfill: {
    readonly request: Readonly<Record<string, never>>;
    readonly response: {
      /** ok, or error: there is no provider, or it failed; what was done before that stays */
      readonly status: string;
      /** why */
      readonly error?: string | undefined;
      readonly entities_embedded?: number | undefined;
      /** entities that have a text and no vector still */
      readonly remaining?: number | undefined;
      /** those among them whose texts the provider refused or failed at */
      readonly failed?: number | undefined;
    };
  };
  /** Tell which program answers. */
  readonly version: {
    readonly request: Readonly<Record<string, never>>;
    readonly response: {
      readonly version: string;
      /** null: not built in a checkout */
      readonly git_sha: string | null;
      /** whether the sources differed from the commit */
      readonly git_dirty: boolean | null;
      readonly features: Readonly<Record<string, boolean>>;
    };
  };
}

/** Requests whose answer is a document. */
export interface Documents {
  /** Write the current facts as a document, sorted. */
  readonly export: {
    /** IRI of a graph */
    readonly graph?: string | undefined;
    /** one of ntriples, nquads, turtle, trig, rdfxml, jsonld */
    readonly format?: 'ntriples' | 'nquads' | 'turtle' | 'trig' | 'rdfxml' | 'jsonld' | undefined;
    /** provenance group of episodes */
    readonly group_id?: string | undefined;
    /** a CONSTRUCT or DESCRIBE query */
    readonly construct?: string | undefined;
  };
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly input: 'body' | 'parameters';
  readonly access: 'read' | 'write';
}

export const ROUTES: Readonly<Record<keyof Operations, Route>> = {
  knot: { method: 'POST', path: '/knot', input: 'body', access: 'write' },
  episode: { method: 'POST', path: '/episode', input: 'body', access: 'write' },
  read: { method: 'POST', path: '/query', input: 'body', access: 'read' },
  explain: { method: 'POST', path: '/query/explain', input: 'body', access: 'read' },
  set: { method: 'POST', path: '/set', input: 'body', access: 'write' },
  retract: { method: 'POST', path: '/retract', input: 'body', access: 'write' },
  retract_source: { method: 'POST', path: '/retract/source', input: 'body', access: 'write' },
  cord: { method: 'POST', path: '/cord', input: 'body', access: 'read' },
  entity_history: { method: 'POST', path: '/entity_history', input: 'body', access: 'read' },
  unravel: { method: 'POST', path: '/unravel', input: 'body', access: 'read' },
  impact: { method: 'POST', path: '/impact', input: 'body', access: 'read' },
  unified_search: { method: 'POST', path: '/unified_search', input: 'body', access: 'read' },
  transactions: { method: 'GET', path: '/transactions', input: 'parameters', access: 'read' },
  project: { method: 'POST', path: '/project', input: 'body', access: 'write' },
  report: { method: 'POST', path: '/report', input: 'body', access: 'read' },
  events: { method: 'GET', path: '/events', input: 'parameters', access: 'read' },
  events_commit: { method: 'POST', path: '/events/commit', input: 'body', access: 'write' },
  events_refusals: { method: 'GET', path: '/events/refusals', input: 'parameters', access: 'read' },
  graphs: { method: 'GET', path: '/graphs', input: 'parameters', access: 'read' },
  graph_create: { method: 'POST', path: '/graph/create', input: 'body', access: 'write' },
  overlay_create: { method: 'POST', path: '/overlay/create', input: 'body', access: 'write' },
  overlay_write: { method: 'POST', path: '/overlay/write', input: 'body', access: 'write' },
  overlay_compose: { method: 'POST', path: '/overlay/compose', input: 'body', access: 'read' },
  graph_label: { method: 'POST', path: '/graph/label', input: 'body', access: 'write' },
  graph_freeze: { method: 'POST', path: '/graph/freeze', input: 'body', access: 'write' },
  graph_thaw: { method: 'POST', path: '/graph/thaw', input: 'body', access: 'write' },
  import_share: { method: 'POST', path: '/import', input: 'body', access: 'write' },
  import_promote: { method: 'POST', path: '/import/promote', input: 'body', access: 'write' },
  stats: { method: 'GET', path: '/stats', input: 'parameters', access: 'read' },
  reason: { method: 'POST', path: '/reason', input: 'body', access: 'write' },
  fact_explain: { method: 'POST', path: '/explain', input: 'body', access: 'read' },
  validate: { method: 'POST', path: '/validate', input: 'body', access: 'read' },
  policy_check: { method: 'POST', path: '/policy/check', input: 'body', access: 'read' },
  verdict_verify: { method: 'POST', path: '/verdict/verify', input: 'body', access: 'read' },
  queries_running: { method: 'GET', path: '/queries/running', input: 'parameters', access: 'read' },
  queries_cancel: { method: 'POST', path: '/queries/cancel', input: 'body', access: 'write' },
  align_propose: { method: 'POST', path: '/align/propose', input: 'body', access: 'read' },
  align_decide: { method: 'POST', path: '/align/decide', input: 'body', access: 'read' },
  align_apply: { method: 'POST', path: '/align/apply', input: 'body', access: 'write' },
  path_cone: { method: 'POST', path: '/path/cone', input: 'body', access: 'read' },
  path_backtest: { method: 'POST', path: '/path/backtest', input: 'body', access: 'read' },
  cooccurrence: { method: 'POST', path: '/cooccurrence', input: 'body', access: 'read' },
  proposals: { method: 'POST', path: '/proposals', input: 'body', access: 'read' },
  propose: { method: 'POST', path: '/propose', input: 'body', access: 'write' },
  proposal_accept: { method: 'POST', path: '/proposal/accept', input: 'body', access: 'write' },
  proposal_reject: { method: 'POST', path: '/proposal/reject', input: 'body', access: 'write' },
  graph: { method: 'POST', path: '/graph', input: 'body', access: 'read' },
  changes: { method: 'GET', path: '/changes', input: 'parameters', access: 'read' },
  timeline: { method: 'GET', path: '/timeline', input: 'parameters', access: 'read' },
  episodes_complete: { method: 'POST', path: '/episodes/complete', input: 'body', access: 'write' },
  retract_episode: { method: 'POST', path: '/episode/retract', input: 'body', access: 'write' },
  resolve_entity: { method: 'POST', path: '/resolve', input: 'body', access: 'read' },
  spotlight: { method: 'POST', path: '/spotlight', input: 'body', access: 'read' },
  fragments: { method: 'GET', path: '/fragments', input: 'parameters', access: 'read' },
  share: { method: 'POST', path: '/share', input: 'body', access: 'read' },
  verifier_authorized: { method: 'POST', path: '/verifier/authorized', input: 'body', access: 'read' },
  datasets: { method: 'POST', path: '/datasets', input: 'body', access: 'write' },
  dataset_list: { method: 'GET', path: '/datasets', input: 'parameters', access: 'read' },
  queries: { method: 'POST', path: '/queries', input: 'body', access: 'write' },
  query_list: { method: 'GET', path: '/queries', input: 'parameters', access: 'read' },
  subscriptions: { method: 'POST', path: '/subscriptions', input: 'body', access: 'write' },
  shapes: { method: 'POST', path: '/shapes', input: 'body', access: 'write' },
  shape_list: { method: 'GET', path: '/shapes', input: 'parameters', access: 'read' },
  shape_set: { method: 'GET', path: '/shapes/{name}', input: 'parameters', access: 'read' },
  ontology: { method: 'POST', path: '/ontology', input: 'body', access: 'write' },
  ontology_list: { method: 'GET', path: '/ontology', input: 'parameters', access: 'read' },
  ask: { method: 'POST', path: '/ask', input: 'body', access: 'read' },
  search: { method: 'POST', path: '/search', input: 'body', access: 'read' },
  hybrid_search: { method: 'POST', path: '/hybrid_search', input: 'body', access: 'read' },
  search_nodes: { method: 'POST', path: '/search_nodes', input: 'body', access: 'read' },
  search_facts: { method: 'POST', path: '/search_facts', input: 'body', access: 'read' },
  node_search: { method: 'POST', path: '/search/nodes', input: 'body', access: 'read' },
  context: { method: 'POST', path: '/context', input: 'body', access: 'read' },
  embed_backfill: { method: 'POST', path: '/embed_backfill', input: 'body', access: 'write' },
  version: { method: 'GET', path: '/version', input: 'parameters', access: 'read' },
};
