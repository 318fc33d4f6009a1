import { BridgeError, isBridgeError } from '../../core/errors.ts';
import type { Remarks } from '../reading/remarks.ts';
import type { SourcePort } from '../source-port.ts';
import { findSource, readSet, type SourceSet } from './found-source.ts';

export interface SetChoice {
  readonly address: URL;
  /** A Capability List, or the end of its folder: `theses` of `/kyoto/sets/theses/capabilitylist.xml`. */
  readonly name: string | undefined;
  /** The one of before, for the same address. */
  readonly known: string | undefined;
  /** How one of several is named: what one types, or writes. */
  readonly naming: string;
  /** Of several sets the one in whose folder all others lie is meant: a bridge has parts of each source beside it. */
  readonly takesWhole?: boolean;
}

const shown = 20;

/**
 * The set that is meant by an address.
 * @throws BridgeError `usage` where it is several, `upstream-protocol` where it is none, `upstream-html` where a web page
 * has taken the place of the one of before
 */
export async function chooseSet(choice: SetChoice, port: SourcePort, remarks: Remarks): Promise<SourceSet> {
  const { address, name, known, naming, takesWhole = false } = choice;
  if (known !== undefined) {
    const set = await again(known, port, remarks);
    if (set !== undefined) return set;
  }
  const { sets, looked, pages } = await findSource(address, port, remarks);
  if (sets.length === 0) {
    const seen = looked.map((uri) => (pages.includes(uri) ? `${uri} (a web page)` : uri));
    const where = seen.slice(0, shown).join(', ');
    throw new BridgeError(
      'upstream-protocol',
      `no ResourceSync was found at ${address.href}: looked at ${where}`,
    );
  }
  const named = name === undefined ? sets : sets.filter((uri) => isNamed(uri, name));
  const whole = takesWhole && name === undefined ? sets.find((uri) => sets.every(isBelow(uri))) : undefined;
  const [first, second] = whole === undefined ? named : [whole];
  if (first !== undefined && second === undefined) return readSet(first, port, remarks);
  const list = sets.slice(0, shown).join('\n  ');
  const more = sets.length > shown ? `\n  and ${sets.length - shown} more` : '';
  const what =
    first === undefined
      ? `none of its ${sets.length} sets is called ${name}`
      : `${address.href} has several sets; name one with ${naming}`;
  throw new BridgeError('usage', `${what}:\n  ${list}${more}`);
}

/** It may have moved: then it is looked for. A web page says nothing of that: it is a login, or a notice. */
async function again(uri: string, port: SourcePort, remarks: Remarks): Promise<SourceSet | undefined> {
  try {
    return await readSet(uri, port, remarks);
  } catch (error) {
    if (isBridgeError(error, 'upstream-html'))
      throw new BridgeError(
        'upstream-html',
        `${error.message}; nothing was changed. Try again later if it is a login or under maintenance; where the Source has moved, give its new address`,
      );
    if (isBridgeError(error) && /^upstream-(?:status|not-xml|protocol)$/.test(error.code)) return undefined;
    throw error;
  }
}

function isBelow(uri: string): (other: string) => boolean {
  const folder = uri.replace(/[^/]*$/, '');
  return (other) => other.startsWith(folder);
}

function isNamed(uri: string, name: string): boolean {
  if (uri === name) return true;
  const folder = new URL(uri).pathname.replace(/\/[^/]*$/, '');
  return `${folder}/`.endsWith(`/${name.replace(/^\/|\/$/g, '')}/`);
}
