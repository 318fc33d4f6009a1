import { nameOfSet } from '../../../core/resource-set.ts';
import type { ApiToken } from '../../../store/admin/tokens.ts';
import type { ServerDeps } from '../../deps.ts';
import { refuse } from '../../http/errors.ts';

/** What a token may do, and of one for content, what it reads. */
export function scopeWords({ scope, sets = [] }: Pick<ApiToken, 'scope' | 'sets'>): string {
  return scope === 'content' ? `content of ${sets.join(', ')}` : scope;
}

/** Where whoever has a token for these sets begins to read: a private set has a source of its own. */
export function openedBy(
  { baseUrl, privacy, setsOf }: Pick<ServerDeps, 'baseUrl' | 'privacy' | 'setsOf'>,
  sets: readonly string[],
): readonly string[] {
  return sets.flatMap((set) => {
    const [source = '', name = 'all'] = set.split('/', 2);
    const apart = privacy?.sourceAt?.(`${source}/sets/${name}`);
    const path = apart ?? setsOf(source).find((one) => nameOfSet(one) === name)?.path;
    return path === undefined ? [] : [`${baseUrl}/${path}/capabilitylist.xml`];
  });
}

/** A token for what nobody has would be none, and nobody would know. @throws Refusal */
export function refuseUnknownSets(
  { setsOf, privacy }: Pick<ServerDeps, 'setsOf' | 'privacy'>,
  sets: readonly string[] = [],
): void {
  const isKnown = (set: string) => {
    const [source = '', name = 'all'] = set.split('/', 2);
    if (setsOf(source).some((one) => nameOfSet(one) === name)) return true;
    return privacy?.sourceAt?.(`${source}/sets/${name}`) !== undefined;
  };
  const unknown = sets.find((set) => !isKnown(set));
  if (unknown !== undefined) throw refuse('bad-request', 'set-unknown', { text: unknown });
}
