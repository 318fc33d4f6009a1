import { beforeEach, expect, test } from 'vitest';
import { FollowedSource } from '../../house/chain/followed-source.ts';
import { capabilityList, namespaces, resourceList } from '../../house/resourcesync/written-source.ts';

const followed = new FollowedSource();

beforeEach(() => changes(hoursFromNow(-48)));

const hoursFromNow = (hours: number) =>
  `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)}Z`;
const entry = (name: string, content: string, attributes = '') => {
  followed.source.put(`/${name}.csv`, content, { type: 'text/csv' });
  return `<url><loc>${followed.source.origin}/${name}.csv</loc><rs:md length="${content.length}" type="text/csv"${attributes}/></url>`;
};
const change = (kind: string, datetime: string) => ` change="${kind}" datetime="${datetime}"`;
const gone = (name: string, datetime: string) => {
  followed.source.answers.delete(`/${name}.csv`);
  return `<url><loc>${followed.source.origin}/${name}.csv</loc><rs:md${change('deleted', datetime)}/></url>`;
};
function changes(from: string, ...entries: readonly string[]): void {
  followed.source.put(
    '/changes.xml',
    `<urlset ${namespaces}><rs:md capability="changelist" from="${from}"/>${entries.join('')}</urlset>`,
  );
}
const there = async () =>
  [...(await followed.level.files()).values()]
    .map(({ vias: [via = ''], length }) => `${via.slice(followed.source.origin.length + 1, -4)} ${length}`)
    .sort();

test.each([
  ['a zone ahead, as local time that calls itself UTC', 9, 9],
  ['sixteen hours ahead, with changes of today', 16, 0],
  ['a year ahead', 24 * 365, 0],
])('a list that was made %s hides no change', async (_what, ahead, changesAhead) => {
  await followed.follow({ withChanges: true });
  const list = [entry('a', 'one'), entry('b', 'one'), entry('c', 'one')].join('');
  followed.source.put('/list.xml', resourceList(list, hoursFromNow(ahead - 1)));
  const when = (hours: number) => hoursFromNow(hours + changesAhead);
  const [updated, deleted] = [entry('a', 'two!', change('updated', when(-0.5))), gone('b', when(-0.4))];
  changes(when(-48), updated, deleted);
  await followed.level.turn('full');
  expect(await there()).toEqual(['a 4', 'c 3']);
  changes(
    when(-48),
    updated,
    deleted,
    gone('c', when(-0.1)),
    entry('d', 'three', change('created', when(-0.1))),
  );
  await followed.level.turn();
  expect(await there()).toEqual(['a 4', 'd 5']);
});

test('nothing goes for not being in a list of which nobody can say how old it is', async () => {
  await followed.follow({ withChanges: true });
  followed.source.put('/list.xml', resourceList(entry('a', 'one') + entry('b', 'one'), hoursFromNow(-1)));
  await followed.level.turn('full');
  followed.source.put('/list.xml', resourceList(entry('a', 'one'), hoursFromNow(500)));
  expect(await followed.level.turn('full')).toMatchObject({ state: 'needs-attention', deleted: 0 });
  expect((await followed.level.problems()).map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^its Resource List says that it was made at \S+, which is yet to come/),
  );
  followed.source.put('/list.xml', resourceList(entry('a', 'one'), hoursFromNow(-0.5)));
  expect(await followed.level.turn('full')).toMatchObject({ state: 'succeeded' });
  expect(await there()).toEqual(['a 3']);
});

test('who believes to know what is yet to come compares everything', async () => {
  await followed.follow({ withChanges: true });
  followed.source.put('/list.xml', resourceList(entry('a', 'one'), hoursFromNow(-1)));
  await followed.level.turn('full');
  await followed.level.bridge.database.writer('source').update({ as_of: hoursFromNow(24 * 365) });
  followed.source.put('/list.xml', resourceList(entry('a', 'two!') + entry('b', 'one'), hoursFromNow(-0.1)));
  await followed.level.turn();
  await followed.level.turn();
  expect(await there()).toEqual(['a 4', 'b 3']);
  changes(hoursFromNow(-48), gone('a', hoursFromNow(0)));
  expect(await followed.level.turn()).toMatchObject({ mode: 'incremental', deleted: 2 });
  expect(await there()).toEqual(['b 3']);
});

test.each([
  [
    'a Change List',
    () => `<urlset ${namespaces}><rs:md capability="changelist" from="2026-01-01T00:00:00Z"/></urlset>`,
  ],
  ['a Capability List', () => capabilityList(followed.source.origin, { resourcelist: '/list.xml' })],
  ['an empty list of no kind', () => `<urlset ${namespaces}></urlset>`],
])('%s in the place of a part of a Resource List deletes nothing', async (_kind, part) => {
  await followed.follow({ withChanges: false });
  followed.source.put(
    '/list.xml',
    `<sitemapindex ${namespaces}><rs:md capability="resourcelist" at="2026-02-01T00:00:00Z"/>${[1, 2].map((n) => `<sitemap><loc>${followed.source.origin}/part/${n}.xml</loc></sitemap>`).join('')}</sitemapindex>`,
  );
  const second = resourceList(entry('b', 'one'));
  followed.source.put('/part/1.xml', resourceList(entry('a', 'one')));
  followed.source.put('/part/2.xml', second);
  await followed.level.turn('full');
  followed.source.put('/part/2.xml', part());
  expect(await followed.level.turn('full')).toMatchObject({ state: 'needs-attention', deleted: 0 });
  expect(await there()).toEqual(['a 3', 'b 3']);
  followed.source.put('/part/2.xml', second);
  expect(await followed.level.turn('full')).toMatchObject({
    state: 'succeeded',
    created: 0,
    updated: 0,
    deleted: 0,
  });
});

test('parts of different moments are no reason to delete what is in none of them', async () => {
  await followed.follow({ withChanges: false });
  const index = (at: string) =>
    followed.source.put(
      '/list.xml',
      `<sitemapindex ${namespaces}><rs:md capability="resourcelist" at="${at}"/>${[1, 2].map((n) => `<sitemap><loc>${followed.source.origin}/part/${n}.xml</loc><rs:md at="${at}"/></sitemap>`).join('')}</sitemapindex>`,
    );
  const [before, after] = ['2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z'];
  const [a, b, c] = [entry('a', 'one'), entry('b', 'one'), entry('c', 'one')];
  const parts = (first: string, second: string) => {
    followed.source.put('/part/1.xml', first);
    followed.source.put('/part/2.xml', second);
  };
  index(before);
  parts(resourceList(a, before), resourceList(b + c, before));
  await followed.level.turn('full');
  // The first was read before `b` moved into it, the second after it had left.
  parts(resourceList(a, before), resourceList(c, after));
  expect(await followed.level.turn('full')).toMatchObject({ state: 'needs-attention', deleted: 0 });
  expect(await there()).toEqual(['a 3', 'b 3', 'c 3']);
  index(after);
  parts(resourceList(a + b, after), resourceList('', after));
  expect(await followed.level.turn('full')).toMatchObject({ state: 'succeeded', deleted: 2 });
  expect(await there()).toEqual(['a 3', 'b 3']);
});
