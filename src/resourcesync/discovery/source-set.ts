import { BridgeError, isBridgeError } from '../../core/errors.ts';
import type { Remarks } from '../reading/remarks.ts';
import type { SourcePort } from '../source-port.ts';
import { type FoundSource, findSource, readRobots, readSet, type SourceSet } from './found-source.ts';
import { notingPort } from './noting-port.ts';

export interface SetChoice {
  readonly address: URL;
  /** A Capability List, or the end of its folder: `theses` of `/kyoto/sets/theses/capabilitylist.xml`. */
  readonly name: string | undefined;
  /** The one of before, for the same address; a robots.txt, where it is all Sitemaps of that. */
  readonly known: string | undefined;
  /** How one of several is named: what one types, or writes. */
  readonly naming: string;
  /** Of several sets the one in whose folder all others lie is meant: a bridge has parts of each source beside it. */
  readonly takesWhole?: boolean;
  /** What it was taken for before, where the same folder has several: the first. */
  readonly takesFirst?: boolean;
  readonly login: Login;
}

/** What a Source that is not open to everybody is given. */
export interface Login {
  readonly isSent: boolean;
  /** How it is given, to go on a sentence: `give its token with --access-token-file FILE`. */
  readonly how: string;
}

const shown = 20;

/**
 * The set that is meant by an address.
 * @throws BridgeError `usage` where it is several, `upstream-protocol` where it is none, `upstream-status` where the
 * address is refused or nothing is there, whatever else its host has; `upstream-html` where a web page has taken the place
 * of the one of before
 */
export async function chooseSet(choice: SetChoice, port: SourcePort, remarks: Remarks): Promise<SourceSet> {
  const { address, name, known, naming, takesWhole = false, takesFirst = false, login } = choice;
  if (known !== undefined) {
    const isRobots = new URL(known).pathname === '/robots.txt';
    const set = isRobots ? await readRobots(known, port, remarks) : await again(known, login, port, remarks);
    if (set !== undefined) return set;
  }
  const found = await findSource(address, port, remarks);
  const { sets, elsewhere, ofRobots } = found;
  if (takesWhole && name === undefined && ofRobots !== undefined) return ofRobots;
  // Whoever names it by its whole address means no other.
  if (name !== undefined && elsewhere.includes(name)) return readSet(name, port, remarks);
  if (sets.length === 0) throw nothingThere(address, found, login);
  const named = name === undefined ? sets : sets.filter((uri) => isNamed(uri, name));
  const whole = takesWhole && name === undefined ? wholeOf(sets, takesFirst) : undefined;
  const [first, second] = whole === undefined ? named : [whole];
  if (first !== undefined && second === undefined) return readSet(first, port, remarks);
  const what =
    first === undefined
      ? `none of its ${sets.length} sets is called ${name}`
      : `${address.href} has several sets; name one with ${naming}`;
  throw new BridgeError('usage', `${what}:${listOf(sets)}`);
}

function listOf(sets: readonly string[]): string {
  const more = sets.length > shown ? `\n  and ${sets.length - shown} more` : '';
  return `\n  ${sets.slice(0, shown).join('\n  ')}${more}`;
}

function nothingThere({ href, origin, pathname }: URL, found: FoundSource, login: Login): BridgeError {
  const { elsewhere, statuses, looked, pages, unread } = found;
  const status = statuses.get(href);
  // Of a bare host, what is refused is asked for first.
  const refused = pathname === '/' ? looked.find((uri) => isRefusal(statuses.get(uri))) : href;
  const refusal = refused === undefined ? undefined : statuses.get(refused);
  if (refused !== undefined && isRefusal(refusal)) return notLetIn(refused, refusal, login);
  if (elsewhere.length > 0) {
    const isGone = status === 404 || status === 410;
    const what = isGone ? `there is nothing at ${href} (it answers ${status})` : `${href} answers ${status}`;
    const have = `${origin} has ${elsewhere.length === 1 ? 'this set' : 'these sets'}, none of them there`;
    return new BridgeError('upstream-status', `${what}; ${have}:${listOf(elsewhere)}`);
  }
  const seen = looked.map((uri) => {
    const answer = pages.includes(uri) ? 'a web page' : statuses.get(uri);
    return answer === undefined || answer === 200 ? uri : `${uri} (${answer})`;
  });
  const where = seen.slice(0, shown).join(', ');
  const named = unread.length === 0 ? '' : `, which names what cannot be followed:${listOf(unread)}`;
  return new BridgeError(
    'upstream-protocol',
    `no ResourceSync was found at ${href}: looked at ${where}${named}`,
  );
}

function isRefusal(status: number | undefined): status is 401 | 403 {
  return status === 401 || status === 403;
}

function notLetIn(uri: string, status: number, { isSent, how }: Login): BridgeError {
  const what = isSent
    ? `${uri} refuses the token that was sent (it answers ${status}): see whether it is complete, still valid, and for this address; ${how}`
    : status === 401
      ? `${uri} asks for a login or a token (it answers 401): ${how}`
      : `${uri} is not open to everybody (it answers 403): where there is a token for it, ${how}`;
  return new BridgeError('upstream-status', what);
}

/**
 * It may have moved: then it is looked for. A web page says nothing of that: it is a login, or a notice; nor does a
 * refusal.
 */
async function again(
  uri: string,
  login: Login,
  port: SourcePort,
  remarks: Remarks,
): Promise<SourceSet | undefined> {
  const noting = notingPort(port);
  try {
    return await readSet(uri, noting, remarks);
  } catch (error) {
    if (isBridgeError(error, 'upstream-html'))
      throw new BridgeError(
        'upstream-html',
        `${error.message}; nothing was changed. Try again later if it is a login or under maintenance; where the Source has moved, give its new address`,
      );
    const status = noting.statuses.get(uri);
    if (isRefusal(status)) throw notLetIn(uri, status, login);
    if (isBridgeError(error) && /^upstream-(?:status|not-xml|protocol)$/.test(error.code)) return undefined;
    throw error;
  }
}

/** The set in whose folder all others lie; where several lie there beside each other, none has the others within it. */
function wholeOf(sets: readonly string[], takesFirst: boolean): string | undefined {
  const whole = sets.find((uri) => sets.every((other) => other.startsWith(folderOf(uri))));
  if (whole === undefined || takesFirst) return whole;
  const isAlone = sets.every((other) => other === whole || folderOf(other) !== folderOf(whole));
  return isAlone ? whole : undefined;
}

function folderOf(uri: string): string {
  return uri.replace(/[^/]*$/, '');
}

function isNamed(uri: string, name: string): boolean {
  if (uri === name) return true;
  const folder = new URL(uri).pathname.replace(/\/[^/]*$/, '');
  return `${folder}/`.endsWith(`/${name.replace(/^\/|\/$/g, '')}/`);
}
