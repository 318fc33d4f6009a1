import type { SharedSource } from '../../server/deps.ts';
import type { Language } from '../../server/words/language.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { contactsOf } from './contacts.ts';
import { readSharedSources } from './shared-sources.ts';

/** How the repositories of one contact are; it is worded when it is sent. */
export interface DigestContent {
  readonly kind: 'digest';
  /** In milliseconds. */
  readonly at: number;
  readonly to: string;
  readonly language: Language;
  readonly sources: readonly SharedSource[];
}

const shownProblems = 5;

/** For each contact, or for those of some sources. @param now in milliseconds */
export async function readDigests(
  bridge: StoredBridge,
  now: number,
  only?: readonly string[],
): Promise<readonly DigestContent[]> {
  const { config } = bridge;
  const shared = await readSharedSources(bridge, now);
  const digests: DigestContent[] = [];
  for (const [to, names] of contactsOf(config)) {
    if (only && !names.some((name) => only.includes(name))) continue;
    const sources: SharedSource[] = [];
    for (const name of names) {
      const source = await shared(name, shownProblems);
      if (source) sources.push(source);
    }
    // Of several languages that of the first is the contact's.
    const language = names.map((name) => config.sources[name]?.digestLanguage).find(Boolean);
    digests.push({ kind: 'digest', at: now, to, language: language ?? config.alerts.language, sources });
  }
  return digests;
}
