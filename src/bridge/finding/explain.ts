import { say } from '../../core/reasons/reason.ts';
import type { Protocol } from '../protocols.ts';
import type { Found } from './find-repository.ts';

/** What one types or presses to have it by another protocol. */
export type Again = (adapter: Protocol) => string;

/** What was found and why that was chosen, sentence by sentence, in English. */
export function explain(found: Found, again: Again): readonly string[] {
  if (found.adapter === 'resourcesync') return explainSource(found);
  if (found.adapter === 'oai-pmh') {
    const { api, apiTrouble } = found;
    if (api === undefined) return [];
    return [
      say('rest-ails', { text: api.version, url: api.url, why: apiTrouble ?? '' }),
      say('oai-chosen-instead', { later: again(api.adapter) }),
    ];
  }
  return found.adapter === 'dspace' ? explainDspace(found, again('oai-pmh')) : explainLegacy(found, again);
}

function explainSource({ url, info }: Found): readonly string[] {
  if (info.protocol === 'Sitemap') return [say('found-sitemap', { url })];
  const changes = info.deletedRecords === 'no' ? 'found-no-change-lists' : 'found-change-lists';
  return [say('found-source', { url }), say(changes, {})];
}

function explainDspace({ api, oai, url, info }: Found, later: string): readonly string[] {
  const text = api?.version ?? info.protocolVersion;
  if (oai === undefined) return [say('found-rest-alone', { text, url })];
  return [
    say('found-rest', { text, url, oai: oai.url }),
    say('rest-chosen', {}),
    say('oai-instead', { later }),
  ];
}

function explainLegacy({ oai, url }: Found, again: Again): readonly string[] {
  if (oai === undefined) return [say('found-legacy-alone', { url }), say('legacy-reads-all', {})];
  return [
    say('found-legacy', { url, oai: oai.url }),
    say('legacy-uses-both', {}),
    say('oai-alone', { later: again('oai-pmh') }),
  ];
}
