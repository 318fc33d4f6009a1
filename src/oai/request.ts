import type { Arguments } from './arguments.ts';
import { type DateArgument, parseDateArgument } from './dates.ts';
import {
  isIdentifier,
  isPrefix,
  isSetSpec,
  type ListVerb,
  type OaiError,
  type Verb,
  verbs,
} from './protocol.ts';
import type { ListPlace, Place, SetPlace } from './resumption-token.ts';
import { isXmlText } from './xml-text.ts';

/** What is asked for, checked as far as that can be done without a look at the records. */
export type OaiRequest =
  | { readonly verb: 'Identify' }
  | { readonly verb: 'ListMetadataFormats'; readonly identifier: string | undefined }
  | { readonly verb: 'ListSets'; readonly place: SetPlace | undefined }
  | { readonly verb: 'GetRecord'; readonly identifier: string; readonly prefix: string }
  | ListRequest;

/** The beginning of a list, or where it goes on. */
export interface ListRequest {
  readonly verb: ListVerb;
  readonly prefix: string;
  readonly set: string | undefined;
  /** Seconds, inclusive. */
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly place: ListPlace | undefined;
}

/** A request as it was read: something to answer, or everything that is wrong with it. */
export interface ReadRequest {
  readonly request: OaiRequest | undefined;
  readonly errors: readonly OaiError[];
  /** The attributes of `<request>`: none where verb or arguments are wrong (OAI-PMH §3.2). */
  readonly stated: Readonly<Record<string, string>>;
}

interface Signature {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Alone, in the place of all others. */
  readonly exclusive?: string;
}

const list: Signature = {
  required: ['metadataPrefix'],
  optional: ['from', 'until', 'set'],
  exclusive: 'resumptionToken',
};

const signatures: Readonly<Record<Verb, Signature>> = {
  Identify: { required: [], optional: [] },
  ListMetadataFormats: { required: [], optional: ['identifier'] },
  ListSets: { required: [], optional: [], exclusive: 'resumptionToken' },
  ListIdentifiers: list,
  ListRecords: list,
  GetRecord: { required: ['identifier', 'metadataPrefix'], optional: [] },
};

/**
 * Everything that is wrong with a request is said at once; nothing of what is wrong is repeated in the answer.
 * @param readPlace of a token; undefined: it is not ours
 */
export function readRequest(
  { pairs, illegible, isNoForm }: Arguments,
  readPlace: (token: string) => Place | undefined,
): ReadRequest {
  const verb = isNoForm ? formless : verbOf(pairs);
  if (typeof verb !== 'string') return { request: undefined, errors: [verb], stated: {} };
  const errors: OaiError[] = [];
  const wrong = (message: string) => errors.push({ code: 'badArgument', message });
  if (illegible > 0) wrong('An argument is not UTF-8 in percent-encoding (RFC 3986); encode it so.');
  const { required, optional, exclusive } = signatures[verb];
  const known = [...required, ...optional, ...(exclusive === undefined ? [] : [exclusive])];
  const given = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (name === 'verb') continue;
    if (!known.includes(name)) wrong(`${shown(name)} is no argument of ${verb}; ${allowed(known)}.`);
    else if (given.has(name)) wrong(`${name} is there more than once; state it once.`);
    else if (value === '') wrong(`${name} is empty; leave it out or state its value.`);
    if (known.includes(name) && !given.has(name)) given.set(name, value);
  }
  const token = exclusive === undefined ? undefined : given.get(exclusive);
  if (token !== undefined && given.size > 1)
    wrong('resumptionToken stands alone with the verb; leave out the other arguments.');
  for (const name of token === undefined ? required : [])
    if (!given.has(name)) wrong(`${verb} needs the argument ${name}.`);
  const dates = readDates(given, wrong);
  readNames(given, wrong);
  const place = token === undefined || token === '' ? undefined : readPlace(token);
  const isOurs = place?.verb === verb;
  if (token !== undefined && token !== '' && !isOurs)
    errors.push({
      code: 'badResumptionToken',
      message: 'This token does not belong to a list of this repository; begin the list again.',
    });
  const stated = errors.some(({ code }) => code === 'badArgument') ? {} : statedOf(verb, given);
  if (errors.length > 0) return { request: undefined, errors, stated };
  return { request: toRequest(verb, given, dates, place), errors, stated };
}

