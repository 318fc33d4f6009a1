import { OaiFault } from './fault.ts';
import type { Misbehaviour } from './misbehaviour.ts';

export interface OaiArguments {
  readonly verb: string;
  readonly metadataPrefix: string | undefined;
  readonly identifier: string | undefined;
  readonly set: string | undefined;
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly resumptionToken: string | undefined;
  /** The token as it stands in the URL. */
  readonly rawToken: string | undefined;
}

const verbs = ['Identify', 'ListMetadataFormats', 'ListSets', 'ListRecords', 'ListIdentifiers', 'GetRecord'];
const known = ['verb', 'metadataPrefix', 'identifier', 'set', 'from', 'until', 'resumptionToken'];

/** @param raw the query string or the form, as it came @throws OaiFault badVerb, badArgument */
export function readArguments(query: URLSearchParams, raw: string, wrong: Misbehaviour): OaiArguments {
  const verb = query.get('verb') ?? '';
  if (!verbs.includes(verb)) throw new OaiFault('badVerb', `There is no verb "${verb}".`);
  const { requiredParameter } = wrong;
  if (requiredParameter !== undefined && !query.has(requiredParameter)) {
    throw new OaiFault('badArgument', `${requiredParameter} is missing.`);
  }
  const names = [...query.keys()].filter((name) => name !== requiredParameter);
  if (wrong.strictArguments === true) {
    const bad = names.find((name) => !known.includes(name) || query.get(name) === '');
    if (bad !== undefined || names[0] !== 'verb' || new Set(names).size < names.length) {
      throw new OaiFault('badArgument', `The arguments are not as they should be: ${names.join(', ')}.`);
    }
  }
  const value = (name: string) => query.get(name) ?? undefined;
  const given: OaiArguments = {
    verb,
    metadataPrefix: value('metadataPrefix'),
    identifier: value('identifier'),
    set: value('set'),
    from: value('from'),
    until: value('until'),
    resumptionToken: value('resumptionToken'),
    rawToken: /(?:^|&)resumptionToken=([^&]*)/.exec(raw)?.[1],
  };
  if (given.resumptionToken === undefined) checkDates(given, wrong);
  return given;
}

function checkDates({ from, until }: OaiArguments, wrong: Misbehaviour): void {
  const dates = [from, until].filter((date) => date !== undefined);
  if (wrong.refusesFrom === true && from !== undefined) throw new OaiFault('badArgument', 'No from, please.');
  for (const date of dates) {
    const form = /^\d{4}-\d\d-\d\d$/.test(date) ? 'day' : 'second';
    const legible =
      form === 'day' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(date);
    const strictly = form === 'day' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(date);
    if (!legible || (wrong.strictDates === true && !strictly)) {
      throw new OaiFault('badArgument', `"${date}" is no date.`);
    }
    const declared = wrong.granularity ?? 'second';
    const refused = wrong.refusesDeclaredGranularity === true ? declared : declared === 'day' ? 'second' : '';
    if (form === refused) throw new OaiFault('badArgument', `"${date}" is not in our granularity.`);
  }
  if (from !== undefined && until !== undefined) {
    if (from.length !== until.length)
      throw new OaiFault('badArgument', 'from and until differ in granularity.');
    if (from > until) throw new OaiFault('badArgument', 'from is behind until.');
  }
}
