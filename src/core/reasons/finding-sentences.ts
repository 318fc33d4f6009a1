/** What was found at the address of a repository, and why it is read as it is; as in `sentences.ts`. */
export const findingSentences = {
  'found-sitemap':
    'This is a plain Sitemap: {url}. Each of its addresses becomes an item, and every harvest reads all of it.',
  'found-source': 'This is a Source of ResourceSync: its Capability List is {url}.',
  'found-no-change-lists': 'It offers no Change Lists: every harvest reads its Resource List.',
  'found-change-lists': 'Its Change Lists tell what is new and what was deleted.',
  'found-legacy-alone':
    'This is DSpace 5 or 6: its REST API is at {url}. No OAI-PMH endpoint was found beside it.',
  'found-legacy': 'This is DSpace 5 or 6: its REST API is at {url}, its OAI-PMH endpoint at {oai}.',
  'legacy-reads-all':
    'Without OAI-PMH it cannot be asked what changed: every harvest reads everything, once a night. If there is an OAI-PMH endpoint, name it as `oai`.',
  'legacy-uses-both': 'Both are used: OAI-PMH tells what changed, REST knows the files with their checksums.',
  'found-rest-alone':
    'This is {text}: its REST API is at {url}. No OAI-PMH endpoint was found beside it, and none is needed.',
  'found-rest': 'This is {text}: its REST API is at {url}, its OAI-PMH endpoint at {oai}.',
  'rest-chosen':
    'REST was chosen, because it also knows the files with their checksums, who may read them and from when on, and versions, and knows of changes at once; OAI-PMH lags, often by a day.',
  'rest-ails': 'This is {text}, and its REST API is at {url}; but it cannot be harvested now: {why}.',
  'oai-chosen-instead': 'OAI-PMH was chosen instead. Once that works: {later}. Items keep their addresses.',
  'oai-instead':
    'For OAI-PMH instead: {later}. Items keep their addresses when you change your mind (identity: oai).',
  'oai-alone':
    'For OAI-PMH alone: {later}. Items keep their addresses when you change your mind (identity: oai).',
} as const;