const formless: OaiError = {
  code: 'badVerb',
  message: 'What was posted is no form; post arguments as application/x-www-form-urlencoded.',
};

function verbOf(pairs: Arguments['pairs']): Verb | OaiError {
  const values = pairs.flatMap(([name, value]) => (name === 'verb' ? [value] : []));
  const [value] = values;
  const isKnown = (text: string): text is Verb => verbs.some((verb) => verb === text);
  if (values.length === 1 && value !== undefined && isKnown(value)) return value;
  const what =
    values.length > 1
      ? 'verb is there more than once'
      : value === undefined
        ? 'There is no verb'
        : 'This verb is none of OAI-PMH 2.0';
  return { code: 'badVerb', message: `${what}; state one of ${verbs.join(', ')}.` };
}

function readDates(
  given: ReadonlyMap<string, string>,
  wrong: (message: string) => void,
): { readonly from: DateArgument | undefined; readonly until: DateArgument | undefined } {
  const read = (name: 'from' | 'until') => {
    const value = given.get(name);
    if (value === undefined || value === '') return undefined;
    const date = parseDateArgument(value);
    if (!date) wrong(`${name} is no date of the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.`);
    return date;
  };
  const [from, until] = [read('from'), read('until')];
  if (from && until && from.granularity !== until.granularity)
    wrong('from and until have different granularities; state both as days, or both with seconds.');
  else if (from && until && from.first > until.last) wrong('from is later than until; exchange them.');
  return { from, until };
}

function readNames(given: Map<string, string>, wrong: (message: string) => void): void {
  const prefix = given.get('metadataPrefix');
  if (prefix && !isPrefix(prefix))
    wrong('No metadataPrefix looks like this; ListMetadataFormats names them.');
  const set = given.get('set');
  if (set && !isSetSpec(set)) {
    // Encoded twice, as some clients do with what is encoded in ListSets.
    const again = decodedOnceMore(set);
    if (again === undefined) wrong('No setSpec looks like this; ListSets names them.');
    else given.set('set', again);
  }
  const identifier = given.get('identifier');
  if (!identifier || isIdentifier(identifier)) return;
  // A `+` that was not encoded arrives as a space.
  const meant = identifier.replaceAll(' ', '+');
  if (isIdentifier(meant)) given.set('identifier', meant);
  else wrong('identifier is no URI; state it as ListIdentifiers has it, percent-encoded.');
}

function decodedOnceMore(text: string): string | undefined {
  try {
    const again = decodeURIComponent(text);
    return isSetSpec(again) ? again : undefined;
  } catch {
    return undefined;
  }
}

/** Arguments that are right are such as the schema allows in attributes; a token that is not ours may be anything. */
function statedOf(verb: Verb, given: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([['verb', verb], ...[...given].filter(([, value]) => isXmlText(value))]);
}

function toRequest(
  verb: Verb,
  given: ReadonlyMap<string, string>,
  { from, until }: ReturnType<typeof readDates>,
  place: Place | undefined,
): OaiRequest {
  const prefix = given.get('metadataPrefix') ?? '';
  const identifier = given.get('identifier');
  switch (verb) {
    case 'Identify':
      return { verb };
    case 'ListMetadataFormats':
      return { verb, identifier };
    case 'GetRecord':
      return { verb, identifier: identifier ?? '', prefix };
    case 'ListSets':
      return { verb, place: place?.verb === 'ListSets' ? place : undefined };
    default: {
      if (place && place.verb !== 'ListSets')
        return { verb, prefix: place.prefix, set: place.set, from: place.from, until: place.until, place };
      const set = given.get('set');
      return { verb, prefix, set, from: from?.first, until: until?.last, place: undefined };
    }
  }
}

function allowed(known: readonly string[]): string {
  return known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
}

/** Of a name that is none of ours, only what nobody can mistake. */
function shown(name: string): string {
  return /^[A-Za-z]{1,30}$/.test(name) ? name : 'Something';
}
