import { type Draft, type DraftEntry, listsResources } from '../documents/draft.ts';
import { entriesOf, type Fault, type Scene } from './fault.ts';

const kind = 'entries';
const same = { kind, outcome: 'same', share: 1 } as const;
const less = { kind, outcome: 'less', share: 0.2 } as const;

/** What entries say of resources. */
export const entryFaults: readonly Fault[] = [
  onEntries('no-hash', same, 'entries state no hash', 'goes by length and lastmod', (entry) =>
    withMd(entry, { hash: undefined }),
  ),
  onEntries(
    'no-length',
    same,
    'entries state no length and no hash',
    'goes by lastmod, and by what the server says',
    (entry) => withMd(entry, { hash: undefined, length: undefined }),
  ),
  onEntries('no-lastmod', same, 'entries state no lastmod', 'goes by hash and length', (entry) => ({
    ...entry,
    lastmod: undefined,
  })),
  onEntries(
    'no-facts',
    same,
    'entries state neither hash, length, lastmod nor type',
    'asks the server whether each has changed, conditionally',
    (entry) => ({
      ...withMd(entry, { hash: undefined, length: undefined, type: undefined }),
      lastmod: undefined,
    }),
  ),
  onEntries(
    'lastmod-now',
    same,
    'entries have the moment of the request as lastmod, and no hash',
    'asks the server conditionally, and does not copy everything each time',
    (entry, { now }) => ({ ...withMd(entry, { hash: undefined }), lastmod: now }),
  ),
  onEntries(
    'hash-forms',
    same,
    'hashes are in upper case, or in Base64 (md5), beside one of an unknown kind',
    'recognises them by their length, and leaves the unknown one alone',
    (entry) => withMd(entry, { hash: otherForms(entry.md.hash) }),
  ),
  onEntries(
    'wrong-hash',
    { ...less, share: 1 },
    'hashes are of something else, such as a part of the resource (UCLA)',
    'does not believe the bytes, or learns not to believe the hashes; says so',
    (entry) => withMd(entry, { hash: entry.md.hash?.replace(/[0-9a-f]{8}$/, '00000000') }),
  ),
  onEntries(
    'wrong-length',
    { ...less, share: 1 },
    'lengths are one octet too large, and there is no hash',
    'does not believe the bytes; says so',
    (entry) =>
      withMd(entry, { hash: undefined, length: entry.md.length && String(Number(entry.md.length) + 1) }),
  ),
  onEntries(
    'relative-addresses',
    same,
    'loc is relative to the document',
    'resolves it',
    (entry, { origin }) => ({
      ...entry,
      loc: entry.loc.slice(origin.length),
    }),
  ),
  onEntries('padded-addresses', same, 'loc has white space around it', 'takes it away', (entry) => ({
    ...entry,
    loc: `\n    ${entry.loc}\t\n  `,
  })),
  onEntries('fragments', same, 'loc has a fragment', 'takes it away', (entry) => ({
    ...entry,
    loc: `${entry.loc}#here`,
  })),
  extraEntries(
    'private-addresses',
    'lists name files and private addresses, too: file:, 10.0.0.1, 169.254.169.254',
    'asks for none of them, and says so',
    () => ['file:///etc/passwd', 'http://10.0.0.1/internal', 'http://169.254.169.254/latest/meta-data/'],
  ),
  extraEntries(
    'foreign-addresses',
    'lists name resources at a host that is not theirs',
    'asks for none of them, unless somebody allows it',
    () => ['http://elsewhere.example.org/resource'],
  ),
  {
    ...{ name: 'climbing-addresses', ...same },
    what: 'addresses that lead out of a directory where they are taken for paths: %2e%2e%2f, back slashes, NUL',
    expects: 'writes nothing outside its directory',
    needs: { paths: 'climbing' },
  },
  {
    ...{ name: 'odd-paths', ...same },
    what: 'addresses that are hard to keep as files: queries, a folder that is a resource, case, long names',
    expects: 'keeps each, apart from all others',
    needs: { paths: 'odd' },
  },
  {
    ...{ name: 'only-mirrors', ...same },
    what: 'resources answer 503, and entries name two copies of each (rel=duplicate), of which the second is good',
    expects: 'takes the copies by their pri',
    draft: (draft, scene) =>
      rewritten(draft, scene, (entry, { origin }) => {
        const path = entry.loc.slice(origin.length);
        const duplicate = (pri: string, folder: string) => ({
          rel: 'duplicate',
          pri,
          href: origin + folder + path,
        });
        return {
          ...entry,
          links: [...entry.links, duplicate('2', '/mirror'), duplicate('1', '/broken-mirror')],
        };
      }),
    content: (answer, { path, subject }, { repository }) => {
      const [, mirrored] = /^\/mirror(\/.*)$/.exec(path) ?? [];
      const version = mirrored === undefined ? undefined : repository.get(mirrored);
      if (version !== undefined) {
        const headers = { 'content-type': version.type };
        return { status: 200, headers, body: version.content.bytes() };
      }
      const isBroken = subject === 'resource' || path.startsWith('/broken-mirror/');
      return isBroken ? { status: 503, headers: {}, body: Buffer.from('not here\n') } : answer;
    },
  },
];

function onEntries(
  name: string,
  usual: Pick<Fault, 'kind' | 'outcome' | 'share'>,
  what: string,
  expects: string,
  rewrite: (entry: DraftEntry, scene: Scene) => DraftEntry,
): Fault {
  const draft = (given: Draft, scene: Scene) => rewritten(given, scene, rewrite);
  return { name, ...usual, what, expects, draft };
}

/** Those of what is there: a deletion states nothing of bytes. */
function rewritten(
  draft: Draft,
  scene: Scene,
  rewrite: (entry: DraftEntry, scene: Scene) => DraftEntry,
): Draft {
  if (!listsResources(draft) || /manifest$/.test(draft.capability)) return draft;
  return entriesOf(draft, (entry) =>
    scene.strikes(entry.loc) && entry.md.change !== 'deleted' ? rewrite(entry, scene) : entry,
  );
}

function extraEntries(
  name: string,
  what: string,
  expects: string,
  locs: (scene: Scene) => readonly string[],
): Fault {
  return {
    ...{ name, kind, what, expects, outcome: 'same', share: 1 },
    draft: (draft, scene) => {
      if (draft.capability !== 'resourcelist' || !listsResources(draft)) return draft;
      const entries = locs(scene).map((loc) => ({ loc, lastmod: scene.now, md: {}, links: [], more: '' }));
      return { ...draft, entries: [...draft.entries, ...entries] };
    },
  };
}

function withMd(entry: DraftEntry, md: DraftEntry['md']): DraftEntry {
  return { ...entry, md: { ...entry.md, ...md } };
}

function otherForms(hashes: string | undefined): string | undefined {
  const [, md5 = ''] = /md5:([0-9a-f]{32})/.exec(hashes ?? '') ?? [];
  const [, sha = ''] = /sha-256:([0-9a-f]{64})/.exec(hashes ?? '') ?? [];
  if (md5 === '') return hashes;
  return `crc-9:abc md5:${Buffer.from(md5, 'hex').toString('base64')} sha-256:${sha.toUpperCase()}`;
}
