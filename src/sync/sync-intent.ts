import { BridgeError } from '../core/errors.ts';
import { everything, type Selection, selectionText } from './choice/selection.ts';
import type { PlaceRule } from './places/loc-path.ts';
import type { CopyDatabase } from './state/copy-database.ts';
import type { SyncOptions } from './sync-options.ts';

/** What a copy is of, and what of it: as it was told in this run, or in the ones before. */
export interface Intent {
  readonly address: string;
  /** The set of before. */
  readonly set: string | undefined;
  /** The same, where it need not be looked for. */
  readonly knownSet: string | undefined;
  readonly selection: Selection;
  /** Another one than the copy was made with, or other hosts. */
  readonly isOtherSelection: boolean;
  readonly places: readonly PlaceRule[];
  readonly hosts: readonly string[];
  /** Where resources go. */
  readonly sink: string;
}

/**
 * What is said in this run counts, except what would make another copy of it.
 * @throws BridgeError `usage`
 */
export function readIntent(database: CopyDatabase, options: SyncOptions): Intent {
  const { directory, address, set: name } = options;
  const before = database.setting('address');
  if (before !== undefined && before !== address.href)
    throw new BridgeError(
      'usage',
      `${directory} is a copy of ${before}; take another directory for ${address.href}`,
    );
  const set = database.setting('set');
  const storedSelection = database.setting('selection');
  const stored = storedSelection === undefined ? everything : (JSON.parse(storedSelection) as Selection);
  const selection = options.selection ?? stored;
  const storedPlaces = database.setting('places');
  const places = storedPlaces === undefined ? undefined : (JSON.parse(storedPlaces) as readonly PlaceRule[]);
  if (places !== undefined && options.places !== undefined && !isSame(places, options.places))
    throw new BridgeError(
      'usage',
      `${directory} was begun with other --map; leave them out, or take another directory`,
    );
  const storedHosts = JSON.parse(database.setting('hosts') ?? '[]') as readonly string[];
  const hosts = options.hosts ?? storedHosts;
  const sink = database.setting('sink') ?? (set === undefined ? undefined : 'directory');
  if (sink !== undefined && options.sink !== undefined && sink !== options.sink)
    throw new BridgeError(
      'usage',
      `${directory} was begun with --sink ${sink}; leave it out, or take another directory`,
    );
  const isOther = selectionText(selection) !== selectionText(stored) || hosts.join() !== storedHosts.join();
  return {
    address: address.href,
    set,
    knownSet: name === undefined ? set : undefined,
    selection,
    isOtherSelection: set !== undefined && isOther,
    places: places ?? options.places ?? [],
    hosts,
    sink: sink ?? options.sink ?? 'directory',
  };
}

/** In the transaction in which the lists became rows. */
export function keepIntent(database: CopyDatabase, intent: Intent, set: string): void {
  database.keep('address', intent.address);
  database.keep('set', set);
  database.keep('selection', JSON.stringify(intent.selection));
  database.keep('places', JSON.stringify(intent.places));
  database.keep('sink', intent.sink);
  database.keep('hosts', JSON.stringify(intent.hosts));
}

function isSame(a: readonly PlaceRule[], b: readonly PlaceRule[]): boolean {
  const text = (rules: readonly PlaceRule[]) =>
    rules
      .map(({ base, folder }) => `${base}=${folder}`)
      .sort()
      .join('\n');
  return text(a) === text(b);
}
