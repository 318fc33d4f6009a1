import { listsResources } from '../documents/draft.ts';
import type { Fault } from './fault.ts';

const kind = 'lists';
const same = { kind, outcome: 'same', share: 1 } as const;

/** What documents say of themselves, and how they hang together. */
export const listFaults: readonly Fault[] = [
  {
    ...{ name: 'no-capability', ...same },
    what: 'lists do not say what they are',
    expects: 'goes by what their entries look like',
    draft: (draft) =>
      listsResources(draft) ? { ...draft, md: { ...draft.md, capability: undefined } } : draft,
  },
  {
    ...{ name: 'capability-names', ...same },
    what: 'capabilities have names as people write them: ResourceList, change-list',
    expects: 'takes them for what is meant',
    draft: (draft) => {
      const named = { resourcelist: 'ResourceList', changelist: 'change-list' }[draft.capability as string];
      return named === undefined ? draft : { ...draft, md: { ...draft.md, capability: named } };
    },
  },
  {
    ...{ name: 'from-for-at', ...same },
    what: 'Resource Lists have from in the place of at (DSpace)',
    expects: 'takes it for at',
    draft: (draft) => {
      if (draft.capability !== 'resourcelist') return draft;
      const { at, ...md } = draft.md;
      return { ...draft, md: { ...md, from: at } };
    },
  },
  {
    ...{ name: 'no-at', ...same },
    what: 'Resource Lists do not say of when they are',
    expects: 'takes the Date of the answer, and follows changes from before that',
    draft: (draft) =>
      draft.capability === 'resourcelist' ? { ...draft, md: { ...draft.md, at: undefined } } : draft,
  },
  {
    ...{ name: 'index-as-list', ...same },
    what: 'indexes are written as lists: a urlset whose entries are lists (WEKO3)',
    expects: 'notices it, and follows the entries',
    needs: { partSize: 7 },
    draft: (draft) => ({ ...draft, root: 'urlset' }),
  },
  {
    ...{ name: 'nested-index', ...same },
    what: 'an index leads to an index that leads to the lists',
    expects: 'follows three floors of them',
    needs: { partSize: 7 },
    draft: (draft, { origin, names }) => {
      const isTop = draft.path === names.resourcelist && draft.root === 'sitemapindex';
      if (!isTop) return draft;
      const entry = { loc: `${origin}${innerIndex}`, lastmod: undefined, md: {}, links: [], more: '' };
      return { ...draft, entries: [entry] };
    },
    document: (path, { right, names }) => {
      const top = path === innerIndex ? right(names.resourcelist) : undefined;
      return top && { ...top, path };
    },
  },
  {
    ...{ name: 'looping-index', kind, outcome: 'later', share: 1 },
    what: 'an index names itself among its parts',
    expects: 'reads each document once',
    needs: { partSize: 7 },
    draft: (draft, { origin }) => {
      if (draft.root !== 'sitemapindex') return draft;
      const entry = { loc: origin + draft.path, lastmod: undefined, md: {}, links: [], more: '' };
      return { ...draft, entries: [entry, ...draft.entries] };
    },
  },
  {
    ...{ name: 'part-missing', kind, outcome: 'later', share: 1 },
    what: 'the last part of an index answers 404',
    expects: 'takes nothing for absent',
    needs: { partSize: 7 },
    draft: (draft, { origin }) => {
      if (draft.root !== 'sitemapindex') return draft;
      const lost = { loc: `${origin}/lost.xml`, lastmod: undefined, md: {}, links: [], more: '' };
      return { ...draft, entries: [...draft.entries.slice(0, -1), lost] };
    },
  },
  {
    ...{ name: 'short-list', kind, outcome: 'later', share: 1 },
    what: 'the Resource List is complete in form and names a tenth of what there is',
    expects: 'does not delete the rest without being told to',
    draft: (draft) =>
      draft.capability === 'resourcelist' && listsResources(draft)
        ? { ...draft, entries: draft.entries.slice(0, Math.ceil(draft.entries.length / 10)) }
        : draft,
  },
  {
    ...{ name: 'empty-list', kind, outcome: 'later', share: 1 },
    what: 'the Resource List is complete in form and names nothing',
    expects: 'does not delete everything without being told to',
    draft: (draft) =>
      draft.capability === 'resourcelist' ? { ...draft, root: 'urlset', entries: [] } : draft,
  },
  {
    ...{ name: 'old-list', ...same },
    what: 'the Resource List is made once and never again',
    expects: 'follows the Change List from there, and takes nothing back because of the list',
    needs: { listEverySeconds: Number.POSITIVE_INFINITY },
  },
  {
    ...{ name: 'duplicate-entries', ...same },
    what: 'Resource Lists name each resource twice, first with facts of no state that it ever had',
    expects: 'takes the last',
    draft: (draft) => {
      if (draft.capability !== 'resourcelist' || !listsResources(draft)) return draft;
      const wrong = draft.entries.map((entry) => ({
        ...entry,
        md: { ...entry.md, hash: entry.md.hash && `md5:${'0'.repeat(32)}`, length: '1' },
      }));
      return { ...draft, entries: [...wrong, ...draft.entries] };
    },
  },
];

const innerIndex = '/inner-index.xml';
