import type { Attributes, Draft } from '../documents/draft.ts';
import { withHeaders } from '../server/answer.ts';
import type { Fault, Scene } from './fault.ts';

const kind = 'finding the Source';

/** How a Source is found, or is not. */
export const discoveryFaults: readonly Fault[] = [
  {
    ...{ name: 'no-well-known', kind, outcome: 'same', share: 1 },
    what: 'there is no /.well-known/resourcesync; the home page links to the Capability List in its head',
    expects: 'reads the link of the page',
    content: (answer, { path, subject }, { names, origin }) => {
      if (path === names.description) return missing;
      if (subject !== 'page') return answer;
      const link = `<link rel="resourcesync" href="${origin}${names.capabilitylist}">`;
      return { ...answer, body: Buffer.from(answer.body.toString().replace('<head>', `<head>${link}`)) };
    },
  },
  {
    ...{ name: 'link-header', kind, outcome: 'same', share: 1 },
    what: 'there is no /.well-known/resourcesync; pages and resources have a Link header to the Capability List',
    expects: 'reads the header',
    content: (answer, { path, subject }, { names, origin }) => {
      if (path === names.description) return missing;
      const link = `<${origin}${names.capabilitylist}>; rel="resourcesync"`;
      return subject === 'page' || subject === 'resource' ? withHeaders(answer, { link }) : answer;
    },
  },
  {
    ...{ name: 'robots-only', kind, outcome: 'same', share: 1 },
    what: 'only robots.txt tells of it: Sitemap: /resourcelist.xml',
    expects: 'follows robots.txt, and goes from the list upwards',
    content: (answer, { path }, { names, origin }) => {
      if (path === names.description) return missing;
      return path === '/robots.txt' ? robots(`Sitemap: ${origin}${names.resourcelist}\n`) : answer;
    },
  },
  {
    ...{ name: 'nothing-but-robots', kind, outcome: 'less', share: 1 },
    what: 'there is a robots.txt without a Sitemap, and no ResourceSync at all',
    expects: 'says what it looked for',
    content: (answer, { path, subject }) => {
      if (path === '/robots.txt') return robots('User-agent: *\nDisallow: /admin\n');
      return subject === 'document' || subject === 'package' ? missing : answer;
    },
  },
  {
    ...{ name: 'several-sets', kind, outcome: 'same', share: 1 },
    what: 'the Source Description names a second set, which is empty',
    expects: 'lists both and asks for one, or takes both',
    draft: (draft, { origin }) => {
      if (draft.capability !== 'description') return draft;
      const md = { capability: 'capabilitylist' };
      const other = {
        loc: `${origin}/other/capabilitylist.xml`,
        lastmod: undefined,
        md,
        links: [],
        more: '',
      };
      return { ...draft, entries: [...draft.entries, other] };
    },
    document: (path, { origin }) =>
      path === '/other/capabilitylist.xml'
        ? {
            ...{ path, capability: 'capabilitylist', root: 'urlset', md: { capability: 'capabilitylist' } },
            links: [{ rel: 'up', href: `${origin}/.well-known/resourcesync` }],
            entries: [],
          }
        : undefined,
  },
  {
    ...{ name: 'description-index', kind, outcome: 'same', share: 1 },
    what: 'the Source Description is an index of Source Descriptions',
    expects: 'follows it',
    draft: (draft, scene) => indexAbove(draft, 'description', '/descriptions/1.xml', scene),
    document: (path, scene) =>
      path === '/descriptions/1.xml' ? moved(scene, scene.names.description, path) : undefined,
  },
  {
    ...{ name: 'capability-index', kind, outcome: 'same', share: 1 },
    what: 'the Capability List is an index of Capability Lists',
    expects: 'follows it',
    draft: (draft, scene) => indexAbove(draft, 'capabilitylist', '/capabilities/1.xml', scene),
    document: (path, scene) =>
      path === '/capabilities/1.xml' ? moved(scene, scene.names.capabilitylist, path) : undefined,
  },
  {
    ...{ name: 'moved', kind, outcome: 'same', share: 1 },
    what: 'the Capability List has moved for good (301)',
    expects: 'follows it, and remembers where it is',
    document: (path, scene) =>
      path === '/moved/capabilitylist.xml' ? moved(scene, scene.names.capabilitylist, path) : undefined,
    content: (answer, { path }, { names, origin }) =>
      path === names.capabilitylist ? redirect(301, `${origin}/moved/capabilitylist.xml`) : answer,
  },
  {
    ...{ name: 'moved-for-now', kind, outcome: 'same', share: 1 },
    what: 'the Capability List is elsewhere for now (307)',
    expects: 'follows it, and asks at the first address the next time',
    document: (path, scene) =>
      path === '/moved/capabilitylist.xml' ? moved(scene, scene.names.capabilitylist, path) : undefined,
    content: (answer, { path }, { names, origin }) =>
      path === names.capabilitylist ? redirect(307, `${origin}/moved/capabilitylist.xml`) : answer,
  },
  {
    ...{ name: 'set-gone', kind, outcome: 'same', share: 1 },
    what: 'the Capability List is gone (410), and the Source Description names another one',
    expects: 'finds the set again',
    document: (path, scene) =>
      path === '/new/capabilitylist.xml' ? moved(scene, scene.names.capabilitylist, path) : undefined,
    draft: (draft, { origin }) =>
      draft.capability === 'description'
        ? {
            ...draft,
            entries: draft.entries.map((one) => ({ ...one, loc: `${origin}/new/capabilitylist.xml` })),
          }
        : draft,
    content: (answer, { path }, { names }) =>
      path === names.capabilitylist ? { ...missing, status: 410 } : answer,
  },
  {
    ...{ name: 'no-up', kind, outcome: 'same', share: 1 },
    what: 'documents have no links upwards',
    expects: 'follows the set from its Source Description all the same',
    draft: (draft) => ({ ...draft, links: draft.links.filter(({ rel }) => rel !== 'up') }),
  },
  {
    ...{ name: 'list-only', kind, outcome: 'same', share: 1 },
    what: 'there is a Resource List alone, no changes (Hyrax)',
    expects: 'compares the list at each run',
    needs: { offers: ['resourcelist'] },
  },
  {
    ...{ name: 'changes-only', kind, outcome: 'less', share: 1 },
    what: 'there is a Change List alone',
    expects: 'has whatever changed since the first change that is told',
    needs: { offers: ['changelist'] },
  },
  {
    ...{ name: 'plain-sitemap', kind, outcome: 'same', share: 1 },
    what: 'there is a sitemap.xml and nothing of ResourceSync; robots.txt names it',
    expects: 'compares it at each run, by lastmod and by what the server says',
    document: (path, { right, names }) => {
      const list = path === '/sitemap.xml' ? right(names.resourcelist) : undefined;
      return list && plain({ ...list, path });
    },
    content: (answer, { path, subject }, { origin }) => {
      if (path === '/robots.txt') return robots(`Sitemap: ${origin}/sitemap.xml\n`);
      return subject === 'document' && path !== '/sitemap.xml' ? missing : answer;
    },
  },
];

const missing = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from('there is nothing here\n'),
};

function robots(text: string) {
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(text) };
}

function redirect(status: number, location: string) {
  return { status, headers: { location }, body: Buffer.alloc(0) };
}

function moved({ right }: Scene, from: string, path: string): Draft | undefined {
  const draft = right(from);
  return draft && { ...draft, path };
}

function indexAbove(draft: Draft, capability: string, below: string, { origin }: Scene): Draft {
  if (draft.capability !== capability || draft.path === below) return draft;
  const entry = { loc: origin + below, lastmod: undefined, md: {}, links: [], more: '' };
  return { ...draft, root: 'sitemapindex', entries: [entry] };
}

function plain(draft: Draft): Draft {
  const nothing: Attributes = {};
  const entries = draft.entries.map((entry) => ({ ...entry, md: nothing, links: [], more: '' }));
  return { ...draft, md: nothing, links: [], entries };
}
