import { parseDatestamp } from '../../core/datetime.ts';

export type Verb =
  | 'Identify'
  | 'ListMetadataFormats'
  | 'ListSets'
  | 'ListIdentifiers'
  | 'ListRecords'
  | 'GetRecord';

export interface OaiRequest {
  readonly verb: Verb;
  readonly given: ReadonlyMap<string, string>;
}

/** An error as the protocol knows it. */
export class OaiFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const selection = { required: ['metadataPrefix'], optional: ['from', 'until', 'set'], exclusive: true };
const rules: Readonly<
  Record<Verb, { required: readonly string[]; optional: readonly string[]; exclusive: boolean }>
> = {
  Identify: { required: [], optional: [], exclusive: false },
  ListMetadataFormats: { required: [], optional: ['identifier'], exclusive: false },
  ListSets: { required: [], optional: [], exclusive: true },
  ListIdentifiers: selection,
  ListRecords: selection,
  GetRecord: { required: ['identifier', 'metadataPrefix'], optional: [], exclusive: false },
};

/** @throws OaiFailure `badVerb`, `badArgument` */
export function readRequest(query: URLSearchParams): OaiRequest {
  const verbs = query.getAll('verb');
  const verb = verbs[0];
  if (verbs.length !== 1 || !isVerb(verb)) {
    throw new OaiFailure(
      'badVerb',
      verbs.length > 1 ? 'The verb is repeated.' : `There is no verb "${verb ?? ''}".`,
    );
  }
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (name === 'verb') continue;
    if (given.has(name)) throw new OaiFailure('badArgument', `The argument ${name} is repeated.`);
    given.set(name, value);
  }
  check(verb, given);
  return { verb, given };
}

function isVerb(text: string | undefined): text is Verb {
  return text !== undefined && Object.hasOwn(rules, text);
}

function check(verb: Verb, given: ReadonlyMap<string, string>): void {
  const { required, optional, exclusive } = rules[verb];
  if (exclusive && given.has('resumptionToken')) {
    if (given.size > 1) throw new OaiFailure('badArgument', 'resumptionToken goes alone.');
    return;
  }
  for (const [name, value] of given) {
    if (!required.includes(name) && !optional.includes(name)) {
      throw new OaiFailure('badArgument', `${verb} has no argument "${name}".`);
    }
    if (value === '') throw new OaiFailure('badArgument', `The argument ${name} is empty.`);
  }
  const missing = required.find((name) => !given.has(name));
  if (missing !== undefined) throw new OaiFailure('badArgument', `${verb} needs the argument ${missing}.`);
  checkDates(given.get('from'), given.get('until'));
}

const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/;

function checkDates(from: string | undefined, until: string | undefined): void {
  for (const date of [from, until]) {
    if (date !== undefined && (!form.test(date) || parseDatestamp(date) === undefined)) {
      throw new OaiFailure('badArgument', `"${date}" is no date in a form we know.`);
    }
  }
  if (from === undefined || until === undefined) return;
  if (from.length !== until.length)
    throw new OaiFailure('badArgument', 'from and until differ in granularity.');
  if (from > until) throw new OaiFailure('badArgument', 'from is later than until.');
}
