/** What is wrong at a place of the configuration, behind the name of the place; as in `sentences.ts`. */
export const faultSentences = {
  'key-unknown': 'unknown key[ (did you mean "{meant}"?)][; known are {names}]',
  'value-missing': 'missing; write {wanted}',
  'value-twice': '{text} is there twice; write it once',
  'value-other': 'write {wanted}, not {text}[ (did you mean "{meant}"?)]',
  'no-group': 'there is no group "{text}"[ (did you mean "{meant}"?)][; known are {names}]',
  'no-set': 'there is no set "{text}"[ (did you mean "{meant}"?)][; known are {names}]',
  'no-time-zone':
    'there is no time zone "{text}"; write it as Asia/Tokyo, Europe/Berlin or UTC[ (did you mean "{meant}"?)]',
  'no-schedule':
    '"{text}" is not a schedule of cron; write five or six fields such as "*/15 * * * *" (every 15 minutes)',
  'no-mail-server': 'there is no mail server; write mail.host and mail.from',
  'name-begins-base': 'the path of baseUrl begins with this name; choose another',
  'name-is-an-address': 'the bridge has an address of its own of this name; choose another',
  'name-of-source': "a source's name is made of a-z, 0-9 and -",
  'name-of-set': "a set's name is made of a-z, 0-9 and -",
  'page-would-close':
    'the bridge has a page of its own at /{name}, which would be closed with this source; call the source something else',
  'setting-of-adapter':
    'only the adapter resourcesync has this setting, and the adapter here is {adapter}; remove it',
  'setting-of-dspace':
    'only the adapters dspace and dspace-legacy have this setting, and the adapter here is {adapter}; remove it',
  'formats-from-oai': 'all formats come from OAI-PMH here; write their names alone, as {example}',
  'header-of-account':
    'a DSpace is read without an account, so that only what is public is published; remove this header (for hidden version histories use `login`)',
  'oai-without-address':
    'harvesters have to know whom to write to; write {example}, or such an address as contact',
  'set-of-every-source': 'every source has this set; choose another name',
  'set-without-content': 'say what is in it, by collections, by formats, or by both',
} as const;
