import type { OaiArguments } from './arguments.ts';
import { HttpFault, OaiFault, pageForPeople } from './fault.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import type { Selection } from './selection.ts';

/** One list that was begun: what was selected when it was. */
export interface OpenList {
  readonly verb: string;
  readonly metadataPrefix: string;
  readonly selection: Selection;
  readonly identifiers: readonly string[];
  /** How far it was read, for tokens that name the next page. */
  reached: number;
}

export interface Place {
  readonly list: OpenList;
  readonly offset: number;
  /** From 0. */
  readonly page: number;
}

interface Issued extends Place {
  readonly at: number;
}

/** Issues tokens and knows them again, as well as it is allowed to. */
export class TokenOffice {
  readonly #issued = new Map<string, Issued>();
  #count = 0;

  issue(place: Place, at: number, wrong: Misbehaviour): string {
    this.#count += 1;
    const token = write(this.#count, wrong);
    this.#issued.set(token, { ...place, at });
    return token;
  }

  /** @throws OaiFault badResumptionToken */
  redeem(given: OaiArguments, now: number, wrong: Misbehaviour): Place {
    const text = wrong.tokensComparedRaw === true ? given.rawToken : given.resumptionToken;
    const issued = this.#issued.get(text ?? '');
    if (issued === undefined || issued.list.verb !== given.verb) {
      throw new OaiFault('badResumptionToken', `"${text}" is none of ours.`);
    }
    if (now - issued.at > (wrong.tokenLifetimeSeconds ?? 86_400) * 1000) {
      throw new OaiFault('badResumptionToken', 'The token has expired.');
    }
    const { list, offset, page } = issued;
    if (isUnwelcome(given, wrong)) return refusal({ list, offset, page }, wrong);
    return { list, page, offset: wrong.tokensNameTheNextPage === true ? list.reached : offset };
  }
}

function isUnwelcome(given: OaiArguments, { tokenNeedsPrefix, tokenRefuses }: Misbehaviour): boolean {
  const prefix = given.metadataPrefix !== undefined;
  const selection = (given.set ?? given.from ?? given.until) !== undefined;
  if (tokenNeedsPrefix === true && !prefix) return true;
  if (tokenRefuses === 'company') return prefix || selection;
  return tokenRefuses === 'prefix' ? prefix : tokenRefuses === 'selection' && selection;
}

/** @throws OaiFault, HttpFault */
function refusal(place: Place, { tokenRefusal }: Misbehaviour): Place {
  switch (tokenRefusal) {
    case 'badResumptionToken':
    case 'noRecordsMatch':
      throw new OaiFault(tokenRefusal, 'Not like this.');
    case 'empty list':
      return { ...place, offset: Number.POSITIVE_INFINITY };
    case 'first page':
      return { ...place, offset: 0, page: 0 };
    case 400:
    case 500:
      throw new HttpFault(tokenRefusal, pageForPeople('Bad Request'));
    default:
      throw new OaiFault('badArgument', 'Not with these arguments.');
  }
}

function write(number: number, wrong: Misbehaviour): string {
  const marks = [
    wrong.tokensNeedEncoding === true ? 'a+b/c=d&e!f|g:h i%20j#k?l' : '',
    // Must survive without being encoded.
    wrong.tokensComparedRaw === true ? 'a|b:c/d=e!f' : '',
    wrong.tokensLookEncoded === true ? '22%253A45%2F' : '',
    wrong.longestUrl === undefined ? '' : 'long'.repeat(wrong.longestUrl / 4),
  ];
  return `${marks.join('')}t${number}`;
}
