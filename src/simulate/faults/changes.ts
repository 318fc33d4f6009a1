import { addSeconds, toMilliseconds } from '../../core/datetime.ts';
import { type Draft, type DraftEntry, listsResources } from '../documents/draft.ts';
import { entriesOf, type Fault, type Scene } from './fault.ts';

const kind = 'changes';
const same = { kind, outcome: 'same', share: 1 } as const;

/** How changes are told. */
export const changeFaults: readonly Fault[] = [
  onChanges(
    'at-for-datetime',
    same,
    'changes have at in the place of datetime (WEKO3)',
    'takes it for datetime',
    (draft) =>
      entriesOf(draft, (entry) => ({
        ...entry,
        md: { ...entry.md, datetime: undefined, at: entry.md.datetime },
      })),
  ),
  onChanges(
    'no-datetime',
    same,
    'changes state no datetime, as in ResourceSync 1.0 (Hyrax, UCLA); lastmod has the time of the change',
    'takes lastmod; of deletions without one, the place among the others',
    (draft) =>
      entriesOf(draft, (entry) => ({
        ...entry,
        lastmod: entry.md.datetime,
        md: { ...entry.md, datetime: undefined },
      })),
  ),
  onChanges(
    'no-times',
    { kind, outcome: 'later', share: 1 },
    'changes state no time at all, nor do their lists',
    'goes by the order; compares the Resource List now and then',
    (draft) => ({
      ...entriesOf(draft, (entry) => ({
        ...entry,
        lastmod: undefined,
        md: { ...entry.md, datetime: undefined },
      })),
      md: { ...draft.md, from: undefined, until: undefined },
    }),
  ),
  onChanges(
    'reversed-changes',
    same,
    'changes stand in their reverse order',
    'goes by their times',
    (draft) => ({
      ...draft,
      entries: withDistinctTimes(draft.entries).toReversed(),
    }),
  ),
  onChanges(
    'repeated-changes',
    same,
    'changes are told twice, and lists overlap',
    'applies each once',
    (draft) => ({ ...draft, entries: draft.entries.flatMap((entry) => [entry, entry]) }),
    { closeAfter: 5 },
  ),
  onChanges(
    'truncated-changes',
    same,
    'the Change List tells of the ten latest changes alone, and does not say since when (WEKO3)',
    'notices that changes are missing where the oldest is younger than what it knows, and compares everything',
    (draft) => ({ ...draft, entries: draft.entries.slice(-10), md: { ...draft.md, from: undefined } }),
  ),
  {
    ...{ name: 'change-gap', ...same },
    what: 'of several Change Lists the one before the last is missing from the index',
    expects: 'notices the gap, and compares everything',
    needs: { closeAfter: 5 },
    draft: (draft) =>
      draft.capability === 'changelist' && draft.root === 'sitemapindex' && draft.entries.length > 1
        ? { ...draft, entries: draft.entries.filter((_, index) => index !== draft.entries.length - 2) }
        : draft,
  },
  {
    ...{ name: 'change-buckets', ...same },
    what: 'the index of Change Lists is written as a list, without any times (WEKO3)',
    expects: 'reads all of them',
    needs: { closeAfter: 5 },
    draft: (draft) => {
      if (draft.capability !== 'changelist') return draft;
      const { from, until, ...md } = draft.md;
      if (draft.root === 'urlset') return { ...draft, md };
      return { ...draft, root: 'urlset', md, entries: draft.entries.map((entry) => ({ ...entry, md: {} })) };
    },
  },
  onChanges(
    'late-changes',
    same,
    'changes are told five seconds after they happened, with the time at which they happened',
    'reads a little further back than it knows',
    (draft, { now }) => ({
      ...draft,
      entries: draft.entries.filter(
        ({ md }) => toMilliseconds(md.datetime ?? now) <= toMilliseconds(addSeconds(now, -5)),
      ),
    }),
  ),
  onChanges(
    'future-changes',
    same,
    'the Change List ends with a change of next year',
    'applies it, and does not wait for next year before it takes the next ones',
    (draft, { now }) => {
      const last = draft.entries.at(-1);
      if (last === undefined) return draft;
      const md = { ...last.md, datetime: addSeconds(now, 365 * 86_400) };
      return { ...draft, entries: [...draft.entries, { ...last, md }] };
    },
  ),
  onChanges(
    'no-deletions',
    { kind, outcome: 'later', share: 1 },
    'deletions are told in /deletions.txt alone, a file that no standard knows (POD)',
    'has them after a comparison with the Resource List',
    (draft) => ({ ...draft, entries: draft.entries.filter(({ md }) => md.change !== 'deleted') }),
    {},
    (answer, { path }, { repository, origin }) => {
      if (path !== '/deletions.txt') return answer;
      const gone = repository.changes.filter(({ kind: what }) => what === 'deleted');
      const body = Buffer.from(gone.map((change) => `${origin}${change.path}\n`).join(''));
      return { status: 200, headers: { 'content-type': 'text/plain' }, body };
    },
  ),
  onChanges(
    'misnamed-deletions',
    { kind, outcome: 'later', share: 1 },
    'deletions have addresses that nothing ever had (DSpace)',
    'has them after a comparison with the Resource List',
    (draft, { origin }) =>
      entriesOf(draft, (entry) =>
        entry.md.change === 'deleted'
          ? { ...entry, loc: `${origin}/handle${entry.loc.slice(origin.length)}` }
          : entry,
      ),
  ),
  onChanges(
    'change-words',
    same,
    'changes are called create, modified and DELETE',
    'takes them for what is meant',
    (draft) =>
      entriesOf(draft, (entry) => ({
        ...entry,
        md: {
          ...entry.md,
          change: { created: 'create', updated: 'modified', deleted: 'DELETE' }[entry.md.change ?? ''],
        },
      })),
  ),
];

function onChanges(
  name: string,
  usual: Pick<Fault, 'kind' | 'outcome' | 'share'>,
  what: string,
  expects: string,
  rewrite: (draft: Draft, scene: Scene) => Draft,
  needs: Fault['needs'] = {},
  content?: Fault['content'],
): Fault {
  return {
    ...{ name, ...usual, what, expects, needs },
    draft: (draft, scene) =>
      draft.capability === 'changelist' && listsResources(draft) ? rewrite(draft, scene) : draft,
    ...(content ? { content } : {}),
  };
}

/** Of a second that has several changes nobody could tell the order from behind. */
function withDistinctTimes(entries: readonly DraftEntry[]): readonly DraftEntry[] {
  const latest = new Map(entries.map((entry) => [`${entry.md.datetime} ${entry.loc}`, entry]));
  return entries.filter((entry) => latest.get(`${entry.md.datetime} ${entry.loc}`) === entry);
}
