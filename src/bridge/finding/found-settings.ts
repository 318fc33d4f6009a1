import type { RepositoryInfo } from '../../core/adapter.ts';
import type { Config } from '../../core/config/config.ts';
import type { Found } from './find-repository.ts';

/** The settings by which something that was found is read, in so far as the defaults are not right for it. */
export function foundSettings(found: Found): Readonly<Record<string, unknown>> {
  const { adapter, url, oai, info } = found;
  if (adapter === 'resourcesync') return { adapter, url };
  if (adapter === 'oai-pmh') {
    const from = bestFileFormat(info);
    return { adapter, url, ...(from === undefined ? {} : { files: { from } }) };
  }
  return { adapter, url, ...(oai === undefined ? {} : { oai: oai.url }), ...dspaceSchedules(found) };
}

/** What somebody says of a source comes before what was found out of it, and so does what its group says. */
export function withFound(
  said: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
  groups: Config['groups'],
): Readonly<Record<string, unknown>> {
  const group = typeof said.group === 'string' && Object.hasOwn(groups, said.group) ? groups[said.group] : {};
  const { url, ...others } = found;
  const own = Object.entries(others).filter(([key]) => !Object.hasOwn(group ?? {}, key));
  return { ...Object.fromEntries(own), ...said, url };
}

/** The host that items are called by; `isStated`: its OAI-PMH endpoint says so. */
export function identityHost({ url, api, oai }: Found): {
  readonly host: string;
  readonly isStated: boolean;
} {
  if (oai?.host !== undefined) return { host: oai.host, isStated: true };
  return { host: new URL(api?.ui ?? url).hostname, isStated: false };
}

/** How often a DSpace is read, where not as often as others. */
function dspaceSchedules({ adapter, oai }: Pick<Found, 'adapter' | 'oai'>): { schedule?: string } {
  if (adapter !== 'dspace-legacy') return {};
  return { schedule: oai === undefined ? nightlySchedule : quarterDailySchedule };
}

export const nightlySchedule = '0 2 * * *';
export const quarterDailySchedule = '30 */6 * * *';

/** Guesses from links are not worth a format of their own. */
const guessed = 90;

/** The offered format that knows most about files. */
export function bestFileFormat({ formats }: RepositoryInfo): string | undefined {
  const [best] = formats
    .filter(({ offered, fileRank }) => offered && fileRank !== undefined && fileRank < guessed)
    .sort((a, b) => (a.fileRank ?? guessed) - (b.fileRank ?? guessed));
  return best?.name;
}
