/** What a notification of COAR Notify 1.0 says, by its types; those of 0.9 that repositories still send are taken, too. */
export const patterns = [
  { name: 'announce-endorsement', types: ['Announce', 'EndorsementAction'], about: 'context' },
  { name: 'announce-ingest', types: ['Announce', 'IngestAction'], about: 'context' },
  { name: 'announce-relationship', types: ['Announce', 'RelationshipAction'], about: 'context' },
  { name: 'announce-review', types: ['Announce', 'ReviewAction'], about: 'context' },
  { name: 'announce-service-result', types: ['Announce'], about: 'context' },
  { name: 'request-endorsement', types: ['Offer', 'EndorsementAction'], about: 'object' },
  { name: 'request-ingest', types: ['Offer', 'IngestAction'], about: 'object' },
  { name: 'request-review', types: ['Offer', 'ReviewAction'], about: 'object' },
  { name: 'accept', types: ['Accept'], about: 'answer' },
  { name: 'reject', types: ['Reject'], about: 'answer' },
  { name: 'tentatively-accept', types: ['TentativeAccept'], about: 'answer' },
  { name: 'tentatively-reject', types: ['TentativeReject'], about: 'answer' },
  { name: 'undo-offer', types: ['Undo'], about: 'answer' },
  { name: 'unprocessable', types: ['Flag', 'UnprocessableNotification'], about: 'complaint' },
] as const;

export type Pattern = (typeof patterns)[number];
export type PatternName = Pattern['name'];

/** Of Activity Streams, and of the vocabulary of COAR Notify, which stands behind a prefix. */
const prefixes = [
  'as:',
  'https://www.w3.org/ns/activitystreams#',
  'coar-notify:',
  'https://coar-notify.net/',
  'https://purl.org/coar/notify_vocabulary/',
  'http://purl.org/coar/notify_vocabulary/',
];

/** @param types as a notification states them, in any order; those of other vocabularies say nothing */
export function patternOf(types: readonly string[]): Pattern | undefined {
  const plain = new Set(types.map(withoutPrefix));
  const known = new Set(patterns.flatMap((pattern) => pattern.types.map(String)));
  const stated = [...plain].filter((type) => known.has(type));
  return patterns.find(
    (pattern) =>
      pattern.types.length === stated.length && pattern.types.every((type) => stated.includes(type)),
  );
}

function withoutPrefix(type: string): string {
  const prefix = prefixes.find((one) => type.startsWith(one));
  return prefix === undefined ? type : type.slice(prefix.length);
}

/** For people who write one. */
export function typesOf({ types }: Pattern): string {
  const [activity, action] = types as readonly string[];
  return action === undefined ? `"${activity}"` : `["${activity}", "coar-notify:${action}"]`;
}
