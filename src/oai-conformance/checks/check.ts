/** `error`: a harvester fails, or a validator refuses the endpoint; `warning`: somebody asks for it, and others do without. */
export type Severity = 'error' | 'warning';

/** Where the checks come from, as docs/validate-oai.md cites them. */
export const works = {
  'OAI-PMH': 'The Open Archives Initiative Protocol for Metadata Harvesting 2.0 (14 June 2002), by section',
  XSD: 'http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd (7 December 2008), by type',
  guidelines: 'Implementation Guidelines for OAI-PMH, by page',
  zimeon:
    'zimeon/oaipmh-validator @de134b3 (`HTTP::OAIPMH::Validator`), which openarchives.org runs, by step',
  OVAL: 'pietsch/oval @7334713, the OAI-PMH validator of BASE, by check',
  BASE: '“Golden rules” of BASE (base-search.net/about/en/faq_oai.php)',
  OpenAIRE:
    'OpenAIRE Guidelines: “v4” is openaire/guidelines-literature-repositories @a18c6a9, “v3” is openaire/guidelines @8c3fc3b, by page',
  CRIS: 'EuroCRIS/openaire-cris-validator @d15db81 `CHECKS.md`, its general part',
  IRDB: 'IRDB of NII (support.irdb.nii.ac.jp), what it refuses and warns of',
  'jpcoar-validator': 'masao/jpcoar-validator @bd67e90, for JPCOAR schema 2.0, by rule',
  harvesters: 'what harvesters are known to trip over, by program',
} as const;

export type Work = keyof typeof works;

/** One thing that is looked at. */
export interface Check {
  readonly severity: Severity;
  /** What has to be, in one sentence. */
  readonly asks: string;
  /** What to do where it is not so. */
  readonly remedy: string;
  /** Who asks for it, and where. */
  readonly sources: readonly `${Work}: ${string}`[];
}

/** Checks of one group by their ids, which are an interface: scripts decide by them. */
export type CheckGroup = Readonly<Record<string, Check>>;
