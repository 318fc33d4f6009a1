import type { Protocol } from '../protocols.ts';
import type { Found } from './find-repository.ts';

/** What one types or presses to have it by another protocol. */
export type Again = (adapter: Protocol) => string;

/** What was found and why that was chosen, sentence by sentence, in English. */
export function explain(found: Found, again: Again): readonly string[] {
  if (found.adapter === 'resourcesync') return explainSource(found);
  if (found.adapter === 'oai-pmh') {
    const { api, apiTrouble } = found;
    return api === undefined
      ? []
      : [
          `This is ${api.version}, and its REST API is at ${api.url}; but it cannot be harvested now: ${apiTrouble}.`,
          `OAI-PMH was chosen instead. Once that works: ${again(api.adapter)}. Items keep their addresses.`,
        ];
  }
  return found.adapter === 'dspace' ? explainDspace(found, again('oai-pmh')) : explainLegacy(found, again);
}

function explainSource({ url, info }: Found): readonly string[] {
  if (info.protocol === 'Sitemap')
    return [
      `This is a plain Sitemap: ${url}. Each of its addresses becomes an item, and every harvest reads all of it.`,
    ];
  const changes =
    info.deletedRecords === 'no'
      ? 'It offers no Change Lists: every harvest reads its Resource List.'
      : 'Its Change Lists tell what is new and what was deleted.';
  return [`This is a Source of ResourceSync: its Capability List is ${url}.`, changes];
}

function explainDspace({ api, oai, url, info }: Found, forOai: string): readonly string[] {
  const version = api?.version ?? info.protocolVersion;
  if (oai === undefined) {
    return [
      `This is ${version}: its REST API is at ${url}. No OAI-PMH endpoint was found beside it, and none is needed.`,
    ];
  }
  return [
    `This is ${version}: its REST API is at ${url}, its OAI-PMH endpoint at ${oai.url}.`,
    'REST was chosen, because it also knows the files with their checksums, who may read them and from when on, and versions, and knows of changes at once; OAI-PMH lags, often by a day.',
    `For OAI-PMH instead: ${forOai}. Items keep their addresses when you change your mind (identity: oai).`,
  ];
}

function explainLegacy({ oai, url }: Found, again: Again): readonly string[] {
  if (oai === undefined) {
    return [
      `This is DSpace 5 or 6: its REST API is at ${url}. No OAI-PMH endpoint was found beside it.`,
      'Without OAI-PMH it cannot be asked what changed: every harvest reads everything, once a night. If there is an OAI-PMH endpoint, name it as `oai`.',
    ];
  }
  return [
    `This is DSpace 5 or 6: its REST API is at ${url}, its OAI-PMH endpoint at ${oai.url}.`,
    'Both are used: OAI-PMH tells what changed, REST knows the files with their checksums.',
    `For OAI-PMH alone: ${again('oai-pmh')}. Items keep their addresses when you change your mind (identity: oai).`,
  ];
}
